/**
 * Thousands of locks that one peer wants at once: each costs as much as a single one. Otherwise the peer would lose its locks while it
 * computes.
 */
import { expect, test } from 'vitest';
import { claimOf, withClaim, withoutClaim, type Claim } from '../../machines/locks/knowledge.js';
import { peers } from './peers.fixture.js';

test('a claim among 4,000 is found, added and removed with a few dozen lookups', () => {
  const nameOf = (i: number) => `n${String(i).padStart(4, '0')}`;
  const claims: readonly Claim[] = Array.from({ length: 4_000 }, (_, i) => ({ lock: nameOf(i), fence: null, user: 'a' }));
  let samples = 0;
  const watched = new Proxy(claims, {
    get: (list, key: string) => {
      if (/^\d+$/.test(key)) samples++;
      return (list as any)[key] as unknown;
    },
  });
  for (const i of [0, 1_999, 3_999]) expect(claimOf({ claims: watched }, nameOf(i))).toBe(claims[i]);
  for (const lock of ['', 'n2000x', 'z']) expect(claimOf({ claims: watched }, lock)).toBeUndefined();
  expect(samples).toBeGreaterThan(0);
  expect(samples / 6).toBeLessThanOrEqual(14);
  const one = withClaim({ lock: 'n2000x', fence: null, user: 'a' }, claims);
  expect(one.map(({ lock }) => lock)).toEqual([...claims.map(({ lock }) => lock), 'n2000x'].sort());
  const granted = withClaim({ lock: 'n2000x', fence: 7, user: 'a' }, one);
  expect(granted.filter(({ lock }) => lock === 'n2000x')).toEqual([{ lock: 'n2000x', fence: 7, user: 'a' }]);
  expect(withoutClaim('n2000x', granted)).toEqual(claims);
  expect(withoutClaim('absent', claims)).toBe(claims);
});

test('1,200 names cost at most six times as much as 300, with few status updates', async () => {
  const [{ a }] = await peers('a', 'b', 'c');
  let notified = 0;
  a!.status$.subscribe(() => notified++);
  const costOf = async (count: number, round: string) => {
    const before = process.cpuUsage();
    notified = 0;
    const names = Array.from({ length: count }, (_, i) => `${round}${i}`);
    const held = await Promise.all(names.map((name) => a!.acquire(name)));
    await new Promise((resolve) => setTimeout(resolve, 5));
    for (const lock of held) lock.release();
    await new Promise((resolve) => setTimeout(resolve, 5));
    const { user, system } = process.cpuUsage(before);
    return { cpu: user + system, notified };
  };
  await costOf(100, 'warm');
  const ratios: number[] = [];
  // Other work on the machine only adds to a measurement, so the least of three is the cost of the names.
  for (const round of ['1', '2', '3']) {
    const few = await costOf(300, `few${round}-`);
    const many = await costOf(1_200, `many${round}-`);
    expect(many.notified).toBeGreaterThan(0);
    expect(many.notified).toBeLessThan(100);
    ratios.push(many.cpu / few.cpu);
  }
  expect(Math.min(...ratios)).toBeLessThan(6);
});
