/** Compares initial trees of the directory by cost: Arrow always keeps its tree, and Ivy changes it with each request. */
import { startTree, startTrees, stretchOf } from '../../../machines/directory/start-trees.js';
import { Random } from '../../../network/random.js';
import { createTopology } from '../../../network/topology/index.js';
import { createMetric } from '../../../network/topology/metric.js';
import type { Table } from '../experiment.js';
import { costOf, type JsonObject } from './run.js';

const GRAPHS: Readonly<Record<string, JsonObject>> = {
  'ring of 16': { kind: 'ring', n: 16 },
  'grid 4 × 4': { kind: 'grid', rows: 4, columns: 4 },
  'geometric, 16 nodes': { kind: 'geometric', n: 16, radius: 0.4, seed: 1 },
};
const REQUESTS = 1000;

const LABELS = { shortest: 'shortest paths', lightest: 'least weight', lowStretch: 'low stretch' };

export function treesTable(): Table {
  const rows = Object.entries(GRAPHS).flatMap(([label, shape]) => {
    const { nodes, links } = createTopology(shape);
    const graph = createMetric({ nodes, links });
    const root = nodes[0]!;
    const random = new Random(1, 'requests of trees');
    const load = Array.from({ length: REQUESTS }, () => random.below(nodes.length));
    const stretches = startTrees.map((tree) => {
      const parents = startTree(tree, root, graph);
      return stretchOf(
        links.filter(([u, v]) => parents[u] === v || parents[v] === u),
        links,
      );
    });
    return startTrees.map((tree, i) => {
      const ratio = (policy: string) => costOf(shape, { policy, root, tree }, load).ratio;
      const least = tree === 'lowStretch' ? { expected: Math.min(...stretches), check: 'atMost' as const } : {};
      return {
        label: `${label}, ${LABELS[tree]}`,
        cells: [{ value: stretches[i]!, ...least }, { value: ratio('arrow') }, { value: ratio('ivy') }],
      };
    });
  });
  return {
    title: `The tree at the start: its mean stretch, and the ratio of ${REQUESTS} uniform requests`,
    columns: ['', 'mean stretch', 'arrow', 'ivy'],
    rows,
    note: 'Arrow always pays for its tree; Ivy replaces it. A scenario names its tree by `tree`, or gives it by `parents`.',
  };
}
