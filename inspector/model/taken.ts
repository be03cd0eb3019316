/**
 * The transitions that a step took, and those whose guards refused, as its line records them.
 *
 * Lines of old traces, and of programs that report only states, lack them. There the event and the states before and after determine which
 * transitions are possible. If there is only one and no guard is in doubt, it was taken; otherwise all are listed as possible.
 */
import type { StateValue } from 'xstate';
import { answers } from '../../network/world/selections.js';
import type { StepLine } from '../../network/trace.js';
import { transitionKey, type Chart, type ChartTransition } from './chart.js';
import { activePaths, valueText } from './values.js';

export interface TransitionsOfStep {
  readonly taken: readonly ChartTransition[];
  readonly refused: readonly ChartTransition[];
  /** The step took at most one of these. The trace does not record which. */
  readonly possible: readonly ChartTransition[];
}

export const NOTHING_TAKEN: TransitionsOfStep = { taken: [], refused: [], possible: [] };

const byKey = new WeakMap<Chart, ReadonlyMap<string, ChartTransition>>();

function keyed(chart: Chart): ReadonlyMap<string, ChartTransition> {
  let known = byKey.get(chart);
  if (!known) {
    known = new Map(chart.transitions.map((one) => [transitionKey(one.source, one.event, one.index), one] as const));
    byKey.set(chart, known);
  }
  return known;
}

/** The transitions of a role's chart in a line, or `null` if the line does not contain transitions. */
export function reportedBy(
  { taken, refused = [] }: Pick<StepLine, 'taken' | 'refused'>,
  role: string,
  chart: Chart,
): TransitionsOfStep | null {
  if (!taken) return null;
  const find = ([of, state, event, index]: NonNullable<StepLine['taken']>[number]): readonly ChartTransition[] => {
    const found = of === role ? keyed(chart).get(transitionKey(state, event, index)) : undefined;
    return found ? [found] : [];
  };
  return { taken: taken.flatMap(find), refused: refused.flatMap(find), possible: [] };
}

/** The transitions that are possible; `event` is `null` where another role took the event first. */
export function guessed(chart: Chart, event: string | null, before: StateValue | null, after: StateValue): TransitionsOfStep {
  if (before === null) return NOTHING_TAKEN;
  const moved = valueText(before) !== valueText(after);
  const active = activePaths(before);
  const reached = activePaths(after);
  const fits = ({ source, targets, event: descriptor }: ChartTransition) =>
    (source === '' || active.has(source)) &&
    (event === null || answers(descriptor, event)) &&
    targets.every((target) => reached.has(target) || chart.states.get(target)?.kind === 'history') &&
    (!moved || targets.length > 0);
  const candidates = innermost(chart.transitions.filter(fits));
  const [only] = candidates;
  const isCertain = candidates.length === 1 && event !== null && (moved || only!.guard === null);
  return isCertain ? { ...NOTHING_TAKEN, taken: candidates } : { ...NOTHING_TAKEN, possible: candidates };
}

/** An inner state takes an event before the states around it. */
function innermost(transitions: readonly ChartTransition[]): readonly ChartTransition[] {
  return transitions.filter(
    ({ source }) => !transitions.some((other) => other.source !== source && isInside(other.source, source)),
  );
}

const isInside = (path: string, around: string): boolean => around === '' || path.startsWith(`${around}.`);
