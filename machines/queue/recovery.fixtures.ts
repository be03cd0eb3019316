/** Runs of the queue from arbitrary states, one for each seed. */
import { expect } from 'vitest';
import { simulateByName } from '../../testing/simulate.js';

/** Timer periods of guardians, in round trips. */
export const TAUS = [2, 3.5];

/** Corrupts twenty nodes at tick 500, and lets them request at 1200. */
export function recovers(seed: number, tau: number): void {
  const report = simulateByName({
    protocol: 'queue',
    topology: { kind: 'tree', n: 20 },
    options: { tau },
    network: { latency: { min: 1, max: 50 } },
    events: [
      { at: 0, do: 'request', node: 'n7' },
      { at: 500, do: 'corrupt' },
      ...[0, 1, 2, 3, 4, 5].map((i) => ({ at: 1200 + i, do: 'request', node: `n${3 * i}` })),
    ],
    seed,
  });
  expect(report.verdict).toBe('valid');
  expect(report.properties.every(({ holds }) => holds === true)).toBe(true);
  expect(report.summary).toMatchObject({ legal: true });
  expect((report.summary['order'] as unknown[]).length).toBe(7);
  expect(report.summary['stabilizedAtRoundTrips']).toBeGreaterThan(0);
  expect(report.summary['stabilizedAtRoundTrips']).toBeLessThanOrEqual(3 + tau);
}

export const ring = {
  protocol: 'queue',
  topology: { kind: 'ring', n: 8 },
  options: { tree: 'stabilizing' },
  network: { latency: { min: 1, max: 6 } },
};
export const ringTree = { 'n0-n1': 1, 'n1-n2': 1, 'n2-n3': 1, 'n3-n4': 1, 'n0-n7': 1, 'n7-n6': 1, 'n6-n5': 1 };

/** Lets eight nodes on a ring rebuild their tree, and their queue on it. */
export function treeForms(seed: number): void {
  const events = [
    { at: 10, do: 'corrupt' },
    { at: 600, do: 'request', node: 'n5' },
  ];
  const report = simulateByName({ ...ring, events, seed });
  expect(report.verdict).toBe('valid');
  expect(report.summary).toMatchObject({ phi: ringTree, legal: true });
  expect(report.meters[0]!.ratio).toBeLessThanOrEqual(1);
}
