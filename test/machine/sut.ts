/** Runs a system under test next to the machine: performs each step on it and checks it in each state. A reference can predict both. */
import type { AnyMachineSnapshot } from 'xstate';
import { UsageError, thrownText } from '../../machines/errors.js';
import type { MachineStep } from './options.js';
import { describeStep, nameOfStep } from './steps.js';

/** Functions that perform a step on the system under test, by event type or by the name of a step. `*` is for all others. */
export type StepTests<Sut> = Readonly<Record<string, (sut: Sut, step: any) => unknown>>;

/** Checks of the system under test, by the name of a state: `paying`, `paying.card`, `paying.*`; `*` for all. */
export type StateTests<Sut> = Readonly<Record<string, (sut: Sut, snapshot: AnyMachineSnapshot) => unknown>>;

/** A simpler equivalent of the machine: a model with its own state, created for every path. */
export interface Reference<State = unknown> {
  start(): State;
  /** The state after a step. */
  step(state: State, step: MachineStep): State;
  /** Compares machine and reference. False or a thrown error is a failure. */
  agrees(state: State, snapshot: AnyMachineSnapshot): boolean | void;
}

/** Performs a step on the system under test, with the function for the step's name, for its event type, or for `*`. */
export async function execute<Sut>(exec: StepTests<Sut> | undefined, sut: Sut, step: MachineStep): Promise<void> {
  if (!exec) return;
  const payload = 'event' in step ? step.event : step;
  const type = 'event' in step ? step.event.type : '';
  const act = exec[describeStep(step)] ?? exec[nameOfStep(step)] ?? exec[type] ?? exec['*'];
  await act?.(sut, payload);
}

/** The check of a state that fails: the rule names the state. */
export class FailedCheck extends Error {
  constructor(
    readonly rule: string,
    message: string,
  ) {
    super(message);
  }
}

/**
 * Runs all checks of the active states: those of the option `states`, and `meta.test` of every running chart.
 *
 * @throws FailedCheck for the first that gives false or throws.
 */
export async function assertStates<Sut>(
  tests: StateTests<Sut> | undefined,
  sut: Sut,
  charts: readonly (readonly [name: string, snapshot: AnyMachineSnapshot])[],
): Promise<void> {
  for (const [i, [chart, snapshot]] of charts.entries())
    for (const node of snapshot._nodes) {
      const name = node.path.join('.');
      const where = i === 0 ? name : `${chart}: ${name}`;
      for (const [pattern, check] of i === 0 ? Object.entries(tests ?? {}) : [])
        if (name !== '' && matches(pattern, name)) await hold(where, () => check(sut, snapshot));
      const { test }: { test?: (sut: unknown, snapshot: AnyMachineSnapshot) => unknown } = node.meta ?? {};
      if (test) await hold(where, () => test(sut, snapshot));
    }
}

async function hold(state: string, check: () => unknown): Promise<void> {
  const failed = (message: string) => new FailedCheck(state === '' ? 'check of the machine' : `check of state ${state}`, message);
  try {
    if ((await check()) !== false) return;
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw failed(thrownText(error));
  }
  throw failed('it returns false');
}

/** True if a name matches a pattern: `a.*` is everything inside `a`, `*.b` is every `b`, and `*` is everything. */
export function matches(pattern: string, name: string): boolean {
  const parts = pattern.split('*').map((part) => part.replaceAll(/[.+?^${}()|[\]\\]/g, String.raw`\$&`));
  return new RegExp(`^${parts.join('.*')}$`).test(name);
}
