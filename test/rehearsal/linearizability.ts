/**
 * True if what clients saw of an object can have happened one after the other: linearizability, after Wing and Gong (Testing and Verifying
 * Concurrent Objects, 1993), with the memory of Lowe (Testing for Linearizability, 2017), as Porcupine has them.
 *
 * An operation lasts from its call to its return. An order of all operations is looked for in which none comes before one that had
 * returned when it was called, and in which a sequential model of the object gives what the clients were given. The search takes as the next
 * one any operation that was called before the first return that is still open; where that return cannot be placed, it goes back. A set of
 * operations that are placed, together with the state that they lead to, is tried once.
 *
 * What was never answered may have happened at any time after its call, or never; of those that ask for the same the first may go first. It
 * is tried only where nothing that was answered can come next: most of it explains nothing, and tried first it had to be taken back for
 * each set of the others.
 */

/**
 * What a client asked of an object, and what came of it.
 *
 * @experimental
 */
export interface ObjectOperation {
  readonly who: string;
  readonly input: unknown;
  /** Nothing that counts unless it has returned. */
  readonly output?: unknown;
  readonly calledAt: number;
  /** `null`: it has never returned. */
  readonly returnedAt: number | null;
}

/**
 * An object as it would behave if one client after the other used it. States are plain JSON.
 *
 * @experimental
 */
export interface SequentialObject<S> {
  readonly initial: S;
  /**
   * The state after an operation; `undefined` if it cannot have given this output.
   *
   * @param answer what it gave; `null` for one that never returned, which may have given anything.
   */
  next(state: S, input: unknown, answer: { readonly output: unknown } | null): S | undefined;
}

/** One in which it can have happened; else the operations of which the longest order was found, and what cannot follow; or no answer. */
export type Linearization =
  | { readonly isFound: true; readonly order: readonly ObjectOperation[] }
  | { readonly isFound: false; readonly order: readonly ObjectOperation[]; readonly stuck: ObjectOperation }
  | { readonly isFound: null };

/** Calls and returns in the order of their times, as a list from which an operation is taken out and put back. */
interface Entry {
  readonly place: number;
  readonly isCall: boolean;
  prev: Entry | null;
  next: Entry | null;
  /** Of a call: its return, if it has one. */
  other: Entry | null;
}

function listOf(operations: readonly ObjectOperation[]): Entry {
  const entries: { readonly at: number; readonly entry: Entry }[] = [];
  operations.forEach(({ calledAt, returnedAt }, place) => {
    const call: Entry = { place, isCall: true, prev: null, next: null, other: null };
    entries.push({ at: calledAt, entry: call });
    if (returnedAt === null) return;
    call.other = { place, isCall: false, prev: null, next: null, other: null };
    entries.push({ at: returnedAt, entry: call.other });
  });
  // At one time calls come first: then they overlap.
  entries.sort((a, b) => a.at - b.at || Number(b.entry.isCall) - Number(a.entry.isCall));
  const head: Entry = { place: -1, isCall: true, prev: null, next: null, other: null };
  let last = head;
  for (const { entry } of entries) {
    [last.next, entry.prev] = [entry, last];
    last = entry;
  }
  return head;
}

function take(entry: Entry): void {
  entry.prev!.next = entry.next;
  if (entry.next) entry.next.prev = entry.prev;
}

function putBack(entry: Entry): void {
  entry.prev!.next = entry;
  if (entry.next) entry.next.prev = entry;
}

/**
 * For each operation the one that takes its turn before: of those that were never answered and ask for the same, whichever happened, it may
 * as well have been the one that was called first. -1 for none.
 */
function turnsOf(operations: readonly ObjectOperation[]): readonly number[] {
  const last = new Map<string, number>();
  const turns = operations.map(() => -1);
  for (const [place, { input }] of [...operations.entries()].toSorted(([, a], [, b]) => a.calledAt - b.calledAt)) {
    if (operations[place]!.returnedAt !== null) continue;
    const key = JSON.stringify(input);
    turns[place] = last.get(key) ?? -1;
    last.set(key, place);
  }
  return turns;
}

/** After so many steps the search gives up: some seconds, and a hundred megabytes of what was tried. */
const STEPS_MAX = 10_000_000;

/** A set of places, as text for a key. */
class Places {
  private readonly words: Uint16Array;

  constructor(count: number) {
    this.words = new Uint16Array(Math.ceil(count / 16));
  }

  has(place: number): boolean {
    return ((this.words[place >> 4]! >> (place & 15)) & 1) === 1;
  }

  toggle(place: number): void {
    this.words[place >> 4]! ^= 1 << (place & 15);
  }

  /** With one more. */
  textWith(place: number): string {
    this.toggle(place);
    const text = String.fromCharCode(...this.words);
    this.toggle(place);
    return text;
  }
}

/**
 * Looks for an order in which the operations can have happened.
 *
 * @param stepsMax after so many steps there is no answer (`isFound: null`).
 */
export function linearize<S>(
  operations: readonly ObjectOperation[],
  { initial, next }: SequentialObject<S>,
  stepsMax = STEPS_MAX,
): Linearization {
  const head = listOf(operations);
  const turns = turnsOf(operations);
  const placed: { readonly call: Entry; readonly before: S }[] = [];
  const done = new Places(operations.length);
  const tried = new Set<string>();
  let state = initial;
  let longest: { readonly order: readonly ObjectOperation[]; readonly stuck: ObjectOperation } | null = null;
  const order = () => placed.map(({ call }) => operations[call.place]!);
  const isNew = (place: number, after: S): boolean => {
    const key = `${done.textWith(place)} ${JSON.stringify(after)}`;
    return !tried.has(key) && tried.add(key) !== undefined;
  };
  let left = operations.filter(({ returnedAt }) => returnedAt !== null).length;
  let entry = head.next;
  let areAnswered = true;
  for (let steps = 0; left > 0; steps++) {
    if (steps === stepsMax) return { isFound: null };
    const { place, isCall, other } = entry!;
    const { input, output } = operations[place]!;
    const isItsTurn = isCall && (other !== null) === areAnswered && (turns[place] === -1 || done.has(turns[place]!));
    const after = isItsTurn ? next(state, input, other && { output }) : undefined;
    if (isCall && after !== undefined && isNew(place, after)) {
      placed.push({ call: entry!, before: state });
      state = after;
      done.toggle(place);
      take(entry!);
      if (other) {
        take(other);
        left--;
      }
      [entry, areAnswered] = [head.next, true];
    } else if (isCall) entry = entry!.next;
    else if (areAnswered) [entry, areAnswered] = [head.next, false];
    else {
      if (!longest || placed.length > longest.order.length) longest = { order: order(), stuck: operations[place]! };
      const back = placed.pop();
      if (!back) return { isFound: false, ...longest };
      const { call, before } = back;
      state = before;
      done.toggle(call.place);
      if (call.other) {
        putBack(call.other);
        left++;
      }
      putBack(call);
      [entry, areAnswered] = [call.next, call.other !== null];
    }
  }
  return { isFound: true, order: order() };
}

/**
 * A value that is read (`{ read: true }`, which gives it), written (`{ write: value }`), and added to (`{ add: n }`, which gives the sum).
 *
 * @experimental
 */
export const sequentialRegister = (initial: unknown): SequentialObject<unknown> => ({
  initial,
  next: (state, input, answer) => {
    const { write, add } = input as { readonly write?: unknown; readonly add?: number };
    if (write !== undefined) return write;
    const after = add === undefined ? state : (state as number) + add;
    return answer === null || JSON.stringify(answer.output) === JSON.stringify(after) ? after : undefined;
  },
});
