/**
 * Which transition a step took: a trace tells the event and the states before and after, and the chart what could lead from one to the
 * other. Guards are functions that a trace does not hold, so several candidates can remain; all of them are returned.
 */
import type { StateValue } from 'xstate';
import type { Chart, ChartTransition } from './chart.js';
import { activePaths, valueText } from './values.js';

export function takenTransitions(
  chart: Chart,
  event: string | null,
  before: StateValue | null,
  after: StateValue,
): readonly ChartTransition[] {
  if (before === null)
    return chart.transitions.filter(({ event, source, targets }) => event === '' && entered(targets, source, after));
  const active = activePaths(before);
  const moved = valueText(before) !== valueText(after);
  const enabled = chart.transitions.filter(({ source }) => source === '' || active.has(source));
  const fits = ({ targets, source }: ChartTransition) => (moved ? entered(targets, source, after) : staysPut(targets, after));
  const byEvent = enabled.filter((transition) => (event === null || answers(transition.event, event)) && fits(transition));
  return innermost(byEvent.length > 0 ? byEvent : moved ? enabled.filter(fits) : []);
}

/** XState's descriptors: an exact type, `*`, or a prefix such as `link.*`. */
function answers(descriptor: string, event: string): boolean {
  if (descriptor === event || descriptor === '*') return true;
  return descriptor.endsWith('.*') && (event === descriptor.slice(0, -2) || event.startsWith(descriptor.slice(0, -1)));
}

const entered = (targets: readonly string[], source: string, after: StateValue): boolean => {
  const active = activePaths(after);
  return (
    targets.length > 0 &&
    targets.every((target) => active.has(target)) &&
    !(targets.length === 1 && targets[0] === source && source === '')
  );
};

const staysPut = (targets: readonly string[], after: StateValue): boolean => {
  const active = activePaths(after);
  return targets.every((target) => active.has(target));
};

/** An inner state answers an event before the states around it do. */
function innermost(transitions: readonly ChartTransition[]): readonly ChartTransition[] {
  return transitions.filter(
    ({ source }) => !transitions.some((other) => other.source !== source && isInside(other.source, source)),
  );
}

const isInside = (path: string, around: string): boolean => around === '' || path.startsWith(`${around}.`);
