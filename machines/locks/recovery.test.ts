/** The state after a forced recovery is above everything that the voter knows, and promises nothing to others. */
import { expect, test } from 'vitest';
import type { Standing } from './knowledge.js';
import { firstMembership } from './membership.js';
import { largestEpochOf, recovered } from './recovery.js';

const list = firstMembership(['a', 'b', 'c']);
const later = (version: number) => ({ ...list, version, voters: ['b', 'c'] });
const ballot = (epoch: number, version: number) => ({ epoch, proposer: 'b', members: ['b', 'c'], next: later(version) });

test.each([
  ['promised', 9, 40, { promised: ballot(9, 40) }],
  ['pending', 8, 50, { pending: [ballot(8, 50), ballot(7, 60)], promised: null }],
  ['served', 5, 30, { served: { epoch: 5, members: ['b'], kept: [], membership: later(30) } }],
])('the largest known epoch or list was %s', (_, epoch, version, known) => {
  const kept = [{ lock: 'x', fence: 9, node: 'b', client: 'web' }];
  const served = { epoch: 4, members: ['a', 'b'], kept, membership: list };
  const standing: Standing = { memory: 'new', promised: null, pending: [], membership: list, served, ...known };
  expect(largestEpochOf(standing)).toBe(epoch);
  const { membership, promised, pending, served: before, memory } = recovered('a', standing);
  expect(membership).toEqual({ voters: ['a'], origin: list.origin, version: expect.any(Number) });
  expect(membership.version).toBeGreaterThan(version + 1_000);
  expect(promised).toMatchObject({ proposer: 'a', members: ['a'], next: membership });
  expect(promised!.epoch).toBeGreaterThan(epoch + 1_000_000);
  expect([pending, before.kept, memory]).toEqual([[], [], 'known']);
});
