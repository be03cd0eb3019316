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
import { createMetric } from '../../network/topology/metric.js';
import { Forest, isSpanningTree } from '../../machines/forest.js';
import type { Topology } from '../../machines/protocol.js';
import type { Table } from '../experiment.js';
import { costOf } from './run.js';

type Edge = readonly [NodeId, NodeId, number];
type Shape = Readonly<Record<string, unknown>>;

/** By shortest paths from a root. */
export function shortestPaths(root: NodeId, topology: Topology): Edge[] {
  const parents = parentsOf(root, topology);
  return topology.links.filter(([u, v]) => parents[u] === v || parents[v] === u);
}

/** Kruskal: the lightest links that close no cycle. */
export function leastWeight({ nodes, links }: Topology): Edge[] {
  const forest = new Forest(nodes);
  return links.toSorted(([, , a], [, , b]) => a - b).filter(([u, v]) => forest.join(u, v));
}

export function meanStretch(tree: readonly Edge[], { nodes, links }: Topology): number {
  const { distance } = createMetric({ nodes, links: tree });
  return links.reduce((sum, [u, v, weight]) => sum + distance(u, v) / weight, 0) / links.length;
}

export function lowStretch(topology: Topology): Edge[] {
  const { nodes, links } = topology;
  const stretch = (tree: readonly Edge[]) => meanStretch(tree, topology);
  const isTree = (edges: readonly Edge[]) =>
    isSpanningTree(
      nodes,
      edges.map(([u, v]) => [u, v] as const),
    );
  let best = nodes.map((node) => shortestPaths(node, topology)).reduce((a, b) => (stretch(b) < stretch(a) ? b : a));
  for (let improved = true; improved;) {
    improved = false;
    for (const link of links.filter((other) => !best.includes(other))) {
      for (const gone of best) {
        const swapped = [...best.filter((edge) => edge !== gone), link];
        if (!isTree(swapped) || stretch(swapped) >= stretch(best) - 1e-9) continue;
        best = swapped;
        improved = true;
        break;
      }
    }
  }
  return best;
}

/** Each node's next one on its shortest path to the root, as the option `parents` of a directory. */
export function parentsOf(root: NodeId, topology: Topology): Record<NodeId, NodeId> {
  const { path } = createMetric(topology);
  return Object.fromEntries(topology.nodes.map((node) => [node, path(root, node)!.at(-2) ?? root]));
}

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
      const ratio = (policy: string) =>
        costOf(shape, { policy, root, parents: parentsOf(root, { nodes, links: tree }) }, load).ratio;
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
