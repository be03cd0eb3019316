/** The mutants of one chart: the chart with one small edit each. */
import type { AnyStateMachine } from 'xstate';
import { chartOf, configOf } from '../charts/config.js';
import { editsOf, type Operator } from './operators.js';
import { diff, linesOf } from './render.js';

/**
 * A chart with one mistake in it, what was changed where, and the change as lines of a diff.
 *
 * @public
 */
export interface Mutant {
  readonly chart: string;
  readonly operator: Operator;
  readonly place: string;
  /** The transition whose two actions were swapped. */
  readonly swapped?: string;
  /** The reason why it is equivalent, if the chart itself shows it. */
  readonly idle?: string;
  readonly machine: AnyStateMachine;
  readonly diff: readonly string[];
}

/** A mutant may go round in circles within one step; no chart of sense takes as many microsteps. */
const MICROSTEPS_MAX = 1000;

export function mutantsOfChart(chart: string, machine: AnyStateMachine): readonly Mutant[] {
  const original = configOf(machine);
  const before = linesOf(original);
  return editsOf(machine, original).map(({ operator, place, swapped, idle, apply }) => {
    const config = configOf(machine);
    apply(config);
    const edited = chartOf({ ...config, options: { maxIterations: MICROSTEPS_MAX } }, machine);
    return {
      chart,
      operator,
      place,
      ...(swapped !== undefined && { swapped }),
      ...(idle !== undefined && { idle }),
      machine: edited,
      diff: diff(before, linesOf(config)),
    };
  });
}

/** The reason why a survivor with swapped actions is equivalent: both orders had the same result in every step. */
export const commuting = (steps: number): string | undefined =>
  steps === 0 ? undefined : `both orders do the same in every step that performs them (${steps})`;

export const nameOf = ({ operator, place }: Mutant): string => `${operator} ${place}`;
