/** Compares two versions of a chart: finds the states and transitions of one that are missing or different in the other. */
import type { Chart, ChartState, ChartTransition } from './chart.js';
import type { ChartPart } from './chart-search.js';

export function partsMissingIn(chart: Chart, other: Chart): ReadonlySet<ChartPart> {
  const states = new Set([...other.states.values()].map(stateText));
  const transitions = new Set(other.transitions.map(transitionText));
  return new Set<ChartPart>([
    ...[...chart.states.values()].filter((state) => state.path !== '' && !states.has(stateText(state))).map(({ path }) => path),
    ...chart.transitions.filter((transition) => !transitions.has(transitionText(transition))),
  ]);
}

const stateText = ({ children: _, ...state }: ChartState): string => JSON.stringify(state);

const transitionText = ({ index: _, ...transition }: ChartTransition): string => JSON.stringify(transition);
