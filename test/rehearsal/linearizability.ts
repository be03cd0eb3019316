/**
 * Linearizability: whether the operations that clients observed can have happened one after the other. The algorithm is that of Wing and
 * Gong (Testing and Verifying Concurrent Objects, 1993) with the cache of Lowe (Testing for Linearizability, 2017), as in Porcupine.
 *
 * An operation lasts from its call to its return. The search looks for an order in which no operation comes before one that had returned
 * when it was called, and in which a sequential model of the object gives the observed outputs. The next operation can be any one that was
 * called before the first open return. If that return cannot be placed, the search backtracks. Each set of placed operations with its
 * resulting state is tried only once.
 *
 * An operation that never returned may have happened at any time after its call, or never. Among such operations with equal inputs, the
 * first called is placed first. They are tried only where no operation that returned can be next: most of them explain nothing, and trying
 * them first would require backtracking for each set of the others.
 */

/**
 * An operation of a client on an object, and its result.
 *
 * @experimental
 */
export interface ObjectOperation {
  readonly who: string;
  readonly input: unknown;
  /** Relevant only if the operation has returned. */
  readonly output?: unknown;
  readonly calledAt: number;
  /** `null` if the operation has never returned. */
  readonly returnedAt: number | null;
}

/**
 * A sequential model of an object: its behavior when one client after the other uses it. States are plain JSON.
 *
 * @experimental
 */
export interface SequentialObject<S> {
  readonly initial: S;
  /**
   * Applies an operation.
   *
   * @param answer the observed output; `null` for an operation that never returned, whose output may be anything.
   * @returns the next state, or `undefined` if the operation cannot have had this output.
   */
  next(state: S, input: unknown, answer: { readonly output: unknown } | null): S | undefined;
}

/** A linear order; or the longest partial one and the operation that cannot follow; or no decision. */
export type Linearization =
  | { readonly isFound: true; readonly order: readonly ObjectOperation[] }
  | { readonly isFound: false; readonly order: readonly ObjectOperation[]; readonly stuck: ObjectOperation }
  | { readonly isFound: null };

/** Calls and returns ordered by time, in a linked list from which an operation can be removed and reinserted. */
interface Entry {
  readonly place: number;
  readonly isCall: boolean;
  prev: Entry | null;
  next: Entry | null;
  /** The return of a call, if it has one. */
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
  // At equal times calls come first, so that the operations overlap.
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
 * For each operation, the one that must be placed before it, or -1. Among operations with equal inputs that never returned, only their
 * number matters, so that they can be placed in the order of their calls.
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

/** Maximum number of steps: some seconds, and 100 MB for the cache. */
const STEPS_MAX = 10_000_000;

/** A set of operations, with a text as key. */
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

  /** The key of the set with one more operation. */
  textWith(place: number): string {
    this.toggle(place);
    const text = String.fromCharCode(...this.words);
    this.toggle(place);
    return text;
  }
}

/**
 * Searches for an order in which the operations can have happened.
 *
 * @param stepsMax Maximum number of steps. Beyond it, the result is undecided (`isFound: null`).
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
 * A model of a register. Inputs: `{ read: true }`, whose output is the value; `{ write: value }`; `{ add: n }`, whose output is the sum.
 *
 * @experimental
 */
export const sequentialRegister = (initial: unknown): SequentialObject<unknown> => ({
  initial,
  next: (state, input, answer) => {
    const { write, add }: { readonly write?: unknown; readonly add?: unknown } = Object(input);
    if (write !== undefined) return write;
    const after = add === undefined ? state : Number(state) + Number(add);
    return answer === null || JSON.stringify(answer.output) === JSON.stringify(after) ? after : undefined;
  },
});
