/** Waiting with one signal for several callers. */
import { getEventListeners } from 'node:events';
import { expect, test } from 'vitest';
import { abortable, onAbort } from './promises.js';

const listenersOf = ({ signal }: AbortController) => getEventListeners(signal, 'abort').length;

test('all callers with one signal share a listener, which ends with the last of them', async () => {
  const ending = new AbortController();
  const settle: (() => void)[] = [];
  const all = Array.from({ length: 20 }, () => abortable(new Promise<void>((resolve) => settle.push(resolve)), ending.signal));
  expect(listenersOf(ending)).toBe(1);
  for (const resolve of settle.slice(1)) resolve();
  await Promise.all(all.slice(1));
  expect(listenersOf(ending)).toBe(1);
  settle[0]!();
  await all[0];
  await Promise.resolve();
  expect(listenersOf(ending)).toBe(0);
});

test('each rejects with the reason of the signal, later ones immediately', async () => {
  const ending = new AbortController();
  const waiting = Array.from({ length: 20 }, () => abortable(new Promise(() => {}), ending.signal));
  ending.abort('over');
  waiting.push(abortable(new Promise(() => {}), ending.signal));
  for (const each of waiting) await expect(each).rejects.toBe('over');
});

test('a removed callback is not called, and the others are', () => {
  const ending = new AbortController();
  const called: string[] = [];
  const first = onAbort(ending.signal, () => called.push('first'));
  onAbort(ending.signal, () => called.push('second'));
  first();
  ending.abort();
  expect(called).toEqual(['second']);
});
