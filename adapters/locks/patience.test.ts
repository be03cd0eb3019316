/** How long `close` waits for holders. */
import { VirtualTimeScheduler } from 'rxjs';
import { expect, test, vi } from 'vitest';
import { ClosePatience } from './patience.js';

test('close waits for the shortest of the given times', async () => {
  const clock = new VirtualTimeScheduler(undefined, 0);
  const patience = new ClosePatience(clock);
  for (const ms of [500, 20, 300]) patience.atMost(ms);
  const over = vi.fn();
  void patience.over.then(over);
  const at = async (ms: number) => {
    clock.maxFrames = ms;
    clock.flush();
    await Promise.resolve();
  };
  await at(19);
  expect(over).not.toHaveBeenCalled();
  await at(20);
  expect(over).toHaveBeenCalled();
});

test('no timer is left after the waiting has ended', () => {
  const clock = new VirtualTimeScheduler();
  const patience = new ClosePatience(clock);
  for (const ms of [500, 20]) patience.atMost(ms);
  expect(clock.actions).toHaveLength(2);
  patience.end();
  expect(clock.actions).toEqual([]);
});
