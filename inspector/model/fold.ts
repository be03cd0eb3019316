/** A chart with some of its states folded: what is inside of them is not drawn, and lines from there and to there end at the folded one. */
import type { Chart, ChartState } from './chart.js';

/** Dotted paths of the states that are folded, so that their child states are not drawn. */
export type FoldedPaths = ReadonlySet<string>;

export interface FoldedChart {
  /** Its transitions are the chart's own, those within a folded state left out. */
  readonly chart: Chart;
  /** The visible state for a path: the state itself, or the outermost folded one around it. */
  readonly seen: (path: string) => string;
}

export function fold(chart: Chart, folded: FoldedPaths): FoldedChart {
  const standsFor = new Map<string, string>();
  const states = new Map<string, ChartState>();
  const visit = (state: ChartState, around: string | null): ChartState => {
    standsFor.set(state.path, around ?? state.path);
    const isFolded = state.path !== '' && folded.has(state.path);
    const inside = around ?? (isFolded ? state.path : null);
    const inner: ChartState[] = [];
    const shown = { ...state, children: inner };
    // Outer states before inner ones.
    if (around === null) states.set(state.path, shown);
    const children = state.children.map((child) => visit(child, inside));
    if (inside === null) shown.children.push(...children);
    return shown;
  };
  const root = visit(chart.root, null);
  const seen = (path: string): string => standsFor.get(path) ?? path;
  const isWithin = (source: string, targets: readonly string[]) =>
    seen(source) !== source && targets.every((target) => seen(target) === seen(source));
  const transitions = chart.transitions.filter(({ source, targets }) => !isWithin(source, targets));
  return { chart: { ...chart, root, states, transitions }, seen };
}
