/** Results of the adversary for each policy: exact where all trees can be visited, otherwise the worst one found. */
import type { Table, TableCell } from '../experiment.js';
import { badCycle, worstCycle, type PolicyStart } from './adversary.js';
import { pair, sweep, tightRound } from './requests.js';
import { chain, costOf, type JsonObject } from './run.js';

/** Policies without draws: a sequence of requests leads to one tree. */
const SETTLED = ['arrow', 'ivy', 'second', 'middle'] as const;
const POLICIES = [...SETTLED, 'bridge'] as const;

type Shape = readonly [kind: string, n: number];

/** Graphs of six nodes have 7,776 trees, those of seven 117,649; Ivy reaches all of them. */
const SMALL: readonly Shape[] = [
  ...[3, 4, 5, 6].map((n) => ['ring', n] as const),
  ...['path', 'star', 'complete'].flatMap((kind) => [4, 6].map((n) => [kind, n] as const)),
];
export const OF_SEVEN: readonly Shape[] = ['ring', 'path', 'star', 'complete'].map((kind) => [kind, 7]);

const startOf = (policy: (typeof POLICIES)[number], n: number): PolicyStart =>
  policy === 'bridge' ? { policy } : { policy, ...chain(n) };

/** A row of policies. The bridge policy needs a ring. */
const rowOf = ([kind, n]: Shape, cell: (topology: JsonObject, start: PolicyStart) => TableCell) => ({
  label: `${kind}, n = ${n}`,
  cells: POLICIES.map((policy): TableCell => {
    if (policy === 'bridge' && kind !== 'ring') return { value: null };
    return cell({ kind, n }, startOf(policy, n));
  }),
});

/** Known ratios: on rings Arrow is as bad as its tree, and the bridge as its tight cycle or, on odd rings, as in the spec. */
function knownOf({ kind, n }: Readonly<Record<string, any>>, policy: string): Partial<TableCell> {
  if (kind !== 'ring') return {};
  if (policy === 'arrow') return { expected: n - 1 };
  if (policy === 'bridge' && n > 3) return { expected: n % 2 === 0 ? (5 * n - 6) / (n + 2) : (5 * n - 9) / (n + 1) };
  return policy === 'bridge' ? { expected: 5 / 3 } : {};
}

export function everyTreeTable(progress: (share: number) => void, shapes: readonly Shape[] = SMALL): Table {
  const rows = shapes.map((shape, i) => {
    progress(0.85 + i / 100);
    return rowOf(shape, (topology, start) => ({ value: worstCycle(topology, start).ratio, ...knownOf(topology, start.policy) }));
  });
  return {
    title: 'An adversary that knows all trees: the worst cost of sequential requests without end, from a chain',
    columns: ['', ...POLICIES],
    rows,
    note: 'Exact. The paper leaves open which policy is best on which graph.',
  };
}

const LARGER: readonly Shape[] = [
  ['ring', 8],
  ['ring', 16],
  ['path', 8],
  ['star', 8],
  ['complete', 8],
];

/** Each found cycle is run on the directory, which pays the same cost and ends in the initial tree. */
export function searchTable(): Table {
  const rows = LARGER.map((shape) =>
    rowOf(shape, (topology, start) => {
      const [, n] = shape;
      const known = [sweep(n), pair(n, 2), tightRound(n)];
      const { from, requests, ratio } = badCycle(topology, start, { widths: [100, 300], length: 4 * n, known });
      const paid = costOf(topology, from, requests);
      const isCycle = Object.entries(from['parents'] as object).every(([node, parent]) => paid.parents[node] === parent);
      return { value: paid.ratio, expected: isCycle ? (knownOf(topology, start.policy).expected ?? ratio) : null };
    }),
  );
  return {
    title: 'An adversary that searches: the worst cycle of requests found',
    columns: ['', ...POLICIES],
    rows,
    note: 'Paid by the directory itself. Worse there may be; on rings there is none for Arrow and the bridge.',
  };
}
