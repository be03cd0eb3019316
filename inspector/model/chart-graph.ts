/**
 * A chart as a graph for ELK. States are nodes within nodes, the machine itself is the outermost one. A transition is an edge between
 * the states that its definition names, with its words on the line; one with several targets passes a fork, as in UML. A transition
 * without a target is a line of text inside its state. Transitions between the same two states share a line.
 */
import type { ElkExtendedEdge, ElkLabel, ElkNode, ElkPort, LayoutOptions } from 'elkjs/lib/elk-api.js';
import { labelOf, notesOf } from './chart-words.js';
import {
  FOLD_SIZE,
  HISTORY_WIDTH,
  INITIAL_WIDTH,
  LINE_HEIGHT,
  NAME_HEIGHT,
  PAD,
  type Label,
  type Measure,
  type Size,
} from './chart-shapes.js';
import { isOuter, type Chart, type ChartState, type ChartTransition } from './chart.js';
import type { FoldedChart } from './fold.js';

export interface GraphEdge {
  readonly id: string;
  readonly lines: readonly string[];
  readonly transition: ChartTransition;
  readonly source: string;
  readonly target: string;
}

export interface LayoutGraph {
  readonly graph: ElkNode;
  /** Transitions between the same two states are one line, with the words of each on it. */
  readonly bundles: readonly (readonly GraphEdge[])[];
  readonly forks: ReadonlyMap<string, ChartTransition>;
  readonly internal: ReadonlyMap<string, readonly Label[]>;
  /** The sizes of names and words, by the paths of their states. */
  readonly heads: ReadonlyMap<string, Size>;
}

/** The id of a state in the graph that is passed to the layout engine. */
export const nodeId = (path: string): string => `state ${path}`;

const SPACING = 20;
const FORK = { width: 44, height: 6 };

const ROOT_OPTIONS: LayoutOptions = {
  'elk.algorithm': 'layered',
  'elk.direction': 'DOWN',
  'elk.hierarchyHandling': 'INCLUDE_CHILDREN',
  'elk.edgeRouting': 'ORTHOGONAL',
  'elk.json.edgeCoords': 'ROOT',
  'elk.json.shapeCoords': 'ROOT',
  'elk.padding': '[top=8,left=8,bottom=8,right=8]',
  'elk.layered.considerModelOrder.strategy': 'NODES_AND_EDGES',
  'elk.layered.nodePlacement.strategy': 'NETWORK_SIMPLEX',
  'elk.layered.cycleBreaking.strategy': 'GREEDY_MODEL_ORDER',
};

const SPACING_OPTIONS: LayoutOptions = {
  'elk.spacing.nodeNode': `${SPACING}`,
  'elk.spacing.edgeNode': '14',
  'elk.spacing.edgeEdge': '12',
  'elk.spacing.edgeLabel': '4',
  'elk.layered.spacing.nodeNodeBetweenLayers': '24',
  'elk.layered.spacing.edgeNodeBetweenLayers': '14',
  'elk.layered.spacing.edgeEdgeBetweenLayers': '12',
};

/** @param extraWidths Room to the right of the states inside of a state, by its path. */
export function layoutGraphOf(
  { chart, seen }: FoldedChart,
  measure: Measure,
  extraWidths: ReadonlyMap<string, number>,
): LayoutGraph {
  const { internal, edges, forks } = transitionsOf(chart, seen);
  const initials = new Set([...chart.states.values()].map(({ initial }) => initial));
  const leaves = new Set(
    [...chart.states.values()].filter(({ children }) => children.length === 0).map(({ path }) => nodeId(path)),
  );
  const bundles = bundlesOf(edges);
  const forksIn = (path: string) => forks.filter(([, transition]) => commonParent(chart, seen, transition) === path);
  const heads = new Map(
    [...chart.states.values()].map((state) => [state.path, headSize(state, internal.get(state.path) ?? [], measure)]),
  );
  const node = (state: ChartState): ElkNode => {
    const head = heads.get(state.path)!;
    const inner = [...state.children.map(node), ...forksIn(state.path).map(([id]): ElkNode => ({ id, ...FORK }))];
    const isInitial = initials.has(state.path);
    const loops =
      inner.length === 0 ? edges.filter(({ source, target }) => source === nodeId(state.path) && target === source) : [];
    return {
      id: nodeId(state.path),
      ...(isInitial && { labels: [INITIAL_LABEL] }),
      ...(inner.length === 0 ? { ...withLoops(head, loops), ports: loops.flatMap(portsOf) } : { children: inner }),
      layoutOptions: {
        ...(isInitial && { 'elk.layered.layering.layerConstraint': 'FIRST' }),
        ...(loops.length > 0 && { 'elk.portConstraints': 'FIXED_SIDE' }),
        ...(inner.length > 0 && outerOptions(head, extraWidths.get(state.path) ?? 0)),
      },
    };
  };
  const graph: ElkNode = {
    id: 'page',
    layoutOptions: { ...ROOT_OPTIONS, ...SPACING_OPTIONS },
    children: [node(chart.root)],
    edges: bundles.map((bundle) => elkEdge(bundle, leaves.has(bundle[0]!.source), measure)),
  };
  return { graph, bundles, forks: new Map(forks), internal, heads };
}

/** A label keeps the place for the dot and the arrow before an initial state. */
const INITIAL_LABEL: ElkLabel = {
  text: '●',
  width: INITIAL_WIDTH,
  height: 16,
  layoutOptions: { 'elk.nodeLabels.placement': '[H_LEFT, V_TOP, OUTSIDE, H_PRIORITY]' },
};

/** The loop of a leaf begins and ends on its right, apart from other lines and from the dot of an initial state. */
const portsOf = ({ id }: GraphEdge): ElkPort[] =>
  [outOf(id), into(id)].map((port) => ({ id: port, width: 0, height: 0, layoutOptions: { 'elk.port.side': 'EAST' } }));

/** Several loops are nested: ELK distributes their ends evenly, and the words of each need room inside the next. */
function withLoops({ width, height }: Size, loops: readonly GraphEdge[]): Size {
  if (loops.length < 2) return { width, height };
  const words = Math.max(...loops.map(({ lines }) => lines.length)) * LINE_HEIGHT + 10;
  return { width, height: Math.max(height, (words * (2 * loops.length + 1)) / 3) };
}

const outOf = (edge: string): string => `${edge} out`;
const into = (edge: string): string => `${edge} in`;

const outerOptions = (head: Size, extraWidth: number): LayoutOptions => ({
  ...SPACING_OPTIONS,
  'elk.padding': `[top=${head.height + 10},left=16,bottom=16,right=${16 + extraWidth}]`,
  'elk.nodeSize.constraints': '[MINIMUM_SIZE]',
  // ELK turns a downward layout from a rightward one, and forgets to turn this size with it.
  'elk.nodeSize.minimum': `(${head.height},${head.width})`,
});

/** A transition as edges, or as words inside its state. */
function transitionsOf(chart: Chart, seen: FoldedChart['seen']) {
  const internal = new Map<string, Label[]>();
  const edges: GraphEdge[] = [];
  const forks: [id: string, transition: ChartTransition][] = [];
  const guarded = new Set<string>();
  for (const [index, transition] of chart.transitions.entries()) {
    const source = seen(transition.source);
    const choice = `${transition.source}\n${transition.event}`;
    const label = labelOf(transition, guarded.has(choice));
    if (transition.guard !== null) guarded.add(choice);
    const targets = [...new Set(transition.targets.map(seen))];
    const add = (id: string, from: string, to: string, lines: readonly string[]) =>
      edges.push({ id: `edge ${index} ${id}`, lines, transition, source: from, target: to });
    if (targets.length === 0) internal.set(source, [...(internal.get(source) ?? []), label]);
    else if (targets.length === 1) add('', nodeId(source), nodeId(targets[0]!), label.lines);
    else {
      const fork = `fork ${index}`;
      forks.push([fork, transition]);
      add('fork', nodeId(source), fork, label.lines);
      for (const target of targets) add(target, fork, nodeId(target), []);
    }
  }
  return { internal, edges, forks };
}

/** The innermost state around the source and all targets of a transition: there its fork is drawn. */
function commonParent(chart: Chart, seen: FoldedChart['seen'], { source, targets }: ChartTransition): string {
  const around = (path: string): string[] => {
    const { parent } = chart.states.get(path)!;
    return parent === null ? [path] : [path, ...around(parent)];
  };
  const others = targets.map((target) => new Set(around(seen(target))));
  const isAround = (path: string) => chart.states.get(path)!.kind !== 'parallel' && others.every((paths) => paths.has(path));
  return around(seen(source)).slice(1).find(isAround) ?? '';
}

/** Each loop keeps a separate line. */
function bundlesOf(edges: readonly GraphEdge[]): GraphEdge[][] {
  const bundles = new Map<string, GraphEdge[]>();
  for (const edge of edges) {
    const key = edge.source === edge.target ? edge.id : `${edge.source}\n${edge.target}`;
    bundles.set(key, [...(bundles.get(key) ?? []), edge]);
  }
  return [...bundles.values()];
}

/** The height of a transition's words on a line. */
export const wordsHeight = ({ lines }: GraphEdge): number => lines.length * LINE_HEIGHT + 2;
/** Between the words of two transitions that share a line. */
export const WORDS_GAP = 6;

function elkEdge(bundle: readonly GraphEdge[], isLeaf: boolean, measure: Measure): ElkExtendedEdge {
  const { id, source, target } = bundle[0]!;
  const lines = bundle.flatMap((edge) => edge.lines);
  const words = {
    text: lines.join('\n'),
    width: Math.ceil(Math.max(...lines.map((line) => measure(line, 'label')))) + 8,
    height: bundle.reduce((sum, edge) => sum + wordsHeight(edge) + WORDS_GAP, -WORDS_GAP),
    layoutOptions: { 'elk.edgeLabels.inline': 'true' },
  };
  const isLoop = source === target && isLeaf;
  const ends = isLoop ? { sources: [outOf(id)], targets: [into(id)] } : { sources: [source], targets: [target] };
  return { id, ...ends, labels: lines.length > 0 ? [words] : [] };
}

/** The size of a state's name and words. */
function headSize(state: ChartState, internal: readonly Label[], measure: Measure): Size {
  const lines = [...notesOf(state), ...internal.flatMap((label) => label.lines)];
  const name =
    measure(state.key, 'name') +
    (isOuter(state) && state.parent !== null ? FOLD_SIZE + 8 : 0) +
    (state.history ? HISTORY_WIDTH : 0);
  const width = Math.ceil(Math.max(name, ...lines.map((line) => measure(line, 'label')))) + 2 * PAD;
  return { width: Math.max(width, 64), height: NAME_HEIGHT + lines.length * LINE_HEIGHT + (lines.length > 0 ? 8 : 4) };
}
