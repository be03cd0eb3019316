/** Locks as they ship, over the hub and the mesh as they ship, in a world. */
import { expect, test } from 'vitest';
import { locksUnder, shippedFrom } from '../../testing/rehearsal/locks.js';
import { invariant, lockJudges } from './judges.js';
import { rehearse } from './rehearse.js';

const shipped = await shippedFrom((path) => import(/* @vite-ignore */ `../../adapters/${path}.js`));

test.each([
  ['hub', 'shipped'],
  ['sealed', 'small'],
  ['mesh', 'small'],
  ['nats', 'shipped'],
  ['mqtt', 'small'],
] as const)('over %s with %s limits: the same seed has the same log, byte for byte', async (over, limits) => {
  const { options, main } = locksUnder(shipped, [over]);
  // The first run of a rehearsal is run twice and compared.
  const fences: number[] = [];
  const noted = invariant('fences', ({ history }) => {
    for (const { type, fence } of history) if (type === 'grant') fences.push(fence as number);
    return true;
  });
  const judges = [...lockJudges(), noted];
  const report = await rehearse({ ...options, peers: 3, seconds: 6, runs: 1, seed: 6, limits: [limits], judges }, main);
  expect(report.failure).toBeNull();
  expect(report.counts['grant']).toBeGreaterThan(3);
  // Eight numbers to an epoch instead of eight thousand: an epoch is the milliseconds of a clock, times that.
  const digits = Math.max(...fences).toString(2).length;
  expect(limits === 'small' ? digits < 40 : digits > 45, `fences of ${digits} bits`).toBe(true);
});

test('another seed has another log', async () => {
  const { options, main } = locksUnder(shipped);
  const digests = new Set<string>();
  for (const seed of [1, 2]) digests.add((await rehearse({ ...options, peers: 3, seconds: 1, runs: 1, seed }, main)).digest);
  expect(digests.size).toBe(2);
});
