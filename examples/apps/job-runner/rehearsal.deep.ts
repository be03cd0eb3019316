/** The workers in virtual time, under faults: the effect of the fence. */
import { expect, test } from 'vitest';
import { rehearse } from 'xstate-quiver/rehearsal';
import { careful, careless } from './rehearsal.js';

test('without the fence, a store accepts a stale result; with the fence, it does not', async () => {
  const { main, ...options } = careless;
  const { failure } = await rehearse({ ...options, runs: 200, shrinkSeconds: 10 }, main);
  expect(failure).toMatchObject({ judge: 'finished once, by its last worker' });
  const { main: better, ...same } = careful;
  expect((await rehearse({ ...same, replay: failure! }, better)).failure).toBeNull();
});

test('every job is finished once, by its last worker, in twenty schedules', async () => {
  const { main, ...options } = careful;
  expect((await rehearse({ ...options, runs: 20 }, main)).failure).toBeNull();
});
