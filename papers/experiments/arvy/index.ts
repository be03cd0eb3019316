/**
 * The Arvy paper's numbers: Ivy's lower bound on the ring, Arrow's worst pair, the bridge's tight cycle, and uniform load.
 *
 * If a run here is shorter than that of the expected figure, the figure is a mean with a tolerance.
 */
import type { Experiment, Plot, Table } from '../experiment.js';
import { everyTreeTable, searchTable } from './adversary-tables.js';
import { apartTable, concurrentTable, nearestNeighborTable } from './concurrent.js';
import { arvyFigures } from './figures.js';
import { proofTable } from './proof.js';
import { pair, sweep, tightRound, uniform } from './requests.js';
import { weightedTable } from './weighted.js';
import { LONG_RUNS_UP_TO, ringTables, SIZES } from './rings.js';
import { binomialTree, costOf, onRing, type JsonObject } from './run.js';
import { recoveryTable } from '../recovery.js';
import { directory } from '../../../machines/directory/index.js';
import { proveDirectory } from '../../proofs/obligations.js';
import { hasSolver, MISSING } from '../../proofs/solver.js';
import { startTree, startTrees, stretchOf } from '../../../machines/directory/start-trees.js';
import { Random } from '../../../network/random.js';
import { createTopology } from '../../../network/topology/index.js';
import { createMetric } from '../../../network/topology/metric.js';

export const arvyPaper: Experiment = {
  name: 'arvy',
  title: 'Arvy: find cost against the optimum',
  paper: 'Khanchandani, Wattenhofer: The Arvy Distributed Directory Protocol (SPAA 2019)',
  *run(progress) {
    yield* ringTables(progress);
    yield completeTable(progress);
    yield treesTable();
    yield everyTreeTable(progress);
    yield searchTable();
    yield weightedTable();
    yield apartTable();
    yield nearestNeighborTable();
    yield concurrentTable();
    yield proofTable();
    yield everySizeTable();
    yield recoveryTable(directory);
    yield ratioPlot();
    yield* arvyFigures();
    progress(1);
  },
};

export function completeTable(progress: (share: number) => void, whole = false): Table {
  const uniformExpected: Record<number, number> = { 8: 1.7086, 16: 2.3716, 64: 3.7388, 256: 5.1001, 1024: 6.3282 };
  const rows = SIZES.filter((n) => whole || n <= LONG_RUNS_UP_TO).map((n, i) => {
    progress(0.8 + i / 20);
    const complete = { kind: 'complete', n };
    const load = uniform(n, 3000, 1);
    const random = costOf(complete, { policy: 'ivy', ...binomialTree(n) }, load);
    const deepest = costOf(complete, { policy: 'ivy', ...binomialTree(n) }, deepestFirst(n, 100));
    const cells = [
      { value: random.findMessages / load.length, expected: uniformExpected[n]!, check: { within: 0.05 } },
      { value: deepest.findMessages / 100, expected: Math.log2(n) },
      { value: Math.log2(n) },
    ];
    return { label: `n = ${n}`, cells };
  });
  return {
    title: 'Ivy on the complete graph: find messages a request',
    columns: ['', 'uniform', 'deepest node of a binomial tree first', 'log2 n'],
    rows,
    note: 'Path reversal on a binomial tree costs exactly log2 n each time when the deepest node asks.',
  };
}

/** Requests of the node that is deepest at each time, by path reversal on a plain list of parents. */
export function deepestFirst(n: number, count: number): number[] {
  const parents = Array.from({ length: n }, (_, i) => i & (i - 1));
  const pathFrom = (node: number): number[] => (parents[node] === node ? [node] : [node, ...pathFrom(parents[node]!)]);
  return Array.from({ length: count }, () => {
    const paths = parents.map((_, node) => pathFrom(node));
    const deepest = paths.reduce((a, b) => (b.length > a.length ? b : a));
    for (const node of deepest) parents[node] = deepest[0]!;
    return deepest[0]!;
  });
}

function ratioPlot(): Plot {
  const sizes = [8, 16, 32, 64, 128];
  return {
    name: 'arvy-ring',
    title: 'Worst known sequences on the unit ring',
    x: { label: 'nodes', log: true },
    y: { label: 'find cost / optimum', log: true },
    series: [
      { label: 'arrow, pair', points: sizes.map((n) => [n, onRing(n, 'arrow', pair(n, 50)).ratio] as const) },
      { label: 'ivy, sweep', points: sizes.map((n) => [n, onRing(n, 'ivy', sweep(n)).ratio] as const) },
      {
        label: 'bridge, tight cycle',
        points: sizes.map((n) => [n, onRing(n, 'bridge', Array.from({ length: 10 }, () => tightRound(n)).flat()).ratio] as const),
      },
    ],
  };
}

/** The table of proofs for Lemma 2 of the Arvy paper, for every number of nodes: how many statements the solver has proved. */
function everySizeTable(): Table {
  const title = 'Lemma 2 for every number of nodes and every policy: an inductive invariant, proved by Z3';
  const columns = ['', 'statements', 'proved'];
  if (!hasSolver()) return { title, columns, rows: [], note: MISSING };
  return {
    title,
    columns,
    rows: proveDirectory().map(({ name, questions, proved }) => ({
      label: name,
      cells: [{ value: questions }, { value: proved, expected: questions }],
    })),
    note: 'The invariant holds at the start, each rule preserves it, and Theorem 4 follows: a find meets no node twice.',
  };
}

/** Compares initial trees of the directory by cost: Arrow always keeps its tree, and Ivy changes it with each request. */
const GRAPHS: Readonly<Record<string, JsonObject>> = {
  'ring of 16': { kind: 'ring', n: 16 },
  'grid 4 × 4': { kind: 'grid', rows: 4, columns: 4 },
  'geometric, 16 nodes': { kind: 'geometric', n: 16, radius: 0.4, seed: 1 },
};
const REQUESTS = 1000;

const LABELS = { shortest: 'shortest paths', lightest: 'least weight', lowStretch: 'low stretch' };

function treesTable(): Table {
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
