/** Display options of charts: zoom, collapsed states, the text of the search, and whether visits are shown. */
import { signal } from '@preact/signals';
import { isOuter, type Chart } from '../../model/chart.js';
import { aroundPart, partsWith, type ChartPart } from '../../model/chart-search.js';
import type { FoldedPaths } from '../../model/fold.js';

/**
 * `follow`: the whole chart if its words remain readable, otherwise the part around the active states. `fit`: the whole chart. A number:
 * pixels of the screen for one of the chart.
 */
export const zoom = signal<'follow' | 'fit' | number>('follow');
/** The scale of the chart on the page, as a factor, whatever `zoom` is. */
export const shownScale = signal(1);
/** By the name of the chart. */
const folded = signal<ReadonlyMap<string, FoldedPaths>>(new Map());
export const soughtText = signal('');
/** True if charts show how often each of their parts was visited. */
export const showsHeat = signal(false);
/** True if all nodes are shown, by their states, instead of the selected one. */
export const showsAll = signal(false);

const NOTHING: FoldedPaths = new Set();

export const foldedIn = (chart: Chart): FoldedPaths => folded.value.get(chart.name) ?? NOTHING;

const setFolded = (chart: Chart, paths: FoldedPaths): void => {
  folded.value = new Map(folded.value).set(chart.name, paths);
};

export function toggleFold(chart: Chart, path: string): void {
  const paths = new Set(foldedIn(chart));
  if (!paths.delete(path)) paths.add(path);
  setFolded(chart, paths);
}

/** Collapses every state that contains others, or expands all when some are collapsed. */
export function toggleAllFolds(chart: Chart): void {
  const outer = [...chart.states.values()].filter((state) => state.path !== '' && isOuter(state)).map(({ path }) => path);
  setFolded(chart, foldedIn(chart).size > 0 ? NOTHING : new Set(outer));
}

export const foundIn = (chart: Chart): ReadonlySet<ChartPart> => partsWith(chart, soughtText.value);

/** Expands the states that hide a part that was found. */
export function unfoldFound(chart: Chart): void {
  const paths = new Set(foldedIn(chart));
  for (const part of foundIn(chart)) for (const path of aroundPart(chart, part)) paths.delete(path);
  setFolded(chart, paths);
}
