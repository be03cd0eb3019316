/** Grants in a loop (bounds.deep.ts uses up the fences of an epoch), and more locks than a peer has room for. */
import { expect, onTestFinished, test, vi } from 'vitest';
import { lockRole } from '../../machines/locks/messages.js';
import { withSmallLimits } from '../small-limits.fixture.js';
import { MapStorage } from '../storage/map.fixture.js';
import { InProcessBus } from '../transports/in-process.js';
import { grantsAtFollower } from './grants.fixture.js';
import { createLocks, type Lock, type Locks } from './locks.js';

/** Waits for these locks, and cancels all requests. */
async function givingUp(locks: Locks, names: readonly string[]): Promise<void> {
  const signal = AbortSignal.timeout(50);
  for (const { status } of await Promise.allSettled(names.map((name) => locks.acquire(name, { signal }))))
    expect(status).toBe('rejected');
}

test('five hundred grants in a loop at a follower: fences are unique, and grow', async () => {
  const fences = await grantsAtFollower(500);
  expect(fences.findIndex((fence, i) => i > 0 && fence <= fences[i - 1]!)).toBe(-1);
});

test('a lock above the limit of a peer is refused until another one is released', async () => {
  withSmallLimits();
  const bus = new InProcessBus();
  onTestFinished(() => bus.close());
  const [a, b] = ['a', 'b'].map((id) =>
    createLocks({ transport: bus.transport(id), peers: ['a', 'b'], storage: new MapStorage() }),
  );
  const held = await Promise.all(Array.from({ length: 8 }, (_, i) => a!.acquire(`x${i}`)));
  const refused = {
    name: 'UsageError',
    message:
      'lock "y" exceeds the limit of peer "a": 8 others are already held or requested there, the maximum. Release some first',
  };
  await expect(a!.acquire('y')).rejects.toMatchObject(refused);
  await expect(a!.request('y', () => {})).rejects.toMatchObject(refused);
  await expect(a!.acquire('y', { ifAvailable: true })).rejects.toMatchObject(refused);
  // Names that are in use here, or at other peers, are not limited.
  const again = a!.acquire('x0');
  expect(await b!.request('y', ({ name }) => name)).toBe('y');
  held[0]!.release();
  (await again).release();
  expect(await a!.request('y', ({ name }) => name)).toBe('y');
});

test('abandoned requests for held locks fill a peer until their turns have come', async () => {
  withSmallLimits();
  const bus = new InProcessBus();
  onTestFinished(() => bus.close());
  const [a, b] = ['a', 'b'].map((id) => createLocks({ transport: bus.transport(id), peers: ['a', 'b'] }));
  const held = await Promise.all(Array.from({ length: 7 }, (_, i) => b!.acquire(`x${i}`)));
  await givingUp(
    a!,
    held.map(({ name }) => name),
  );
  const own = await a!.acquire('own');
  await expect(a!.acquire('y')).rejects.toThrow(
    'lock "y" exceeds the limit of peer "a": 8 others are already held or requested there, 7 of them abandoned before their turn, the maximum. Release some first, or wait',
  );
  for (const lock of held) lock.release();
  await vi.waitFor(() => a!.request('y', () => {}), 10_000);
  own.release();
});

test('abandoned requests take no room at a peer that cannot be granted locks', async () => {
  withSmallLimits();
  const bus = new InProcessBus();
  onTestFinished(() => bus.close());
  const peers = ['a', 'b'];
  const peerOf = (id: string) => createLocks({ transport: bus.transport(id), peers });
  const a = peerOf('a');
  const client = createLocks({ transport: bus.transport('x'), peers, client: true });
  const eight = (name: string) => Array.from({ length: 8 }, (_, i) => name + i);
  for (const name of ['first', 'second', 'third']) for (const locks of [a, client]) await givingUp(locks, eight(name));
  const b = peerOf('b');
  // A repeated request is granted, and so is one for a name that another caller gave up.
  expect(await a.request('first0', ({ name }) => name)).toBe('first0');
  expect(await client.request('first1', ({ name }) => name)).toBe('first1');
  await b.transport.close();
  await vi.waitFor(() => expect(a.status().state).toBe('apart'));
  for (const name of ['fourth', 'fifth']) await givingUp(a, eight(name));
  const [early, late] = [new AbortController(), a.acquire('sixth')];
  const given = a.acquire('sixth', { signal: early.signal });
  early.abort();
  await expect(given).rejects.toThrow('aborted');
  peerOf('b');
  (await late).release();
});

test('abandoned requests for held locks are canceled as the epoch ends', async () => {
  withSmallLimits();
  const bus = new InProcessBus();
  onTestFinished(() => bus.close());
  const [a, b] = ['a', 'b'].map((id) => createLocks({ transport: bus.transport(id), peers: ['a', 'b'] }));
  const held = await Promise.all(Array.from({ length: 7 }, (_, i) => b!.acquire(`x${i}`)));
  await givingUp(
    a!,
    held.map(({ name }) => name),
  );
  await b!.transport.close();
  await vi.waitFor(() => expect(a!.status().state).toBe('apart'));
  const waits = Array.from({ length: 8 }, (_, i) => a!.acquire(`y${i}`));
  createLocks({ transport: bus.transport('b'), peers: ['a', 'b'] });
  for (const lock of await Promise.all(waits)) lock.release();
  await vi.waitFor(() => expect(a!.node.role(lockRole('x0'))).toBeUndefined());
});

test('with the longest names, fewer locks fit, and all of them fit into the next epoch', async () => {
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
      /others are already held or requested there, the maximum with names of this length. Release some first$/,
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
