/** A lock that nobody wants costs nothing beyond its epoch: in epochs with little room, so that two hundred names take many of them. */
import { expect, onTestFinished, test } from 'vitest';
import { keptAt, manyNames } from './forgetting.fixture.js';
import { peers } from './peers.fixture.js';

const LIMITS = Symbol.for('xstate-quiver.limits');

test('200 names in turn: what peers keep is bounded by the room of an epoch, and whoever holds a lock keeps it', async () => {
  (globalThis as Record<symbol, unknown>)[LIMITS] = 'small';
  onTestFinished(() => {
    delete (globalThis as Record<symbol, unknown>)[LIMITS];
  });
  const [all] = await peers('a', 'b', 'c');
  const everybody = Object.values(all);
  const held = await Promise.all(everybody.map((locks) => locks.acquire(`kept by ${locks.node.id}`)));
  const first = everybody[0]!.status().epoch;
  const kept: number[] = [];
  await manyNames(everybody, 200, 10, () => kept.push(...everybody.map(keptAt)));
  expect(everybody[0]!.status().epoch - first).toBeGreaterThan(5);
  // Room for eight locks, and three that are held, with a role and three entries each, and a handful of roles that are always there.
  expect(Math.max(...kept)).toBeLessThan(60);
  expect(held.map(({ signal }) => signal.aborted)).toEqual([false, false, false]);
});
