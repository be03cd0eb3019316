/**
 * The worst that requests one after the other can do to a policy: an adversary that knows all trees.
 *
 * Between two requests the directory is a tree of pointers to the holder, and which request comes next is the adversary's choice. So the
 * trees are the states of a graph whose edges are requests, each with its find cost and its share of the optimum, and what the adversary
 * can make of it for ever is the cycle with the greatest ratio of the two. On a small network that is found exactly: every tree that
 * can be reached is asked every request on the directory itself, and the ratio is raised from cycle to cycle until none is better.
 */
import { costOf, type DirectoryCost } from './run.js';

type Json = Readonly<Record<string, unknown>>;

/** One request at one tree. */
export interface AdversaryRequest {
  readonly node: number;
  readonly to: number;
  readonly cost: number;
  readonly opt: number;
}

export interface Worst {
  /** The options of a directory with the tree in which the cycle begins. */
  readonly from: Json;
  /** Find cost over the optimum, of the cycle alone. */
  readonly ratio: number;
  readonly cost: number;
  readonly opt: number;
  /** The requests of the cycle, as numbers of nodes. */
  readonly requests: readonly number[];
  /** Trees that can be reached. */
  readonly trees: number;
}

/** The worst cycle of requests that a policy can be led into from its start. */
export function worstCycle(topology: Json, nodes: number, start: Json): Worst {
  const trees = everyTree(topology, nodes, start);
  const graph = trees.map(({ requests }) => requests);
  let worst: Worst = { ratio: 0, cost: 0, opt: 0, requests: [], from: start, trees: trees.length };
  for (;;) {
    const cycle = cycleAbove(worst.ratio, graph);
    if (!cycle) return worst;
    const sum = (of: (request: AdversaryRequest) => number) => cycle.reduce((total, request) => total + of(request), 0);
    const [cost, opt] = [sum((request) => request.cost), sum((request) => request.opt)];
    const from = trees[cycle.at(-1)!.to]!.options;
    worst = { ...worst, ratio: cost / opt, cost, opt, requests: cycle.map(({ node }) => node), from };
  }
}

/** All trees that requests lead to, each as the options of a directory that begins with it, and where each request leads from it. */
export function everyTree(
  topology: Json,
  nodes: number,
  start: Json,
): readonly { readonly options: Json; readonly requests: readonly AdversaryRequest[] }[] {
  const known = new Map<string, number>();
  const trees: { options: Json; requests: AdversaryRequest[] }[] = [];
  const numberOf = (options: Json): number => {
    const key = JSON.stringify(options);
    if (!known.has(key)) known.set(key, trees.push({ options, requests: [] }) - 1);
    return known.get(key)!;
  };
  const begun = costOf(topology, start, []);
  const after = ({ parents, bridgeOwner, holder }: DirectoryCost): Json => ({
    policy: start['policy'],
    root: holder,
    parents,
    ...(bridgeOwner === null ? {} : { bridgeOwner }),
  });
  numberOf(after(begun));
  for (const { options, requests } of trees) {
    for (let node = 0; node < nodes; node++) {
      const asked = costOf(topology, options, [node]);
      requests.push({ node, to: numberOf(after(asked)), cost: asked.findCost, opt: asked.opt });
    }
  }
  return trees;
}

/** A cycle whose cost exceeds `ratio` times its optimum, by the longest walks of Bellman and Ford; none where there is none. */
function cycleAbove(ratio: number, graph: readonly (readonly AdversaryRequest[])[]): readonly AdversaryRequest[] | undefined {
  const gain = ({ cost, opt }: AdversaryRequest) => cost - ratio * opt;
  const most = new Float64Array(graph.length);
  const via: ({ readonly from: number; readonly request: AdversaryRequest } | undefined)[] = [];
  for (let round = 0, last = -1; round <= graph.length; round++, last = -1) {
    for (const [from, requests] of graph.entries()) {
      for (const request of requests) {
        if (most[from]! + gain(request) <= most[request.to]! + 1e-9) continue;
        most[request.to] = most[from]! + gain(request);
        via[request.to] = { from, request };
        last = request.to;
      }
    }
    if (last < 0) return undefined;
    const cycle = cycleTo(last, via);
    if (cycle) return cycle;
  }
  return undefined;
}

/** Back from a tree along the requests that led to it, the requests of a cycle if there is one. */
function cycleTo(
  tree: number,
  via: readonly ({ readonly from: number; readonly request: AdversaryRequest } | undefined)[],
): AdversaryRequest[] | undefined {
  const passed = new Map<number, number>();
  const way: AdversaryRequest[] = [];
  for (let at = tree; via[at]; at = via[at]!.from) {
    if (passed.has(at)) return way.slice(passed.get(at)).toReversed();
    passed.set(at, way.length);
    way.push(via[at]!.request);
  }
  return undefined;
}
