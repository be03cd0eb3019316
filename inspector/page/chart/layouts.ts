/** Layouts of charts, each computed once, in the worker, when it is first shown. */
import { signal, type Signal } from '@preact/signals';
import { layOutChart } from '../../model/chart-layout.js';
import type { ChartLayout, Size } from '../../model/chart-shapes.js';
import { depthOf, type Chart } from '../../model/chart.js';
import type { FoldedPaths } from '../../model/fold.js';
import { elkInWorker } from './engine.js';
import { measure } from './measure.js';
import { thrownText } from '../../../machines/errors.js';

/** Larger charts and deeper ones take too long to lay out. */
export const CHART_STATES_MAX = 1_000;
export const CHART_DEPTH_MAX = 50;

export const isTooLarge = (chart: Chart): boolean => chart.states.size > CHART_STATES_MAX || depthOf(chart) > CHART_DEPTH_MAX;

/** The error message of the last layout that failed. */
export const layoutError = signal<string | null>(null);

const known = new WeakMap<Chart, Map<string, Signal<ChartLayout | null>>>();
/** While another layout is made, the last one of the chart stays. */
const last = new WeakMap<Chart, ChartLayout>();

/** The scale at which a layout fills a panel. */
export const fittingScale = (layout: ChartLayout, panel: Size): number =>
  Math.min(panel.width / layout.width, panel.height / layout.height);

/** The layout of a chart with these states folded, or `null` until the worker has computed it. */
export function layoutOf(chart: Chart, folded: FoldedPaths): ChartLayout | null {
  if (isTooLarge(chart)) return null;
  const layouts = known.get(chart) ?? new Map<string, Signal<ChartLayout | null>>();
  known.set(chart, layouts);
  const key = [...folded].sort().join('\n');
  let made = layouts.get(key);
  if (!made) {
    made = signal(null);
    layouts.set(key, made);
    void make(chart, folded, made);
  }
  const layout = made.value ?? last.get(chart) ?? null;
  if (layout) last.set(chart, layout);
  return layout;
}

async function make(chart: Chart, folded: FoldedPaths, made: Signal<ChartLayout | null>): Promise<void> {
  try {
    made.value = await layOutChart(chart, elkInWorker, { measure, folded });
    layoutError.value = null;
  } catch (error) {
    layoutError.value = thrownText(error);
  }
}
