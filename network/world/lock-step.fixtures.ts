/** Two ways to take a chart's steps, side by side on the same events: XState's own, and from memory. */
import { isDeepStrictEqual } from 'node:util';
import type { AnyMachineSnapshot, AnyStateMachine } from 'xstate';
import type { Message } from '../../machines/effects.js';
import type { ChartSamples } from '../../machines/protocol.js';
import { Random } from '../random.js';
import { Effects, interpreter } from './kernel.js';
import { takesEvent, begin, restore, macrostep } from './remembering.js';

export interface Walked {
  readonly steps: number;
  /** Steps that failed, on both sides. */
  readonly failed: number;
  /** Those for which XState was called on the side that remembers. */
  readonly byXState: number;
}

interface Shown {
  readonly value?: unknown;
  readonly context?: unknown;
  readonly status?: string;
  readonly effects?: unknown;
  /** True if it is the very snapshot that the step began with. */
  readonly isSame?: boolean;
  readonly error?: string;
}

interface Side {
  snapshot: AnyMachineSnapshot;
  shown: Shown;
}

function attempt(from: AnyMachineSnapshot | null, act: () => { snapshot: AnyMachineSnapshot; effects: unknown }): Side {
  try {
    const { snapshot, effects } = act();
    const { value, context, status } = snapshot;
    return { snapshot, shown: { value, context, status, effects, isSame: snapshot === from } };
  } catch (error) {
    return { snapshot: from!, shown: { error: (error as Error).message } };
  }
}

/** By XState itself, on the chart itself. */
function interpreted(act: (asked: Effects) => AnyMachineSnapshot) {
  const asked = new Effects();
  return { snapshot: act(asked), effects: asked.all() };
}

/** Equal to the order of the keys, which a trace shows. */
const areEqual = (a: unknown, b: unknown): boolean => isDeepStrictEqual(a, b) && JSON.stringify(a) === JSON.stringify(b);

function compare(what: string, event: unknown, own: unknown, remembered: unknown): void {
  if (areEqual(own, remembered)) return;
  throw new Error(
    `${what}, at ${JSON.stringify(event)}:\nXState     ${JSON.stringify(own)}\nfrom memory ${JSON.stringify(remembered)}`,
  );
}

/** Counts the calls of XState while `act` runs. */
export function callsDuring(act: () => void): number {
  const { step: original } = interpreter;
  let calls = 0;
  interpreter.step = (...args) => (calls++, original(...args));
  try {
    act();
  } finally {
    interpreter.step = original;
  }
  return calls;
}

/** A random walk over a chart; throws at the first difference. From time to time both sides are put back into a state that was seen. */
export function lockStep(
  name: string,
  machine: AnyStateMachine,
  { input, events }: ChartSamples,
  random: Random,
  length: number,
): Walked {
  let own = attempt(null, () => interpreted((asked) => interpreter.begin(machine, input, asked)));
  let remembered = attempt(null, () => begin(machine, input));
  compare(`${name} begins`, input, own.shown, remembered.shown);
  let [steps, failed, byXState] = [0, 0, 0];
  while (steps < length) {
    const { value, context } = own.snapshot;
    const candidates = events(context);
    if (candidates.length === 0) break;
    const event: Message = random.pick(candidates);
    const before = own.snapshot;
    const at = `${name} in ${JSON.stringify(value)} with ${JSON.stringify(context)}`;
    const accepted = [() => interpreter.accepts(machine, before, event), () => takesEvent(machine, remembered.snapshot, event)];
    compare(`${at}: accepts`, event, ...(accepted.map(outcomeOf) as [unknown, unknown]));
    own = attempt(before, () => interpreted((asked) => interpreter.step(machine, before, event, asked)));
    const from = remembered.snapshot;
    byXState += callsDuring(() => void (remembered = attempt(from, () => macrostep(machine, from, event))));
    compare(at, event, own.shown, remembered.shown);
    steps++;
    if (own.shown.error !== undefined) failed++;
    if (random.below(10) > 0) continue;
    const { snapshot } = own;
    own.snapshot = interpreter.restore(machine, snapshot.value, snapshot.context);
    remembered.snapshot = restore(machine, snapshot);
  }
  return { steps, failed, byXState };
}

function outcomeOf(ask: () => boolean): boolean | string {
  try {
    return ask();
  } catch (error) {
    return (error as Error).message;
  }
}

/** Walks over all samples of a chart, and what they come to together. */
export function lockSteps(
  name: string,
  machine: AnyStateMachine,
  samples: readonly ChartSamples[],
  walks: number,
  length: number,
): Walked {
  const random = new Random(1, `lock-step of ${name}`);
  const total = { steps: 0, failed: 0, byXState: 0 };
  for (const sample of samples) {
    for (let i = 0; i < walks; i++) {
      const walked = lockStep(name, machine, sample, random, length);
      total.steps += walked.steps;
      total.failed += walked.failed;
      total.byXState += walked.byXState;
    }
  }
  return total;
}
