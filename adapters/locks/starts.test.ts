/** Peers that start, restart and leave while a lock is held: a holder that is not restarted keeps its lock. */
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { MapStorage } from '../storage/map.fixture.js';
import type { PeerStorage } from '../storage/storage.js';
import { InProcessBus } from '../transports/in-process.js';
import { createLocks, type Locks } from './locks.js';
import { settled } from './peers.fixture.js';

function cluster(ids: readonly string[]) {
  const bus = new InProcessBus();
  const running = new Map<string, { locks: Locks; stop: () => Promise<void> }>();
  const start = (id: string): Locks => {
    const transport = bus.transport(id);
    const locks = createLocks({ transport, peers: ids });
    running.set(id, { locks, stop: () => transport.close() });
    return locks;
  };
  onTestFinished(async () => {
    await Promise.all([...running.values()].map(({ stop }) => stop()));
    bus.close();
  });
  return { start, stop: (id: string) => running.get(id)!.stop() };
}

const turns = async (n: number) => {
  for (let i = 0; i < n; i++) await settled();
};

test.each(['a', 'b', 'c'])('a rolling restart of the others leaves the lock with its holder %s', async (holder) => {
  const ids = ['a', 'b', 'c'];
  const { start, stop } = cluster(ids);
  const locks = Object.fromEntries(ids.map((id) => [id, start(id)]));
  await Promise.all(Object.values(locks).map(({ ready }) => ready));
  const held = await locks[holder]!.acquire('x');
  for (const other of ids.filter((id) => id !== holder)) {
    await stop(other);
    await turns(3);
    expect(held.signal.reason).toBeUndefined();
    const again = start(other);
    await again.ready;
    await turns(3);
    expect(held.signal.reason).toBeUndefined();
    locks[other] = again;
  }
  const next = locks[ids.find((id) => id !== holder)!]!.acquire('x');
  await turns(3);
  held.release();
  expect((await next).fence).toBeGreaterThan(held.fence);
});

const orders = (ids: readonly string[]): string[][] =>
  ids.length === 0 ? [[]] : ids.flatMap((first) => orders(ids.filter((id) => id !== first)).map((rest) => [first, ...rest]));

test.each(orders(['a', 'b', 'c', 'd']).map((order) => [order.join(', '), order] as const))(
  'a cold start of four in the order %s: a holder keeps its lock while others join',
  async (_, order) => {
    const { start } = cluster(['a', 'b', 'c', 'd']);
    let inside = 0;
    const errors: unknown[] = [];
    const work = async () => {
      if (++inside > 1) errors.push('two inside');
      await turns(20);
      inside--;
    };
    const done: Promise<unknown>[] = [];
    for (const id of order) {
      const locks = start(id);
      done.push(locks.request('x', work).catch((error: unknown) => errors.push(error)));
      await turns(1);
    }
    await Promise.all(done);
    expect(errors).toEqual([]);
  },
);

describe('a peer with another list of peers', () => {
  test.each([
    ['in which it is alone with us', 'c', ['a', 'c']],
    ['in ours it is not', 'd', ['a', 'b', 'c', 'd']],
    ['in which nobody of us is', 'd', ['d', 'x', 'y']],
  ])('is refused with both lists, and the others keep serving: %s', async (_, id, peers) => {
    const bus = new InProcessBus();
    const ids = ['a', 'b', 'c'];
    const [a, b, c] = ids.map((each) => createLocks({ transport: bus.transport(each), peers: ids })) as [Locks, Locks, Locks];
    await Promise.all([a.ready, b.ready, c.ready]);
    if (id === 'c') await c.transport.close();
    const held = await a.acquire('x');
    const other = createLocks({ transport: bus.transport(id), peers });
    const message = new RegExp(
      `peer "[abc]" was started with the peers a, b, c for "locks", and "${id}" with ${peers.join(', ')}`,
    );
    await expect(other.ready).rejects.toMatchObject({ name: 'ConfigurationError', message: expect.stringMatching(message) });
    await expect(other.acquire('x')).rejects.toMatchObject({ name: 'ConfigurationError' });
    expect(held.signal.aborted).toBe(false);
    const next = b.acquire('x');
    held.release();
    expect((await next).fence).toBeGreaterThan(held.fence);
    bus.close();
  });
});

test('bootstrap before all peers are there gives larger fences than an earlier run', async () => {
  const life = async (ids: readonly string[], isNew: boolean) => {
    const bus = new InProcessBus();
    const all = ids.map((id) => createLocks({ transport: bus.transport(id), peers: ['a', 'b', 'c'] }));
    await turns(3);
    if (isNew) all[0]!.bootstrap();
    const { fence } = await all[0]!.acquire('x');
    bus.close();
    return fence;
  };
  const before = await life(['a', 'b', 'c'], false);
  // The clock of a later run is later.
  for (const end = Date.now() + 50; Date.now() < end;) await settled();
  expect(await life(['a', 'b'], true)).toBeGreaterThan(before);
});

test('locks are closed only after the last write, however they have ended', async () => {
  for (const isLost of [false, true]) {
    const storage = new MapStorage();
    const bus = new InProcessBus();
    const transport = bus.transport('a');
    let [begun, saved] = [0, 0];
    let finish = () => {};
    const slow: PeerStorage = {
      load: (key) => storage.load(key),
      save: async (key, value) => {
        begun++;
        await new Promise<void>((resolve) => (finish = resolve));
        await storage.save(key, value);
        saved++;
      },
    };
    const locks = createLocks({ transport, peers: ['a'], storage: slow });
    locks.ready.catch(() => {});
    await vi.waitFor(() => expect(begun).toBe(1));
    if (isLost) await transport.close();
    let isClosed = false;
    const closed = locks.close().then(() => (isClosed = true));
    await turns(5);
    expect([isClosed, saved]).toEqual([false, 0]);
    finish();
    await closed;
    expect(saved).toBe(1);
    bus.close();
  }
});
