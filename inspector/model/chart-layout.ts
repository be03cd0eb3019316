/** The places of a chart's states and transitions, computed by ELK: in a worker for the page, in the same thread for tests. */
import type { ElkExtendedEdge, ElkNode } from 'elkjs/lib/elk-api.js';
import { layoutGraphOf, nodeId, WORDS_GAP, wordsHeight, type LayoutGraph } from './chart-graph.js';
import { notesOf } from './chart-words.js';
import { fillRegions } from './chart-regions.js';
import {
  PAD,
  type Box,
  type ChartLayout,
  type ChartPoint,
  type Measure,
  type PlacedEdge,
  type PlacedState,
  type Size,
} from './chart-shapes.js';
import { isOuter, type Chart } from './chart.js';
import { fold, type FoldedPaths } from './fold.js';

/** A function that computes the coordinates of a graph, such as ELK's `layout`. */
export type LayoutEngine = (graph: ElkNode) => Promise<ElkNode>;

export interface LayoutOptions {
  readonly measure?: Measure;
  readonly folded?: FoldedPaths;
}

export const estimate: Measure = (text, size) => text.length * (size === 'name' ? 8.5 : 7.2);

export async function layOutChart(
  whole: Chart,
  engine: LayoutEngine,
  { measure = estimate, folded = new Set() }: LayoutOptions = {},
): Promise<ChartLayout> {
  const shown = fold(whole, folded);
  const extraWidths = new Map<string, number>();
  for (let pass = 1; ; pass++) {
    const drawn = layoutGraphOf(shown, measure, extraWidths);
    const layout = placed(shown.chart, drawn, await engine(drawn.graph));
    const heads = layout.states.map((state) => headPlace(state, drawn.heads.get(state.state.path)!, layout));
    const crossed = heads.flatMap(({ widen }, i) => (widen === null ? [] : [[layout.states[i]!.state.path, widen] as const]));
    if (crossed.length === 0 || pass === PASSES_MAX)
      return { ...layout, states: layout.states.map((state, i) => ({ ...state, wordsX: heads[i]!.x })) };
    for (const [path, width] of crossed) extraWidths.set(path, (extraWidths.get(path) ?? 0) + width);
  }
}

/** The most passes of the layout. A state whose words are crossed by lines is made wider, and the chart is laid out again. */
const PASSES_MAX = 3;

function placed(chart: Chart, drawn: LayoutGraph, graph: ElkNode): ChartLayout {
  const boxes = boxesOf(graph);
  return fillRegions({
    width: graph.width!,
    height: graph.height!,
    states: placeStates(chart, boxes, drawn),
    edges: placeEdges(drawn, new Map((graph.edges ?? []).map((edge) => [edge.id, edge]))),
    forks: [...drawn.forks].map(([id, transition]) => ({ ...boxes.get(id)!, transition })),
    separators: [],
  });
}

/**
 * The place of a state's words: at its left border, or to the right of the lines that cross its head. `widen` is the missing width, if any.
 */
function headPlace({ x, y, width, state }: PlacedState, head: Size, { edges }: ChartLayout): { x: number; widen: number | null } {
  const left = x + PAD;
  if (state.children.length === 0) return { x: left, widen: null };
  const crossings = edges
    .flatMap(({ points }) => points.slice(1).map((to, i) => [points[i]!, to] as const))
    .filter(
      ([from, to]) => Math.abs(from.x - to.x) < 0.5 && Math.min(from.y, to.y) < y + head.height && Math.max(from.y, to.y) > y,
    )
    .map(([from]) => from.x)
    .filter((at) => at > x && at < x + width)
    .sort((a, b) => a - b);
  const begins = [left, ...crossings.map((at) => at + PAD / 2)];
  const isClear = (begin: number) => {
    const end = begin + head.width - PAD;
    return end <= x + width && crossings.every((at) => at < begin || at > end);
  };
  const begin = begins.find(isClear);
  return begin === undefined ? { x: left, widen: begins.at(-1)! + head.width - x - width } : { x: begin, widen: null };
}

function boxesOf(graph: ElkNode): ReadonlyMap<string, Box> {
  const boxes = new Map<string, Box>();
  const visit = ({ id, x = 0, y = 0, width = 0, height = 0, children = [] }: ElkNode): void => {
    boxes.set(id, { x, y, width, height });
    children.forEach(visit);
  };
  visit(graph);
  return boxes;
}

function placeStates(chart: Chart, boxes: ReadonlyMap<string, Box>, { internal }: LayoutGraph): PlacedState[] {
  const initials = new Set([...chart.states.values()].map(({ initial }) => initial));
  return [...chart.states.values()].map((state) => ({
    ...boxes.get(nodeId(state.path))!,
    state,
    wordsX: 0,
    isInitial: initials.has(state.path),
    isCollapsed: isOuter(state) && state.children.length === 0,
    notes: notesOf(state),
    internal: internal.get(state.path) ?? [],
  }));
}

function placeEdges({ bundles }: LayoutGraph, placed: ReadonlyMap<string, ElkExtendedEdge>): PlacedEdge[] {
  return bundles.flatMap((bundle) => {
    const { sections = [], labels = [] } = placed.get(bundle[0]!.id)!;
    const [words] = labels;
    const points = sections.flatMap(({ startPoint, bendPoints = [], endPoint }) =>
      straightened([startPoint, ...bendPoints, endPoint]),
    );
    let y = words?.y ?? 0;
    return bundle.map((edge) => {
      const { lines, transition, target } = edge;
      const height = wordsHeight(edge);
      const label = words ? { lines, x: words.x!, y, width: words.width!, height } : null;
      y += height + WORDS_GAP;
      return { transition, points, label, hasArrow: !target.startsWith('fork ') };
    });
  });
}

/** ELK rounds the places where lines meet the border of an outer state: the ends move by up to a pixel, and lines lean. */
function straightened(points: readonly ChartPoint[]): ChartPoint[] {
  const upright = (end: ChartPoint, next: ChartPoint) => ({
    x: Math.abs(end.x - next.x) < 1 ? next.x : end.x,
    y: Math.abs(end.y - next.y) < 1 ? next.y : end.y,
  });
  const [first, last] = [upright(points[0]!, points[1]!), upright(points.at(-1)!, points.at(-2)!)];
  return points.length === 2 ? [first, points[1]!] : [first, ...points.slice(1, -1), last];
}
