/** Rule 11 in running programs: clients use locks through peers that vote. */
import { createNames } from '../names.js';
import { createQuota } from '../quota.js';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { ClientContext } from '../../machines/locks/client.js';
import { linked } from '../linked.js';
import { hostile } from '../transports/hostile.fixture.js';
import { InProcessBus } from '../transports/in-process.js';
import { createLocks, type LockMode, type Locks } from './locks.js';
import { LostError } from '../transports/errors.js';
import type { Transport } from '../transports/transport.js';

/** Voters that serve, and their clients, all on one bus. */
async function cluster(voters: readonly string[], clients: readonly string[]) {
  const bus = new InProcessBus();
  const transports = Object.fromEntries([...voters, ...clients].map((id) => [id, bus.transport(id)]));
  const locks: Record<string, Locks> = {};
  for (const id of voters) locks[id] = createLocks({ transport: transports[id]!, peers: voters });
  for (const id of clients) locks[id] = createLocks({ transport: transports[id]!, peers: voters, client: true });
  onTestFinished(async () => {
    await Promise.all(Object.values(locks).map((each) => each.close({ withinMs: 0 })));
    bus.close();
  });
  await Promise.all(Object.values(locks).map(({ ready }) => ready));
  return { locks, transports, bus };
}

test('a client holds the lock in its turn, and no other peer does', async () => {
  const { locks } = await cluster(['a', 'b', 'c'], ['x', 'y']);
  const inside: string[] = [];
  const fences: number[] = [];
  const work = (id: string) =>
    locks[id]!.request('printer', async ({ fence }) => {
      inside.push(id);
      fences.push(fence);
      await new Promise((resolve) => setTimeout(resolve, 2));
      expect(inside.at(-1)).toBe(id);
      inside.push(`-${id}`);
    });
  await Promise.all(['x', 'a', 'y', 'x', 'b', 'c', 'y'].map(work));
  expect(inside.length).toBe(14);
  for (let i = 0; i < inside.length; i += 2) expect(inside[i + 1]).toBe(`-${inside[i]}`);
  expect(fences).toEqual(fences.toSorted((p, q) => p - q));
  expect(new Set(fences).size).toBe(7);
  expect(locks['x']!.status()).toMatchObject({
    state: 'attached',
    members: ['a', 'b', 'c'],
    held: [],
    waiting: [],
    leader: null,
  });
});

test('messages between members about registers are ignored at a client', async () => {
  const consoleWarn = vi.spyOn(console, 'warn').mockImplementation(() => {});
  onTestFinished(() => consoleWarn.mockRestore());
  const { locks, transports } = await cluster(['a', 'b', 'c'], ['x']);
  const received = new Set<string>();
  transports['x']!.events.subscribe((event) => {
    if (event.type === 'message') received.add((event.message as { name: string }).name);
  });
  const names = ['a', 'b', 'c'].map((id) => createNames({ locks: locks[id]! }));
  expect(await names[0]!.next()).toBe(0);
  expect([...received]).toContain('locks/names');
  expect(consoleWarn).not.toHaveBeenCalled();
});

test('clients that join later are distributed over the peers, and report their host', async () => {
  const voters = ['a', 'b', 'c'];
  const clients = Array.from({ length: 24 }, (_, i) => `client ${i}`);
  const { locks } = await cluster(voters, clients);
  const hosts = clients.map((id) => locks[id]!.status().host);
  const shares = voters.map((voter) => hosts.filter((host) => host === voter).length);
  expect(Math.min(...shares)).toBeGreaterThanOrEqual(4);
  expect('host' in locks['a']!.status()).toBe(false);
});

test('a client becomes no voter by a call, and keeps no register', async () => {
  const { locks } = await cluster(['a', 'b', 'c'], ['x']);
  const host = (locks['x']!.node.role('epochs')!.context as ClientContext).host!;
  await expect(locks[host]!.addMember('x')).rejects.toThrow('"x" is a client of "locks", and does not vote. Close it, and start');
  expect(await locks['b']!.request('printer', () => 'served')).toBe('served');
  expect(() => createNames({ locks: locks['x']! })).toThrow(
    '"x" is a client. Create it at the voters and request its value from them',
  );
  expect(() => createQuota({ locks: locks['x']!, budget: 5 })).toThrow('"x" is a client');
});

test('a client that was added to the voters ends with an error, and delays no request', async () => {
  const { locks } = await cluster(['a', 'b', 'c'], ['x']);
  const host = (locks['x']!.node.role('epochs')!.context as ClientContext).host!;
  const other = ['a', 'b', 'c'].find((id) => id !== host)!;
  const ended = locks['x']!.node.closed;
  const adding = locks[other]!.addMember('x').catch(() => {});
  await ended;
  await expect(locks['x']!.request('printer', () => {})).rejects.toThrow('client "x" was added to the members of "locks"');
  expect(await locks[other]!.request('printer', () => 'served')).toBe('served');
  await adding;
});

test('options that clients cannot use are refused', async () => {
  const { locks, bus } = await cluster(['a'], ['x']);
  const transport = bus.transport('a');
  const storage = { load: async () => undefined, save: async () => {} };
  expect(() => createLocks({ transport, peers: ['a'], client: true })).toThrow(
    'client "a" is among the peers a, which vote. Pass a unique id',
  );
  expect(() => createLocks({ transport, client: true } as never)).toThrow('createLocks: peers is missing');
  expect(() => createLocks({ transport, peers: ['b'], client: true, storage })).toThrow(
    'createLocks: storage is an object. Pass nothing together with client: true',
  );
  expect(() => createLocks({ transport, peers: ['b'], client: true, join: true })).toThrow('join');
  await expect(locks['x']!.acquire('printer', { ifAvailable: true })).rejects.toThrow(
    'ifAvailable is only for voters, and "x" is a client',
  );
  await expect(locks['x']!.addMember('y')).rejects.toThrow('peer "x" is not a member');
});

test('a client that closes during its callback releases the lock after the callback', async () => {
  const { locks } = await cluster(['a', 'b', 'c'], ['x']);
  let end = () => {};
  const working = locks['x']!.request('printer', () => new Promise<void>((resolve) => (end = resolve)));
  await new Promise((resolve) => setTimeout(resolve, 10));
  const next = locks['b']!.acquire('printer');
  const closing = locks['x']!.close();
  await expect(working).rejects.toThrow(LostError);
  end();
  await closing;
  (await next).release();
  expect(locks['x']!.status().state).toBe('closed');
});

test('a client that closes frees its lock when the time is over', async () => {
  const { locks } = await cluster(['a', 'b'], ['x']);
  const { x, b } = locks as Record<string, Locks>;
  await x!.acquire('printer');
  const waiting = b!.acquire('printer', { signal: AbortSignal.timeout(2_500) });
  await x!.close({ withinMs: 20 });
  expect((await waiting).fence).toBeGreaterThan(0);
});

test('ifAvailable at a peer whose client holds the lock, or requested it earlier', async () => {
  const { locks } = await cluster(['a', 'b', 'c'], ['x']);
  const held = await locks['x']!.acquire('printer');
  const none = (id: string, mode: LockMode) => locks[id]!.request('printer', { ifAvailable: true, mode }, (lock) => lock);
  for (const id of ['a', 'b', 'c']) expect([await none(id, 'exclusive'), await none(id, 'shared')]).toEqual([null, null]);
  held.release();
  await vi.waitFor(async () => {
    const fences = ['a', 'b', 'c'].map((id) => locks[id]!.request('printer', { ifAvailable: true }, (lock) => lock?.fence));
    expect((await Promise.all(fences)).some((fence) => fence! > held.fence)).toBe(true);
  });
});

test('clients that have left leave no state behind', async () => {
  const { locks, bus } = await cluster(['a', 'b', 'c'], []);
  const size = () => ['a', 'b', 'c'].map((id) => JSON.stringify(locks[id]!.node.view()).length);
  const visit = async (i: number) => {
    const client = createLocks({ transport: bus.transport(`client-${i}`), peers: ['a', 'b', 'c'], client: true });
    await client.request(`job-${i % 3}`, () => {});
    await client.close();
  };
  // Until each peer has been asked for each of the three locks.
  for (let i = 0; i < 20; i++) await visit(i);
  const before = size();
  for (let i = 20; i < 40; i++) await visit(i);
  await new Promise((resolve) => setTimeout(resolve, 10));
  // Numbers of fences and visited names may have one more digit.
  for (const [i, after] of size().entries()) expect(after).toBeLessThan(before[i]! + 60);
});

test('a client keeps its lock when its peer is gone, and releases it through another', async () => {
  const { locks, transports } = await cluster(['a', 'b', 'c'], ['x']);
  const held = await locks['x']!.acquire('printer');
  const host = (locks['x']!.node.role('epochs')!.context as ClientContext).host!;
  await transports[host]!.close();
  const [other] = ['a', 'b', 'c'].filter((id) => id !== host);
  const next = locks[other!]!.acquire('printer');
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(held.signal.aborted).toBe(false);
  expect(locks['x']!.status()).toMatchObject({
    state: 'attached',
    held: [{ name: 'printer', fence: held.fence, mode: 'exclusive' }],
    missing: [host],
  });
  held.release();
  expect((await next).fence).toBeGreaterThan(held.fence);
});

test('a restarted client at another peer does not wait for patience with itself', async () => {
  const voters = ['a', 'b', 'c'];
  const ids = [...voters, 'x'];
  const bus = new InProcessBus();
  const started: Transport[] = [];
  const start = (id: string) => {
    const medium = hostile(bus.transport(id), { seed: 1, loss: 0, duplicate: 0, delayMs: 0 });
    const transport = linked(medium, { peers: ids, beatMs: 5, patience: 6, relay: false });
    started.push(transport);
    return { id, medium, locks: createLocks({ transport, peers: voters, client: id === 'x' }) };
  };
  onTestFinished(async () => {
    await Promise.all(started.map((transport) => transport.close()));
    bus.close();
  });
  const peers = voters.map(start);
  const before = start('x');
  await Promise.all([...peers, before].map(({ locks }) => locks.ready));
  // It has moved back and forth, so that its last attachment was not its first.
  const hostOf = ({ locks }: typeof before) => (locks.node.role('epochs')!.context as ClientContext).host;
  const first = peers.find(({ id }) => id === hostOf(before))!;
  const part = (client: typeof before, peer: typeof before) => {
    client.medium.cutFrom.add(peer.id);
    peer.medium.cutFrom.add('x');
  };
  part(before, first);
  await expect.poll(() => before.locks.status().state === 'attached' && hostOf(before) !== first.id).toBe(true);
  const held = await before.locks.acquire('printer');
  const host = peers.find(({ id }) => id === hostOf(before))!;
  await before.locks.transport.close();
  first.medium.cutFrom.clear();
  host.medium.cutFrom.add('x');
  const after = start('x');
  after.medium.cutFrom.add(host.id);
  // Patience lasts five seconds.
  const fence = await after.locks.request('printer', { signal: AbortSignal.timeout(3_000) }, (lock) => lock.fence);
  expect(fence).toBeGreaterThan(held.fence);
});

test.each<[string, string[]]>([
  ['part of the list', ['b']],
  ['more than the list', ['a', 'b', 'c', 'zz']],
  ['another order', ['c', 'a', 'b']],
])('a client that is given %s is served by a connected one, without a warning', async (_, peers) => {
  const warn = vi.spyOn(console, 'warn').mockReturnValue();
  onTestFinished(() => warn.mockRestore());
  const { bus } = await cluster(['a', 'b', 'c'], []);
  const x = createLocks({ transport: bus.transport('x'), peers, client: true });
  onTestFinished(() => x.close());
  expect(await x.request('printer', { signal: AbortSignal.timeout(2_500) }, ({ fence }) => fence)).toBeGreaterThan(0);
  expect(x.members).toEqual(['a', 'b', 'c']);
  expect(warn.mock.calls).toEqual([]);
});

test('a client with the present list is served after all first members were replaced', async () => {
  const { bus, locks } = await cluster(['a', 'b'], []);
  const join = (id: string) => createLocks({ transport: bus.transport(id), join: true });
  const [c, d] = ['c', 'd'].map(join) as [Locks, Locks];
  await vi.waitFor(() => locks['a']!.addMember('c'));
  await vi.waitFor(() => c.replaceMember('a', 'd'));
  await c.removeMember('b');
  const warn = vi.spyOn(console, 'warn').mockReturnValue();
  onTestFinished(() => warn.mockRestore());
  const x = createLocks({ transport: bus.transport('x'), peers: ['c', 'd'], client: true });
  onTestFinished(() => Promise.all([x, c, d].map((each) => each.close({ withinMs: 0 }))).then(() => {}));
  expect(await x.request('printer', { signal: AbortSignal.timeout(2_500) }, ({ fence }) => fence)).toBeGreaterThan(0);
  expect(warn.mock.calls).toEqual([]);
});

test("a peer that waits to be added does not use a client's list as its membership", async () => {
  const { locks } = await cluster(['a', 'b', 'c'], []);
  await locks['a']!.acquire('printer');
  // Separated from the others, for now.
  const there = new InProcessBus();
  const d = createLocks({ transport: there.transport('d'), join: true });
  const x = createLocks({ transport: there.transport('x'), peers: ['d'], client: true });
  onTestFinished(() => Promise.all([x, d].map((each) => each.close({ withinMs: 0 }))).then(() => there.close()));
  // It has been asked, and accepts no clients.
  await vi.waitFor(() => expect((x.node.role('epochs')!.context as ClientContext).tried).toEqual(['d']));
  await expect(x.request('printer', { signal: AbortSignal.timeout(300) }, () => 'two holders')).rejects.toThrow();
  expect(d.members).toEqual([]);
});
