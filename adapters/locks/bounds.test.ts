/** Grants in a loop; in bounds.deep.ts so many that their epoch runs out of numbers. And more locks at once than a peer has room for. */
import { expect, onTestFinished, test, vi } from 'vitest';
import { MapStorage } from '../storage/map.fixture.js';
import { InProcessBus } from '../transports/in-process.js';
import { grantsAtFollower } from './grants.fixture.js';
import { createLocks, type Lock, type Locks } from './locks.js';

test('five hundred grants in a loop at a follower: fences are unique, and grow', async () => {
  const fences = await grantsAtFollower(500);
  expect(fences.findIndex((fence, i) => i > 0 && fence <= fences[i - 1]!)).toBe(-1);
});

test('one lock more than a peer has room for is refused by name, however it is asked for, and is there once another one is released', async () => {
  const place = Symbol.for('xstate-quiver.limits');
  const settings = globalThis as Record<symbol, unknown>;
  settings[place] = 'small';
  onTestFinished(() => void delete settings[place]);
  const bus = new InProcessBus();
  onTestFinished(() => bus.close());
  const [a, b] = ['a', 'b'].map((id) =>
    createLocks({ transport: bus.transport(id), peers: ['a', 'b'], storage: new MapStorage() }),
  );
  const held = await Promise.all(Array.from({ length: 8 }, (_, i) => a!.acquire(`x${i}`)));
  const refused = {
    name: 'UsageError',
    message: 'lock "y" is one too many at peer "a": 8 others are held or waited for there, which is the most; release some first',
  };
  await expect(a!.acquire('y')).rejects.toMatchObject(refused);
  await expect(a!.request('y', () => {})).rejects.toMatchObject(refused);
  await expect(a!.acquire('y', { ifAvailable: true })).rejects.toMatchObject(refused);
  // Of names that are in use here, and at other peers, there is no shortage.
  const again = a!.acquire('x0');
  expect(await b!.request('y', ({ name }) => name)).toBe('y');
  held[0]!.release();
  (await again).release();
  expect(await a!.request('y', ({ name }) => name)).toBe('y');
});

test('with the longest names a peer has room for fewer locks, and all of them fit into the next epoch', async () => {
  const bus = new InProcessBus();
  onTestFinished(() => bus.close());
  const peers = ['a', 'b', 'c'];
  const all = peers.map((id) => createLocks({ transport: bus.transport(id), peers })) as [Locks, Locks, Locks];
  const held: Lock[] = [];
  for (const locks of all) {
    const fill = async () => {
      for (;;) held.push(await locks.acquire(String(held.length).padEnd(256, '\u{6f22}')));
    };
    await expect(fill()).rejects.toThrow(
      /others are held or waited for there, which is the most with names so long; release some first$/,
    );
  }
  expect(held.length).toBeGreaterThan(500);
  const { epoch } = all[0].status();
  await all[2].transport.close();
  await vi.waitFor(() => expect(all[0].status().epoch).toBeGreaterThan(epoch), 10_000);
  for (const locks of all.slice(0, 2)) {
    expect(locks.status().state).toBe('serving');
    expect(locks.status().held.length).toBeGreaterThan(150);
  }
  expect(held.filter(({ signal }) => !signal.aborted)).toHaveLength(all[0].status().held.length + all[1].status().held.length);
});
