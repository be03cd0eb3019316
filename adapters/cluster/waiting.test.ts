/** Bounded waiting: a signal for events and for the first snapshot, and warnings of a cluster that waits. */
import { expect, onTestFinished, test, vi } from 'vitest';
import { MapStorage } from '../storage/map.fixture.js';
import { counter, testCluster } from './cluster.fixture.js';
import { InProcessBus } from '../transports/in-process.js';
import { createCluster } from './cluster.js';

/** A member of three, of which the others are down. */
async function alone() {
  const storages: Record<string, MapStorage> = { a: new MapStorage(), b: new MapStorage(), c: new MapStorage() };
  const { peers, of, start } = await testCluster({ counter }, (id) => ({ storage: storages[id]! }));
  await peers[0]!.cluster.actor('counter', 'x').send({ type: 'ADD' });
  for (const id of ['b', 'c']) of(id).kill();
  return { cluster: peers[0]!.cluster, start };
}

test('send stops waiting when its signal aborts, and the event may still be applied', async () => {
  const { cluster, start } = await alone();
  const ref = cluster.actor('counter', 'x');
  await expect(ref.send({ type: 'ADD' }, { signal: AbortSignal.timeout(50) })).rejects.toMatchObject({
    name: 'ActorError',
    reason: 'doubtful',
    message:
      'Actor "counter/x": the signal of an event aborted, and the event may still be applied. Read the state before you send it again.',
    cause: { name: 'TimeoutError' },
  });
  for (const id of ['b', 'c']) start(id);
  await ref.send({ type: 'ADD' });
  expect(ref.getSnapshot().context.n).toBe(3);
});

test('an event whose signal has already aborted is not sent, and options are checked', async () => {
  const { peers } = await testCluster({ counter });
  const ref = peers[0]!.cluster.actor('counter', 'x');
  await expect(ref.send({ type: 'ADD' }, { signal: AbortSignal.abort(new Error('left')) })).rejects.toThrow('left');
  await expect(ref.send({ type: 'ADD' }, { timeout: 5 } as never)).rejects.toThrow('timeout');
  await ref.send({ type: 'ADD' }, { signal: new AbortController().signal });
  expect(ref.getSnapshot().context.n).toBe(1);
});

test('whenReady stops waiting when its signal aborts, and resolves as ready does', async () => {
  const { cluster, start } = await alone();
  const ref = cluster.actor('counter', 'other');
  await expect(ref.whenReady({ signal: AbortSignal.timeout(50) })).rejects.toMatchObject({ name: 'TimeoutError' });
  for (const id of ['b', 'c']) start(id);
  await Promise.all([ref.whenReady(), ref.ready, ref.whenReady({ signal: AbortSignal.timeout(120_000) })]);
  await ref.whenReady({ signal: AbortSignal.timeout(1) });
});

test('a member that waits is not advised to use calls that a cluster lacks', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.restoreAllMocks().useRealTimers());
  const lines: string[] = [];
  for (const method of ['warn', 'info'] as const) vi.spyOn(console, method).mockImplementation((line) => void lines.push(line));
  const bus = new InProcessBus();
  const cluster = createCluster({ transport: bus.transport('a'), peers: ['a', 'b', 'c'], machines: { counter } });
  onTestFinished(() => cluster.close());
  await vi.advanceTimersByTimeAsync(15_000);
  expect(lines.join('\n')).toContain('give all members and clients the same list of peers');
  expect(lines.join('\n')).not.toMatch(/addMember|join: true|bootstrap/);
});
