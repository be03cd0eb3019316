/** Shared parts of the election's tables: cells, means, and random graphs. */
import { Random } from '../../../network/random.js';
import type { Topology } from '../../../machines/protocol.js';
import type { TableCell } from '../experiment.js';
import { topologyOf } from './run.js';

export const exact = (value: number, expected: number): TableCell => ({ value, expected });
export const roundedCell = (value: number): TableCell => ({ value: Math.round(value * 100) / 100 });
export const near = (value: number, expected: number, within: number): TableCell => ({
  ...roundedCell(value),
  expected,
  check: { within },
});

export const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;

/** A random geometric graph with about ten neighbors for each node. */
export const randomGeometric = (n: number, seed: number): Topology =>
  topologyOf({ kind: 'geometric', n, radius: Math.sqrt(10 / (Math.PI * n)), seed });

export const GRAPHS = 10;
export const seeds = Array.from({ length: GRAPHS }, (_, i) => i + 1);

export function someLinks({ links }: Topology, share: number, seed: number): (readonly [string, string])[] {
  const random = new Random(seed, 'lost links');
  const chosen = random.shuffle(links).slice(0, Math.round(share * links.length));
  return chosen.map(([u, v]) => [u, v] as const);
}
