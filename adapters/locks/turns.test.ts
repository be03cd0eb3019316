/** A program that awaits one grant after the other does not block the rest of its process. */
import { expect, onTestFinished, test } from 'vitest';
import { VirtualClock } from '../../network/clock.js';
import { LoopTurns } from './lock-queue.js';
import { Lock } from './lock-handle.js';

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

test('one grant in 256 waits for a turn of the event loop', async () => {
  const clock = new VirtualClock();
  let turns = 0;
  onTestFinished(() => expect(clock.isIdle).toBe(true));
  const all = new LoopTurns(() => {
    turns++;
    return clock;
  });
  for (let i = 1; i < 256; i++) await all.after(null);
  expect(turns).toBe(0);
  let isDone = false;
  const last = all.after(null).then((lock) => ((isDone = true), lock));
  await turn();
  expect([turns, isDone]).toEqual([1, false]);
  clock.runUntil(1);
  expect(await last).toBeNull();
  const lock = new Lock('x', 1, 'exclusive', () => {});
  expect(await all.after(lock)).toBe(lock);
  expect(turns).toBe(1);
});
