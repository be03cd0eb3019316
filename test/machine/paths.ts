/** Paths as separate tests, each with a short description, like the result of `createModel` in @xstate/test. */
import type { StateValue } from 'xstate';
import type { Plan } from './run.js';
import { nameOfStep } from './steps.js';

/**
 * A path with a description and a test, to register with any runner.
 *
 * @public
 */
export interface MachinePath<Sut = any> extends Plan {
  /** The state in which the path ends, and its steps: `paid: CARD → PAY`. No two paths of one kind have the same. */
  readonly description: string;
  /**
   * Takes the path on live actors.
   *
   * @param sut The system under test, instead of a new one from `tests.sut`. `tests.cleanup` is not called for it.
   * @throws Error that describes the failure.
   */
  test(sut?: Sut): Promise<void>;
}

/** A longer path shows its first and last steps. */
const STEPS_SHOWN = 6;

export function descriptionsOf(plans: readonly Plan[]): readonly string[] {
  const counts = new Map<string, number>();
  return plans.map((plan) => {
    const description = descriptionOf(plan);
    const count = (counts.get(description) ?? 0) + 1;
    counts.set(description, count);
    return count === 1 ? description : `${description} (${count})`;
  });
}

function descriptionOf({ steps, expected }: Plan): string {
  const names = steps.map(nameOfStep);
  const left = names.length - STEPS_SHOWN;
  const shown = left > 1 ? [...names.slice(0, STEPS_SHOWN / 2), `${left} more`, ...names.slice(-STEPS_SHOWN / 2)] : names;
  const way = names.length === 0 ? 'at the start' : shown.join(' → ');
  const end = expected?.at(-1)?.value;
  return end === undefined ? way : `${stateOf(end)}: ${way}`;
}

/** `paying.card`; the regions of a parallel state are joined by `+`. */
const stateOf = (value: StateValue): string =>
  typeof value === 'string'
    ? value
    : Object.entries(value)
        .map(([name, inside]) => [name, stateOf(inside as StateValue)].filter((one) => one !== '').join('.'))
        .join(' + ');
