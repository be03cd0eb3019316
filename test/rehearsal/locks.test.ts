/** Locks as they ship, over the hub and the mesh as they ship, in a world. */
import { expect, test } from 'vitest';
import { locksUnder, shippedFrom } from './locks.fixture.js';
import { invariant, lockJudges } from './judges.js';
import { rehearse } from './rehearse.js';

const shipped = await shippedFrom((path) => import(/* @vite-ignore */ `../../adapters/${path}.js`));

test.each([
  ['hub', 'shipped'],
  ['sealed', 'small'],
  ['mesh', 'small'],
] as const)('over %s with %s limits: the same seed has the same log, byte for byte', async (over, limits) => {
  const { options, main } = locksUnder(shipped, [over]);
  // Each is run twice and compared, as the first run of a rehearsal is: four runs of one seed.
  const reports = [];
  const fences: number[] = [];
  const noted = invariant('fences', ({ history }) => {
    for (const { type, fence } of history) if (type === 'grant') fences.push(fence as number);
    return true;
  });
  const judges = [...lockJudges(), noted];
  for (const seed of [5, 5])
    reports.push(await rehearse({ ...options, peers: 3, seconds: 8, runs: 1, seed, limits: [limits], judges }, main));
  const [one, again] = reports;
  expect(one!.failure).toBeNull();
  expect(one!.counts['grant']).toBeGreaterThan(3);
  expect(one!.digest).toBe(again!.digest);
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
