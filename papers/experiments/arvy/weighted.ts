/** Theorem 7: the bridge on rings with weights, against an adversary that knows all trees. */
import { Random } from '../../../network/random.js';
import type { Table, TableCell } from '../experiment.js';
import { worstCycle } from './adversary.js';
import { chain, costOf, type JsonObject } from './run.js';

export function weightedRing(weights: readonly number[]): JsonObject {
  const nodes = weights.map((_, i) => `n${i}`);
  return { nodes, links: weights.map((weight, i) => [`n${i}`, `n${(i + 1) % weights.length}`, weight]) };
}

/** Ratio of the worst cycle of requests that the adversary can repeat forever; the directory itself must pay the same. */
export function worstOn(weights: readonly number[], policy: 'bridge' | 'arrow'): number {
  const ring = weightedRing(weights);
  const { from, requests, ratio } = worstCycle(ring, policy === 'bridge' ? { policy } : { policy, ...chain(weights.length) });
  const paid = costOf(ring, from, requests).ratio;
  if (Math.abs(paid - ratio) > 1e-9) throw new Error(`The directory pays ${paid} on ${weights.join()}, not ${ratio}.`);
  return ratio;
}

/** A long edge is a path of unit edges whose inner nodes make no requests, so four nodes repeat the tight cycle of a ring of n. */
const tight = (n: number): readonly number[] => [n / 2 - 1, 1, n / 2 - 1, 1];

function randomRings(n: number, count: number): readonly (readonly number[])[] {
  const random = new Random(n, 'weighted rings');
  return Array.from({ length: count }, () => Array.from({ length: n }, () => random.pick([0.5, 1, 2, 3, 5, 8, 20])));
}

/** Rings with an edge that weighs more than all others together. */
const heavy = (n: number): readonly number[] => [...Array.from({ length: n - 1 }, () => 1), 3 * n];

const COUNT = 20;

export function weightedTable(): Table {
  const five = { expected: 5, check: 'atMost' } as const;
  const worst = (rings: readonly (readonly number[])[], policy: 'bridge' | 'arrow') =>
    Math.max(...rings.map((ring) => worstOn(ring, policy)));
  const row = (label: string, rings: readonly (readonly number[])[], known: Partial<TableCell> = five) => ({
    label,
    cells: [{ value: worst(rings, 'bridge'), ...known }, { value: worst(rings, 'arrow') }],
  });
  return {
    title: 'Theorem 7: an adversary that knows all trees, on rings with weights. Worst cost of sequential requests without end',
    columns: ['', 'bridge', 'arrow'],
    rows: [
      ...[8, 64, 256, 1024].map((n) => row(`weights ${tight(n).join(', ')}`, [tight(n)], { expected: (5 * n - 6) / (n + 2) })),
      ...[4, 5, 6, 7].map((n) => row(`${n} nodes, ${COUNT} rings with random weights from 0.5 to 20`, randomRings(n, COUNT))),
      ...[4, 6].map((n) => row(`${n} nodes, one edge of ${3 * n}, others of 1`, [heavy(n)])),
    ],
    note: 'Exact, and paid by the directory itself. The bound of 5 holds on all of them, and the first rows tend to it.',
  };
}
