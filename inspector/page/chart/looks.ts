/** How charts are looked at: how large, what is folded in them, what is sought, and what is painted on them. */
import { signal } from '@preact/signals';
import type { Chart } from '../../model/chart.js';
import { aroundPart, partsWith, type ChartPart } from '../../model/chart-search.js';
import type { FoldedPaths } from '../../model/fold.js';

/** Times the size at which the chart fits its panel. */
export const zoom = signal(1);
/** By the name of the chart. */
const folded = signal<ReadonlyMap<string, FoldedPaths>>(new Map());
export const soughtText = signal('');
/** Whether charts show how often each of their parts was visited. */
export const showsHeat = signal(false);
/** Whether all nodes are shown, by their states, in place of the selected one. */
export const showsAll = signal(false);

const NOTHING: FoldedPaths = new Set();

export const foldedIn = (chart: Chart): FoldedPaths => folded.value.get(chart.name) ?? NOTHING;

export function toggleFold(chart: Chart, path: string): void {
  const paths = new Set(foldedIn(chart));
  if (!paths.delete(path)) paths.add(path);
  folded.value = new Map(folded.value).set(chart.name, paths);
}

export const foundIn = (chart: Chart): ReadonlySet<ChartPart> => partsWith(chart, soughtText.value);

/** Unfolds whatever hides a part that is sought. */
export function unfoldFound(chart: Chart): void {
  const paths = new Set(foldedIn(chart));
  for (const part of foundIn(chart)) for (const path of aroundPart(chart, part)) paths.delete(path);
  folded.value = new Map(folded.value).set(chart.name, paths);
}
