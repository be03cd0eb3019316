/** Waiting with an abort, timers that end with their owner, and the reasons that a transport's layers know. */
import { Subscription } from 'rxjs';
import { expect, test } from 'vitest';
import { VirtualClock } from '../../network/clock.js';
import { absenceOf, explainAbsence } from './absence.js';
import { InProcessBus } from './in-process.js';
import { later } from './later.js';
import { linkedPeersOf, noteLinkedPeers } from './linked-peers.js';
import { abortable } from './promises.js';

test('without a signal, a promise is awaited unchanged', () => {
  const promise = Promise.resolve(1);
  expect(abortable(promise, undefined)).toBe(promise);
});

test('a promise settles as the original, or rejects first if the signal aborts', async () => {
  const { signal } = new AbortController();
  await expect(abortable(Promise.resolve(1), signal)).resolves.toBe(1);
  await expect(abortable(Promise.reject(new Error('mine')), signal)).rejects.toThrow('mine');
  const waiting = new AbortController();
  const given = abortable(new Promise(() => {}), waiting.signal);
  waiting.abort(new Error('enough'));
  await expect(given).rejects.toThrow('enough');
  await expect(abortable(Promise.resolve(1), AbortSignal.abort(new Error('before')))).rejects.toThrow('before');
});

test('a long-lived signal keeps no reference to awaited promises', async () => {
  const { signal } = new AbortController();
  const listeners: [string, string, unknown][] = [];
  for (const name of ['addEventListener', 'removeEventListener'] as const) {
    const real = signal[name].bind(signal) as (...given: unknown[]) => void;
    signal[name] = (type: string, listener: unknown, ...more: unknown[]) => {
      listeners.push([name, type, listener]);
      real(type, listener, ...more);
    };
  }
  await abortable(Promise.resolve(1), signal);
  await new Promise((resolve) => setImmediate(resolve));
  const [added, removed] = listeners;
  expect(listeners).toHaveLength(2);
  expect(added).toEqual(['addEventListener', 'abort', expect.any(Function)]);
  expect(removed).toEqual(['removeEventListener', 'abort', added![2]]);
});

test('a timer fires in time, belongs to its owner until then, and ends with it', () => {
  const clock = new VirtualClock();
  const owner = new Subscription();
  const ran: string[] = [];
  const kept = () => (owner as unknown as { _finalizers: unknown[] | null })._finalizers?.length ?? 0;
  later(owner, clock, () => ran.push('first'), 5);
  later(owner, clock, () => ran.push('second'), 10);
  expect(kept()).toBe(2);
  clock.runUntil(4);
  expect(ran).toEqual([]);
  clock.runUntil(5);
  expect([ran, kept()]).toEqual([['first'], 1]);
  owner.unsubscribe();
  clock.runUntil(20);
  expect(ran).toEqual(['first']);
});

test('the list of peers of a linked transport is a copy of the given one', () => {
  const bus = new InProcessBus();
  const [a, b] = [bus.transport('a'), bus.transport('b')];
  const peers = ['b', 'c'];
  noteLinkedPeers(a, peers);
  peers.push('d');
  expect([linkedPeersOf(a), linkedPeersOf(b)]).toEqual([['b', 'c'], undefined]);
});

test('the reason for which a peer is unreachable comes from the transport, if known', () => {
  const bus = new InProcessBus();
  const [a, b] = [bus.transport('a'), bus.transport('b')];
  explainAbsence(a, (peer) => (peer === 'c' ? 'it never came' : null));
  expect([absenceOf(a, 'c'), absenceOf(a, 'd'), absenceOf(b, 'c')]).toEqual(['it never came', null, null]);
});
