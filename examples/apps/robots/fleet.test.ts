/** The fleet: robots do not collide while the radio works, they may when it fails, and every run can be repeated from its scenario. */
import { expect, test } from 'vitest';
import { simulate } from 'xstate-quiver';
import { protocols } from 'xstate-quiver/machines';
import { run } from './fleet.js';

const fleet = { robots: 8, size: 7, ticks: 500, seed: 1 };

test('robots that lock their neighborhood do not collide, and reach their targets', () => {
  const { collisions, moves, trips, report, scenario } = run({ ...fleet, isCareful: false });
  expect(collisions).toEqual([]);
  expect(moves).toBeGreaterThan(10);
  expect(trips).toBeGreaterThan(0);
  // The scenario reproduces the run.
  const again = simulate({ ...scenario, protocol: protocols.exclusion }, { host: 'snapshots' });
  expect(again.summary).toEqual(report.summary);
  expect(again.messages).toEqual(report.messages);
  expect([report.verdict, again.verdict]).toEqual(['valid', 'valid']);
});

test('with a failed radio, careless robots collide, careful robots do not', () => {
  const failed = { ...fleet, deaf: 'r0', failsAt: 100 };
  const careless = run({ ...failed, isCareful: false });
  expect(careless.collisions[0]).toContain('r0');
  expect(careless.picture).toContain('#');
  const careful = run({ ...failed, isCareful: true });
  expect(careful.collisions).toEqual([]);
  expect(careful.moves).toBeGreaterThan(0);
});
