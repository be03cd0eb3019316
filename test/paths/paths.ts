/**
 * Paths through one chart: a path is a list of events from a start, with what is expected of each: the state and the effects.
 *
 * Shortest and simple paths are those of `xstate/graph`, over a graph that is bounded already (see graph.ts). Shortest paths reach
 * every state but need not take every transition, and simple ones are too many for all states, so both are joined by a tour.
 */
import { fromTransition, type SnapshotFrom, type StateValue } from 'xstate';
import { getShortestPaths, getSimplePaths, type TraversalOptions } from 'xstate/graph';
import type { Effect, Message } from '../../machines/effects.js';
import type { ChartGraph, Edge, Vertex } from './graph.js';

/** The state of a chart and its effects after a step. */
export interface Expected {
  readonly value: StateValue;
  readonly context: unknown;
  readonly effects: readonly Effect[];
}

export interface PathStep {
  readonly event: Message;
  readonly expected: Expected;
}

/**
 * A list of events for one chart, and what is expected at the start and after each of them.
 *
 * @public
 */
export interface Path {
  readonly chart: string;
  readonly input: unknown;
  readonly first: Expected;
  readonly steps: readonly PathStep[];
}

/** Simple paths grow with the factorial of the states; these many keep them to some hundreds. */
const SIMPLE_STATES_MAX = 5;

export const pathKinds = ['shortest', 'simple', 'tour'] as const;
export type PathKind = (typeof pathKinds)[number];

/**
 * Paths of one kind through a graph, except those that are the beginning of another. `shortest` leads to every state. `simple` visits no
 * state twice (among the first five states). A `tour` takes every step that covers an item.
 *
 * @example
 * ```ts
 * import { directory } from 'xstate-quiver/machines';
 * import { graphsOf, pathsOf } from 'xstate-quiver/check';
 *
 * const [graph] = graphsOf(directory, 40);
 * console.log(pathsOf(graph!, 'tour').map(({ steps }) => steps.map(({ event }) => event.type).join(' ')));
 * ```
 * @public
 */
export function pathsOf(graph: ChartGraph<string>, kind: PathKind): readonly Path[] {
  return waysOf(graph, kind).map((edges) => pathOf(graph, edges));
}

/** The generated paths as lists of edges of the graph. */
export function waysOf(graph: ChartGraph<string>, kind: PathKind): readonly (readonly Edge<string>[])[] {
  return withoutBeginnings(edgesOf[kind](graph));
}

const edgesOf: Readonly<Record<PathKind, (graph: ChartGraph<string>) => readonly (readonly Edge<string>[])[]>> = {
  shortest: (graph) => getShortestPaths(logicOf(graph), traversal(Infinity)).map(walkedEdges),
  simple: (graph) => getSimplePaths(logicOf(graph), traversal(SIMPLE_STATES_MAX)).map(walkedEdges),
  tour: tourOf,
};

export function pathOf({ chart, input, first, effects }: ChartGraph<string>, edges: readonly Edge<string>[]): Path {
  const expected = ({ value, context }: Vertex<string>, effects: readonly Effect[]) => ({ value, context, effects });
  const steps = edges.map(({ event, effects, to }) => ({ event, expected: expected(to, effects) }));
  return { chart, input, first: expected(first, effects), steps };
}

/** A vertex as `xstate/graph` wants a snapshot, and an edge as it wants an event. */
interface GraphState {
  readonly vertex: Vertex<string>;
}
interface GraphEvent {
  readonly type: string;
  readonly edge: Edge<string>;
}

const logicOf = ({ first }: ChartGraph<string>) =>
  fromTransition((_: GraphState, { edge }: GraphEvent): GraphState => ({ vertex: edge.to }), { vertex: first });

type Traversal = TraversalOptions<SnapshotFrom<ReturnType<typeof logicOf>>, GraphEvent, never>;

/** Between two states one step is enough, and none leads on from a state to itself. */
const traversal = (statesMax: number): Traversal => ({
  serializeState: ({ context: { vertex } }) => `state ${vertex.index}`,
  serializeEvent: ({ type }) => type,
  events: ({ context: { vertex } }) => {
    const edges = [...(vertex.edges?.values() ?? [])].filter(({ to }) => to !== vertex && to.index < statesMax);
    const targets = new Map(edges.map((edge) => [edge.to, edge]));
    return [...targets.values()].map((edge) => ({ type: `to ${edge.to.index}`, edge }));
  },
});

/** The first step of a path of `xstate/graph` is its beginning. */
const walkedEdges = ({ steps }: { readonly steps: readonly { readonly event: GraphEvent }[] }): Edge<string>[] =>
  steps.slice(1).map(({ event }) => event.edge);

/** Paths as a tree: the continuations of each path. */
interface Branches extends Map<Edge<string>, Branches> {}

function withoutBeginnings(paths: readonly (readonly Edge<string>[])[]): readonly (readonly Edge<string>[])[] {
  const tree: Branches = new Map();
  const along = (branches: Branches, edge: Edge<string>): Branches => {
    const next: Branches = branches.get(edge) ?? new Map<Edge<string>, Branches>();
    branches.set(edge, next);
    return next;
  };
  const ends = paths.map((path) => path.reduce(along, tree));
  return paths.filter((_, i) => ends[i]!.size === 0 || paths.length === 1);
}

/**
 * A transition tour: a small number of walks that cover each item of the graph's steps: transitions, guards both ways, events. The tour
 * takes the shortest way to a step that covers a new item, and starts again if there is none.
 */
function tourOf({ first, vertices }: ChartGraph<string>): readonly (readonly Edge<string>[])[] {
  const open = new Set<string>();
  for (const { edges } of vertices) for (const { items } of edges?.values() ?? []) for (const item of items) open.add(item);
  const walks: Edge<string>[][] = [[]];
  let here = first;
  for (;;) {
    const way = wayToNews(here, open);
    if (way) {
      walks.at(-1)!.push(...way);
      for (const { items } of way) for (const item of items) open.delete(item);
      here = way.at(-1)!.to;
    } else if (here !== first) {
      here = first;
      walks.push([]);
    } else {
      return walks.filter((walk, i) => walk.length > 0 || i === 0);
    }
  }
}

/** The shortest way from here whose last step covers an uncovered item. */
function wayToNews(from: Vertex<string>, open: ReadonlySet<string>): Edge<string>[] | null {
  const cameBy = new Map<Vertex<string>, { edge: Edge<string>; before: Vertex<string> } | null>([[from, null]]);
  for (const vertex of cameBy.keys()) {
    for (const edge of vertex.edges?.values() ?? []) {
      if ([...edge.items].some((item) => open.has(item))) return [...wayTo(vertex, cameBy), edge];
      if (!cameBy.has(edge.to)) cameBy.set(edge.to, { edge, before: vertex });
    }
  }
  return null;
}

function wayTo(
  vertex: Vertex<string>,
  cameBy: ReadonlyMap<Vertex<string>, { edge: Edge<string>; before: Vertex<string> } | null>,
): Edge<string>[] {
  const way: Edge<string>[] = [];
  for (let step = cameBy.get(vertex); step; step = cameBy.get(step.before)) way.unshift(step.edge);
  return way;
}
