/** An unused lock costs nothing beyond its epoch: in epochs with little room, so that two hundred names take many of them. */
import { expect, test } from 'vitest';
import { withSmallLimits } from '../small-limits.fixture.js';
import { keptAt, manyNames } from './forgetting.fixture.js';
import { peers } from './peers.fixture.js';

test('200 names in turn: the state of peers is bounded, and holders keep their locks', async () => {
  withSmallLimits();
  const [all] = await peers('a', 'b', 'c');
  const allLocks = Object.values(all);
  const held = await Promise.all(allLocks.map((locks) => locks.acquire(`kept by ${locks.node.id}`)));
  const first = allLocks[0]!.status().epoch;
  const kept: number[] = [];
  await manyNames(allLocks, 200, 10, () => kept.push(...allLocks.map(keptAt)));
  expect(allLocks[0]!.status().epoch - first).toBeGreaterThan(5);
  // Room for eight locks, three held locks with a role and three entries each, and a few roles that always exist.
  expect(Math.max(...kept)).toBeLessThan(60);
  expect(held.map(({ signal }) => signal.aborted)).toEqual([false, false, false]);
});
