/**
 * The tree that a directory begins with: by shortest paths, of least weight, or of low stretch, and what that means for Arrow, which never leaves
 * it, and for Ivy, which does.
 *
 * The stretch of a link is the way between its ends along the tree over its weight; Arrow's cost against the optimum is bounded by the
 * stretch of the whole tree. A tree of low stretch is looked for by exchanging one edge at a time, from the best tree of shortest paths.
 */
import type { NodeId } from '../../machines/effects.js';
import { Random } from '../../network/random.js';
import { createTopology } from '../../network/topology/index.js';
import type { Topology } from '../../machines/protocol.js';
import type { Table } from '../experiment.js';
import { costOf } from './run.js';

type Edge = readonly [NodeId, NodeId, number];
type Shape = Readonly<Record<string, unknown>>;

/** Ways along a set of edges from one node to all that it reaches: their lengths, and the last node before each. */
function waysFrom(root: NodeId, edges: readonly Edge[]) {
  const length = new Map([[root, 0]]);
  const via = new Map([[root, root]]);
  const done = new Set<NodeId>();
  for (;;) {
    const [next] = [...length].filter(([node]) => !done.has(node)).sort(([, a], [, b]) => a - b);
    if (!next) return { length, via };
    const [node, far] = next;
    done.add(node);
    for (const [u, v, weight] of edges) {
      const peer = u === node ? v : v === node ? u : undefined;
      if (peer === undefined || far + weight >= (length.get(peer) ?? Infinity)) continue;
      length.set(peer, far + weight);
      via.set(peer, node);
    }
  }
}

export function shortestPaths(root: NodeId, { links }: Topology): Edge[] {
  const { via } = waysFrom(root, links);
  return links.filter(([u, v]) => via.get(u) === v || via.get(v) === u);
}

/** Kruskal: the lightest links that close no cycle. */
export function leastWeight({ links }: Topology): Edge[] {
  const tree: Edge[] = [];
  for (const link of links.toSorted(([, , a], [, , b]) => a - b)) {
    if (!waysFrom(link[0], tree).length.has(link[1])) tree.push(link);
  }
  return tree;
}

export function meanStretch(tree: readonly Edge[], { nodes, links }: Topology): number {
  const ways = new Map(nodes.map((node) => [node, waysFrom(node, tree).length]));
  return links.reduce((sum, [u, v, weight]) => sum + ways.get(u)!.get(v)! / weight, 0) / links.length;
}

export function lowStretch(topology: Topology): Edge[] {
  const { nodes, links } = topology;
  const stretch = (tree: readonly Edge[]) => meanStretch(tree, topology);
  let best = nodes.map((node) => shortestPaths(node, topology)).reduce((a, b) => (stretch(b) < stretch(a) ? b : a));
  for (let improved = true; improved;) {
    improved = false;
    for (const link of links.filter((other) => !best.includes(other))) {
      for (const gone of best) {
        const swapped = [...best.filter((edge) => edge !== gone), link];
        if (waysFrom(nodes[0]!, swapped).length.size < nodes.length || stretch(swapped) >= stretch(best) - 1e-9) continue;
        best = swapped;
        improved = true;
        break;
      }
    }
  }
  return best;
}

/** A tree as the option `parents` of a directory, with this root. */
export const parentsOf = (root: NodeId, tree: readonly Edge[]): Record<NodeId, NodeId> =>
  Object.fromEntries(waysFrom(root, tree).via);

const GRAPHS: Readonly<Record<string, Shape>> = {
  'ring of 16': { kind: 'ring', n: 16 },
  'grid 4 × 4': { kind: 'grid', rows: 4, columns: 4 },
  'geometric, 16 nodes': { kind: 'geometric', n: 16, radius: 0.4, seed: 1 },
};
const REQUESTS = 1000;

export function treesTable(): Table {
  const rows = Object.entries(GRAPHS).flatMap(([label, shape]) => {
    const { nodes, links } = createTopology(shape);
    const topology = { nodes, links };
    const root = nodes[0]!;
    const random = new Random(1, 'requests of trees');
    const load = Array.from({ length: REQUESTS }, () => random.below(nodes.length));
    const trees = {
      'shortest paths': shortestPaths(root, topology),
      'least weight': leastWeight(topology),
      'low stretch': lowStretch(topology),
    };
    const stretches = Object.values(trees).map((tree) => meanStretch(tree, topology));
    return Object.entries(trees).map(([name, tree], i) => {
      const ratio = (policy: string) => costOf(shape, { policy, root, parents: parentsOf(root, tree) }, load).ratio;
      const least = name === 'low stretch' ? { expected: Math.min(...stretches), check: 'atMost' as const } : {};
      return {
        label: `${label}, ${name}`,
        cells: [{ value: stretches[i]!, ...least }, { value: ratio('arrow') }, { value: ratio('ivy') }],
      };
    });
  });
  return {
    title: `The tree at the start: its mean stretch, and the ratio of ${REQUESTS} uniform requests`,
    columns: ['', 'mean stretch', 'arrow', 'ivy'],
    rows,
    note: 'Arrow pays for its tree for ever; Ivy forgets it. A scenario names its tree by `parents`.',
  };
}
