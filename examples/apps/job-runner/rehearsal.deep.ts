/** The workers in virtual time, under faults: what the fence is for. */
import { expect, test } from 'vitest';
import { rehearse } from 'xstate-quiver/test/rehearsal';
import { careful, careless } from './rehearsal.js';

test('a store that is not told the fence takes the result of a worker that was overtaken; with the fence it does not', async () => {
  const options = { runs: 60, shrinkSeconds: 10 };
  const { failure } = await rehearse({ ...careless, ...options }, careless.main);
  expect(failure).toMatchObject({ judge: 'finished once, by who began it last' });
  expect((await rehearse({ ...careful, replay: failure! }, careful.main)).failure).toBeNull();
});

test('every job is finished once, by who began it last, in twenty schedules', async () => {
  expect((await rehearse({ ...careful, runs: 20 }, careful.main)).failure).toBeNull();
});
