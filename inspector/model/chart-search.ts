/** Searches a chart: finds the states and transitions whose text contains the search text, ignoring case. */
import type { Chart, ChartTransition } from './chart.js';
import { notesOf } from './chart-words.js';

/** A part of a chart: the dotted path of a state, or a transition. */
export type ChartPart = string | ChartTransition;

export function partsWith(chart: Chart, sought: string): ReadonlySet<ChartPart> {
  const text = sought.trim().toLowerCase();
  if (text === '') return new Set();
  const holds = (words: readonly (string | null)[]) => words.some((word) => word?.toLowerCase().includes(text));
  const states = [...chart.states.values()]
    .filter((state) => state.path !== '' && holds([state.path, state.description, ...notesOf(state)]))
    .map(({ path }) => path);
  const transitions = chart.transitions.filter(({ label, guard, actions, description }) =>
    holds([label, guard, description, ...actions]),
  );
  return new Set<ChartPart>([...states, ...transitions]);
}

/** The paths of the states that contain a part, the innermost first. */
export function aroundPart(chart: Chart, part: ChartPart): string[] {
  const paths: string[] = [];
  const start = typeof part === 'string' ? chart.states.get(part)!.parent : part.source;
  for (let path = start; path !== null && path !== ''; path = chart.states.get(path)?.parent ?? null) paths.push(path);
  return paths;
}
