/** The worker and its store without processes or servers. */
import type { KV } from '@nats-io/kv';
import { afterEach, expect, test } from 'vitest';
import { InProcessBus } from 'xstate-quiver/transports';
import { createLocks } from 'xstate-quiver/locks';
import { MemoryBucket } from './memory-bucket.js';
import { JobStore } from './store.js';
import { schedule, work, type Kind } from './work.js';

const bucketed = () => new JobStore(new MemoryBucket(1) as unknown as KV);
const ending: (() => Promise<unknown>)[] = [];
afterEach(() => Promise.all(ending.splice(0).map((end) => end())));

/** Workers on a bus that share a store. */
async function workers(store: JobStore, kinds: Record<string, Kind>, ids = ['a', 'b', 'c']) {
  const bus = new InProcessBus();
  const all = ids.map((id) => {
    const stopping = new AbortController();
    const transport = bus.transport(id);
    const locks = createLocks({ transport, peers: ids });
    return { id, transport, locks, store, kinds, lanes: 2, signal: stopping.signal, stop: () => stopping.abort(), log: () => {} };
  });
  await Promise.all(all.map(({ locks }) => locks.ready));
  // One that is cut off ends with an error, as its process does.
  const running = all.map((worker) => Promise.allSettled([work(worker), schedule(worker)]));
  ending.push(async () => {
    for (const { stop } of all) stop();
    await Promise.all(running);
    bus.close();
  });
  return all;
}

test('a late worker changes neither the result, nor the failure, nor the start count', async () => {
  const store = bucketed();
  await store.add('x', { kind: 'k', input: 1 });
  expect(await store.begin('x', 5, 'a')).toMatchObject({ begun: 1, by: 'a' });
  expect(await store.begin('x', 9, 'b')).toMatchObject({ begun: 2, by: 'b' });
  const before = await store.get('x');
  const late = 'job "x" was started again under fence 9, by b; fence 5 is stale';
  await expect(store.finish('x', 5, { result: 'of a' })).rejects.toThrow(late);
  await expect(store.finish('x', 5, { error: 'of a' })).rejects.toThrow(late);
  await expect(store.begin('x', 5, 'a')).rejects.toThrow(late);
  expect(await store.get('x')).toEqual(before);
  await store.finish('x', 9, { result: 'of b' });
  await expect(store.finish('x', 9, { result: 'again' })).rejects.toThrow('job "x" is already done, by b');
  expect(await store.begin('x', 12, 'c')).toBeUndefined();
  expect(await store.get('x')).toMatchObject({ state: 'done', result: 'of b', fence: 9 });
});

test('two writes at the same moment: one is made on top of the other', async () => {
  const store = bucketed();
  expect(await Promise.all([store.add('x', { kind: 'k', input: 1 }), store.add('x', { kind: 'k', input: 2 })])).toEqual([
    true,
    false,
  ]);
  await Promise.all([store.begin('x', 3, 'a'), store.begin('x', 3, 'a')]);
  expect(await store.get('x')).toMatchObject({ input: 1, begun: 2 });
});

test('a failing job is started three times, and not again', async () => {
  const store = bucketed();
  await store.add('x', { kind: 'k', input: 1 });
  for (const fence of [1, 2, 3]) {
    await store.begin('x', fence, 'a');
    await store.finish('x', fence, { error: 'no' });
  }
  expect(await store.begin('x', 4, 'a')).toBeUndefined();
  expect(await store.get('x')).toMatchObject({ state: 'failed', begun: 3, error: 'no' });
});

test('three workers share the jobs, and each job runs once', async () => {
  const store = bucketed();
  const runs: unknown[] = [];
  await workers(store, { note: { run: async (input) => void runs.push(input) } });
  for (let i = 0; i < 12; i++) await store.add(`job-${i}`, { kind: 'note', input: i });
  await store.add('odd', { kind: 'odd', input: null });
  await expect.poll(() => runs.length).toBe(12);
  await expect.poll(async () => (await store.get('job-11'))!.state).toBe('done');
  expect(new Set(runs).size).toBe(12);
  await expect.poll(async () => (await store.get('odd'))!.error).toBe('Error: unknown kind of job "odd"; known kinds: note');
});

test('another worker repeats the job of a disconnected one, and its result counts', async () => {
  const store = bucketed();
  const ends: ((result: string) => void)[] = [];
  const all = await workers(store, { slow: { run: () => new Promise((resolve) => void ends.push(resolve)) } });
  await store.add('x', { kind: 'slow', input: null });
  await expect.poll(() => ends.length).toBe(1);
  const { by } = (await store.get('x'))!;
  await all.find(({ id }) => id === by)!.transport.close();
  await expect.poll(() => ends.length, { timeout: 5_000 }).toBe(2);
  ends[0]!('late');
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(await store.get('x')).toMatchObject({ state: 'open', begun: 2 });
  ends[1]!('in time');
  await expect.poll(() => store.get('x')).toMatchObject({ state: 'done', result: 'in time' });
});

test('each slot of a cron has one job, and another worker continues to add them', async () => {
  const store = bucketed();
  const slots: number[] = [];
  const all = await workers(store, { tick: { everyMs: 20, run: ({ slot }) => void slots.push(slot) } });
  await expect.poll(() => slots.length).toBeGreaterThan(2);
  const first = all.find(({ locks }) => locks.status().held.some(({ name }) => name === 'schedule'))!;
  first.stop();
  await expect
    .poll(() => all.filter(({ locks }) => locks.status().held.some(({ name }) => name === 'schedule')).map(({ id }) => id))
    .not.toContain(first.id);
  const before = slots.length;
  await expect.poll(() => slots.length).toBeGreaterThan(before + 1);
  expect(new Set(slots).size).toBe(slots.length);
});
