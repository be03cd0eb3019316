/**
 * The worst sequence of requests for a policy: an adversary that knows all trees.
 *
 * Between two requests the directory is a tree of pointers to the holder, and the adversary chooses the next request. So the trees are the
 * states of a graph whose edges are requests, each with its find cost and its share of the optimum. The adversary repeats the cycle with
 * the greatest ratio of the two. On a small network that cycle is found exactly: every request is tried in every reachable tree, and the
 * ratio is raised from cycle to cycle until none is better. A larger network has too many trees, so only the best few of all ways are
 * followed: the result is bad, and worse cycles may exist.
 */
import type { Policy } from '../../../machines/directory/policies.js';
import { SingleRequests, type Pointers } from './pointers.js';
import type { JsonObject } from './run.js';

export type PolicyStart = JsonObject & { readonly policy: Policy };

/** A request that the adversary makes at one tree. */
export interface AdversaryRequest {
  readonly node: number;
  readonly to: number;
  readonly cost: number;
  readonly opt: number;
}

export interface Worst {
  /** Options of a directory whose initial tree is that of the cycle. */
  readonly from: JsonObject;
  /** Find cost over the optimum, of the cycle without its approach. */
  readonly ratio: number;
  readonly cost: number;
  readonly opt: number;
  /** The requests of the cycle, as numbers of nodes. */
  readonly requests: readonly number[];
}

type Cycle = readonly Pick<AdversaryRequest, 'node' | 'cost' | 'opt'>[];

interface Found {
  readonly cycle: Cycle;
  readonly from: JsonObject;
}

const worstOf = ({ cycle, from }: Found): Worst => {
  const cost = cycle.reduce((total, request) => total + request.cost, 0);
  const opt = cycle.reduce((total, request) => total + request.opt, 0);
  return { ratio: opt === 0 ? 0 : cost / opt, cost, opt, requests: cycle.map(({ node }) => node), from };
};

/** Raises the ratio from cycle to cycle, until `above` finds no worse one. */
function raise(known: Worst, above: (ratio: number) => Found | undefined): Worst {
  let worst = known;
  for (let found = above(worst.ratio); found; found = above(worst.ratio)) worst = worstOf(found);
  return worst;
}

/** The worst cycle of requests that a policy can reach from its start. */
export function worstCycle(topology: JsonObject, start: PolicyStart): Worst {
  const trees = everyTree(topology, start);
  const graph = trees.map(({ requests }) => requests);
  return raise(worstOf({ cycle: [], from: start }), (ratio) => {
    const cycle = cycleAbove(ratio, graph);
    return cycle && { cycle, from: trees[cycle.at(-1)!.to]!.options() };
  });
}

/** All reachable trees, each as the options of a directory that starts with it, and the next tree for each request. */
export function everyTree(
  topology: JsonObject,
  start: PolicyStart,
): readonly { readonly options: () => JsonObject; readonly requests: readonly AdversaryRequest[] }[] {
  const directory = new SingleRequests(topology, start.policy);
  const known = new Map<string, number>();
  const trees: { pointers: Pointers; options: () => JsonObject; requests: AdversaryRequest[] }[] = [];
  const numberOf = (pointers: Pointers): number => {
    const key = keyOf(pointers);
    if (!known.has(key)) {
      trees.push({ pointers, options: () => directory.optionsOf(pointers), requests: [] });
      known.set(key, trees.length - 1);
    }
    return known.get(key)!;
  };
  numberOf(directory.start(start));
  for (const { pointers, requests } of trees) {
    for (const node of pointers.parents.keys()) {
      const { cost, opt, after } = directory.request(pointers, node);
      requests.push({ node, to: numberOf(after), cost, opt });
    }
  }
  return trees;
}

const keyOf = ({ parents, bridgeOwner }: Pointers): string => `${parents.join()} ${bridgeOwner}`;

/** A cycle whose cost exceeds `ratio` times its optimum, by the longest paths of Bellman and Ford, if any. */
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

/** Follows the requests back from a tree; returns those of a cycle, if there is one. */
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

export interface AdversaryBounds {
  /** Numbers of paths followed at a time, tried in order, because fewer sometimes find more. */
  readonly widths: readonly number[];
  /** Maximum number of requests of a path. */
  readonly length: number;
  /** Sequences with a known high cost. */
  readonly known: readonly (readonly number[])[];
}

/** A path through the trees: the last request, and the path before it. */
interface Way {
  readonly pointers: Pointers;
  readonly key: string;
  readonly gain: number;
  readonly last: { readonly node: number; readonly cost: number; readonly opt: number } | null;
  readonly before: Way | null;
}

/**
 * A bad cycle of requests on a network with too many trees for the exact search: the known bad requests, repeated, or worse. From the
 * start, only the best few of all ways are followed.
 */
export function badCycle(topology: JsonObject, start: PolicyStart, { widths, length, known }: AdversaryBounds): Worst {
  const directory = new SingleRequests(topology, start.policy);
  const first = directory.start(start);
  const found = (way: Way): Found => ({ cycle: cycleOf(way), from: directory.optionsOf(way.pointers) });
  const repeated = known.map((requests) => worstOf(found(repeat(requests, first, directory))));
  const worst = repeated.reduce((a, b) => (b.ratio > a.ratio ? b : a));
  return raise(worst, (ratio) => {
    for (const width of widths) {
      const end = wayRound(ratio, first, directory, width, length);
      if (end) return found(end);
    }
    return undefined;
  });
}

/** Limit of repetitions, because some policies return to a tree only after a very long time. */
const ROUNDS_MAX = 50;

/** Repeats the requests until they start at a tree at which they have started before. */
function repeat(requests: readonly number[], pointers: Pointers, directory: SingleRequests): Way {
  let way: Way = { pointers, key: keyOf(pointers), gain: 0, last: null, before: null };
  for (const begun = new Set<string>(); !begun.has(way.key) && begun.size < ROUNDS_MAX;) {
    begun.add(way.key);
    for (const node of requests) way = step(way, node, 0, directory);
  }
  return way;
}

function step(before: Way, node: number, ratio: number, directory: SingleRequests): Way {
  const { cost, opt, after } = directory.request(before.pointers, node);
  return { pointers: after, key: keyOf(after), gain: before.gain + cost - ratio * opt, last: { node, cost, opt }, before };
}

/** A path that returns to one of its trees with a cost of more than `ratio` times the optimum in between. */
function wayRound(ratio: number, pointers: Pointers, directory: SingleRequests, width: number, length: number): Way | undefined {
  let ways: readonly Way[] = [{ pointers, key: keyOf(pointers), gain: 0, last: null, before: null }];
  for (let far = 0; far < length; far++) {
    const best = new Map<string, Way>();
    for (const before of ways) {
      for (const node of pointers.parents.keys()) {
        if (node === before.pointers.holder) continue;
        const way = step(before, node, ratio, directory);
        const earlier = sameTree(way);
        if (earlier && way.gain > earlier.gain + 1e-9) return way;
        const other = best.get(way.key);
        if (!other || other.gain < way.gain) best.set(way.key, way);
      }
    }
    ways = [...best.values()].sort((a, b) => b.gain - a.gain).slice(0, width);
  }
  return undefined;
}

/** The earlier position of a path at its current tree. */
function sameTree({ key, before }: Way): Way | null {
  let at = before;
  while (at && at.key !== key) at = at.before;
  return at;
}

/** The requests between two visits of a path to its current tree. */
function cycleOf(end: Way): Cycle {
  const earlier = sameTree(end);
  if (!earlier) return [];
  const requests: Cycle[number][] = [];
  for (let at = end; at !== earlier; at = at.before!) requests.push(at.last!);
  return requests.toReversed();
}
