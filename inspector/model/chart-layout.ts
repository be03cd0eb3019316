/**
 * Where the states and transitions of a chart are drawn.
 *
 * dagre nests states within states but cannot route an edge that ends on a compound one, so a transition is routed between leaves (a
 * compound state stands for its initial leaf) and its line is then cut at the border of the state that it names. What stays in its
 * state is listed inside of the box, as in UML.
 */
import { graphlib, layout as dagre } from '@dagrejs/dagre';
import {
  FOLD_WIDTH,
  LINE_HEIGHT,
  NAME_HEIGHT,
  SCALE_READABLE,
  type Box,
  type ChartLayout,
  type Label,
  type Measure,
  type PlacedEdge,
  type PlacedState,
  type ChartPoint,
} from './chart-shapes.js';
import { fold, type FoldedChart, type FoldedPaths } from './fold.js';
import { isOuter, notesOf, wrap, type Chart, type ChartState, type ChartTransition } from './chart.js';

export interface Style {
  /** `stacked`: downward, and the regions of a parallel state one below the other. */
  readonly direction: 'TB' | 'LR' | 'stacked';
  readonly actions: boolean;
}

const PAD = 12;
/** Below this scale words are hard to read: rather leave the actions out. */
const SCALE_MIN = 0.85;

export const estimate: Measure = (text, size) => text.length * (size === 'name' ? 7.4 : 6.3);

const NOTHING_FOLDED: FoldedPaths = new Set();

export function layOutChart(whole: Chart, style: Style, measure: Measure = estimate, folded = NOTHING_FOLDED): ChartLayout {
  const { chart, seen } = fold(whole, folded);
  const { internal, edges, heads, graph } = buildGraph({ chart, seen }, style, measure);
  dagre(graph);
  const boxes = placeStates(chart, graph, internal, heads);
  const routed = edges.map(({ label, source, target, name }): PlacedEdge => {
    const { points, x, y } = graph.edge(name) as unknown as ChartPoint & { points: ChartPoint[] };
    return { label, points: cut(points, boxes.get(source)!, boxes.get(target)!), at: { x, y } };
  });
  const states = [...chart.states.keys()].flatMap((path) => boxes.get(path) ?? []);
  return atOrigin({ notes: notesOf(chart.root), always: internal.get('') ?? [], states, edges: routed }, measure);
}

export interface ChartPanel {
  readonly width: number;
  readonly height: number;
}

/** Gives for a panel the layout that fills it best: with the actions where they remain readable, else without. Each is made once. */
export function fitChart(chart: Chart, measure: Measure = estimate, folded = NOTHING_FOLDED): (panel: ChartPanel) => ChartLayout {
  const made = new Map<string, ChartLayout>();
  const layoutIn = (style: Style): ChartLayout => {
    const name = `${style.direction} ${style.actions}`;
    const layout = made.get(name) ?? layOutChart(chart, style, measure, folded);
    made.set(name, layout);
    return layout;
  };
  return (panel) => {
    const scale = ({ width, height }: ChartLayout) => Math.min(panel.width / width, panel.height / height);
    // What is too large to be read at once is read downward.
    const isBetter = (one: ChartLayout, other: ChartLayout) =>
      Math.max(scale(one), scale(other)) < SCALE_READABLE
        ? Math.min(panel.width / one.width, 1) > Math.min(panel.width / other.width, 1)
        : scale(one) > scale(other);
    let best: ChartLayout | null = null;
    for (const actions of [true, false]) {
      for (const direction of ['TB', 'LR', 'stacked'] as const) {
        const layout = layoutIn({ direction, actions });
        if (!best || isBetter(layout, best)) best = layout;
        if (scale(best) >= 1) return best;
      }
      if (scale(best!) >= SCALE_MIN) break;
    }
    return best!;
  };
}

interface Routed {
  readonly label: Label;
  readonly source: string;
  readonly target: string;
  readonly name: { v: string; w: string; name: string };
}

function buildGraph({ chart, seen }: FoldedChart, { direction, actions }: Style, measure: Measure) {
  const graph = new graphlib.Graph({ multigraph: true, compound: true });
  graph.setGraph({ rankdir: direction === 'LR' ? 'LR' : 'TB', nodesep: 18, ranksep: 26, edgesep: 8 });
  const internal = new Map<string, Label[]>();
  const edges: Routed[] = [];
  for (const [index, transition] of chart.transitions.entries()) {
    const source = seen(transition.source);
    const targets = [...new Set(transition.targets.map(seen))];
    // A line from a state back to itself is hard to follow; as a word it is not.
    const isInternal = source === '' || targets.every((target) => leafOf(chart, target) === leafOf(chart, source));
    const label = labelOf(transition, actions, isInternal);
    if (isInternal) internal.set(source, [...(internal.get(source) ?? []), label]);
    else
      for (const target of targets)
        edges.push({
          label,
          source,
          target,
          name: { v: leafOf(chart, source), w: leafOf(chart, target), name: `${index} ${target}` },
        });
  }
  const heads = new Map<string, Size>();
  for (const state of chart.states.values()) heads.set(state.path, headSize(state, internal.get(state.path) ?? [], measure));
  for (const { path, parent, children } of chart.states.values()) {
    if (path === '') continue;
    if (children.length > 0) graph.setNode(path, {});
    else graph.setNode(path, leafSize(chart, path, heads));
    if (parent) graph.setParent(path, parent);
  }
  for (const { label, name } of edges) {
    const width = Math.max(...label.lines.map((line) => measure(line, 'label'))) + 6;
    graph.setEdge(name.v, name.w, { width, height: label.lines.length * LINE_HEIGHT + 2, labelpos: 'c' }, name.name);
  }
  if (direction === 'stacked') stackRegions(chart, graph);
  return { graph, internal, edges, heads };
}

/** An invisible line from every leaf of a region to the next region puts that one below. */
function stackRegions(chart: Chart, graph: graphlib.Graph): void {
  for (const { kind, children } of chart.states.values()) {
    if (kind !== 'parallel') continue;
    for (const [i, region] of children.slice(1).entries()) {
      const first = leafOf(chart, region.path);
      for (const leaf of leavesIn(children[i]!)) graph.setEdge(leaf, first, { weight: 0 }, `below ${leaf}`);
    }
  }
}

const leavesIn = (state: ChartState): string[] => (state.children.length === 0 ? [state.path] : state.children.flatMap(leavesIn));

/** Where one is after entering a state. */
function leafOf(chart: Chart, path: string): string {
  const state = chart.states.get(path)!;
  const inner = state.initial !== null && chart.states.has(state.initial) ? state.initial : state.children[0]?.path;
  return inner === undefined ? path : leafOf(chart, inner);
}

type Size = Pick<Box, 'width' | 'height'>;

/** What the states around say needs room above their first leaf. */
function leafSize(chart: Chart, path: string, heads: ReadonlyMap<string, Size>): Size {
  const { width, height } = heads.get(path)!;
  return { width, height: height + roomAbove(chart, path, heads) };
}

function roomAbove(chart: Chart, path: string, heads: ReadonlyMap<string, Size>): number {
  const around = chart.states.get(path)!.parent;
  if (!around || leafOf(chart, around) !== leafOf(chart, path)) return 0;
  return heads.get(around)!.height + roomAbove(chart, around, heads);
}

/** The name and all words of a state. */
function headSize(state: ChartState, internal: readonly Label[], measure: Measure): Size {
  const lines = [...notesOf(state), ...internal.flatMap((label) => label.lines)];
  const name = measure(state.key, 'name') + (isOuter(state) ? FOLD_WIDTH : 0);
  const width = Math.max(name, ...lines.map((line) => measure(line, 'label'))) + 2 * PAD;
  return { width: Math.max(width, 60), height: NAME_HEIGHT + lines.length * LINE_HEIGHT + (lines.length > 0 ? 8 : 4) };
}

/** Leaves where dagre put them; around them each compound state, with room for its name. */
function placeStates(
  chart: Chart,
  graph: graphlib.Graph,
  internal: ReadonlyMap<string, readonly Label[]>,
  heads: ReadonlyMap<string, Size>,
) {
  const initials = new Set([...chart.states.values()].map(({ initial }) => initial));
  const boxes = new Map<string, PlacedState>();
  const place = (state: ChartState): PlacedState => {
    const labels = internal.get(state.path) ?? [];
    const own = heads.get(state.path)!;
    const box = state.children.length > 0 ? around(state.children.map(place), own) : leafBox(chart, graph, state.path, heads);
    const placed = { ...box, state, internal: labels, notes: notesOf(state), isInitial: initials.has(state.path) };
    boxes.set(state.path, placed);
    return placed;
  };
  for (const child of chart.root.children) place(child);
  return boxes;
}

function leafBox(chart: Chart, graph: graphlib.Graph, path: string, heads: ReadonlyMap<string, Size>): Box {
  const { x, y } = graph.node(path) as ChartPoint;
  const { width, height } = heads.get(path)!;
  return { x: x - width / 2, y: y - height / 2 + roomAbove(chart, path, heads) / 2, width, height };
}

function around(children: readonly Box[], own: Size): Box {
  const left = Math.min(...children.map(({ x }) => x)) - PAD;
  const top = Math.min(...children.map(({ y }) => y)) - own.height;
  const right = Math.max(...children.map(({ x, width }) => x + width)) + PAD;
  const bottom = Math.max(...children.map(({ y, height }) => y + height)) + PAD;
  return { x: left, y: top, width: Math.max(right - left, own.width), height: bottom - top };
}

/** Cuts a line between leaves where it leaves the source and where it enters the target. */
function cut(points: readonly ChartPoint[], source: Box, target: Box): ChartPoint[] {
  const leaving = cutEnd([...points].reverse(), source).reverse();
  return cutEnd(leaving, target);
}

/** The line up to where it enters a box for good; the whole line when it runs inside. */
function cutEnd(points: readonly ChartPoint[], box: Box): ChartPoint[] {
  let last = points.length - 1;
  while (last >= 0 && holds(box, points[last]!)) last--;
  if (last < 0) return [...points];
  const outside = points[last]!;
  const inside = points[last + 1] ?? { x: box.x + box.width / 2, y: box.y + box.height / 2 };
  return [...points.slice(0, last + 1), crossing(box, outside, inside)];
}

const holds = ({ x, y, width, height }: Box, point: ChartPoint): boolean =>
  point.x >= x && point.x <= x + width && point.y >= y && point.y <= y + height;

/** Where the line between a point outside of a box and one inside crosses the border. */
function crossing(box: Box, outside: ChartPoint, inside: ChartPoint): ChartPoint {
  let [near, far] = [inside, outside];
  for (let halving = 0; halving < 20; halving++) {
    const middle = { x: (near.x + far.x) / 2, y: (near.y + far.y) / 2 };
    if (holds(box, middle)) near = middle;
    else far = middle;
  }
  return far;
}

/** Moves everything so that the picture begins at 0, 0. */
function atOrigin(parts: Pick<ChartLayout, 'notes' | 'always' | 'states' | 'edges'>, measure: Measure): ChartLayout {
  const words = [...parts.notes, ...parts.always.flatMap(({ lines }) => lines)];
  const xs = [
    ...parts.states.flatMap(({ x, width }) => [x, x + width]),
    ...parts.edges.flatMap(({ points }) => points.map(({ x }) => x)),
  ];
  const ys = [
    ...parts.states.flatMap(({ y, height }) => [y, y + height]),
    ...parts.edges.flatMap(({ points }) => points.map(({ y }) => y)),
  ];
  for (const { at, label } of parts.edges) {
    const width = Math.max(...label.lines.map((line) => measure(line, 'label')));
    xs.push(at.x - width / 2, at.x + width / 2);
  }
  if (xs.length === 0) return { ...parts, width: 0, height: 0 };
  const by = { x: PAD - Math.min(...xs), y: PAD - Math.min(...ys) + words.length * LINE_HEIGHT };
  const move = <P extends ChartPoint>(point: P): P => ({ ...point, x: point.x + by.x, y: point.y + by.y });
  return {
    notes: parts.notes,
    always: parts.always,
    states: parts.states.map(move),
    edges: parts.edges.map((edge) => ({ ...edge, points: edge.points.map(move), at: move(edge.at) })),
    width: Math.max(...xs) + by.x + PAD,
    height: Math.max(...ys) + by.y + PAD,
  };
}

/** On an edge the guard stands below the event: lines that are narrow leave room for more edges. */
function labelOf(transition: ChartTransition, withActions: boolean, isInternal: boolean): Label {
  const { source, label, guard, actions, targets, reenter } = transition;
  const head = `${label}${reenter ? ' ↻' : ''}${guard === null ? '' : `${isInternal ? ' ' : '\n'}[${guard}]`}`;
  const names = source === '' ? targets : targets.map((path) => path.slice(path.lastIndexOf('.') + 1));
  const jump = isInternal && targets.length > 0 ? ` → ${names.join(', ')}` : '';
  return { transition, lines: [...(head + jump).split('\n'), ...(withActions ? wrap(actions) : [])] };
}
