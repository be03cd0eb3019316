/** Members that are added, removed and replaced while locks are held, by calls on any of them. */
import { WebSocket } from 'ws';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { linked } from '../linked.js';
import { MapStorage } from '../storage/map.fixture.js';
import { InProcessBus } from '../transports/in-process.js';
import { webSocketHub } from '../transports/web-socket-hub.js';
import { webSocket } from '../transports/web-socket.js';
import type { Linked, Transport } from '../transports/transport.js';
import type { PeerStorage } from '../storage/storage.js';
import { createLocks, type Locks } from './locks.js';
import { settled } from './peers.fixture.js';

/** Peers that begin together, and others that join, over any connection; all end with the test. */
function cluster(connect: (id: string) => Transport<Linked>) {
  const running: { readonly locks: Locks; readonly transport: Transport<Linked> }[] = [];
  const start = (
    id: string,
    how: { readonly peers?: readonly string[]; readonly join?: true; readonly storage?: PeerStorage },
  ) => {
    const transport = connect(id);
    const locks = createLocks({ transport, ...how });
    running.push({ locks, transport });
    return locks;
  };
  onTestFinished(async () => {
    await Promise.all(running.map(({ locks }) => locks.close({ withinMs: 0 })));
    await Promise.all(running.map(({ transport }) => transport.close()));
  });
  return start;
}

const onBus = () => {
  const bus = new InProcessBus();
  return cluster((id) => bus.transport(id));
};

const three = ['a', 'b', 'c'];

async function beginning(start: ReturnType<typeof cluster>, ids = three, storage?: (id: string) => PeerStorage) {
  const all = ids.map((id) => start(id, { peers: ids, ...(storage && { storage: storage(id) }) }));
  await Promise.all(all.map(({ ready }) => ready));
  return all as [Locks, Locks, Locks];
}

/** Acquires its own lock and a common one again and again, and returns its observations when it is stopped. */
function load(locks: Locks) {
  let isOver = false;
  const fences: number[] = [];
  const work = (async () => {
    await locks.request(`of ${locks.node.id}`, async () => {
      while (!isOver) {
        await locks.request('common', async ({ fence }) => void fences.push(fence));
        await settled();
      }
    });
    return fences;
  })();
  return { end: () => ((isOver = true), work), fences };
}

/** Three become five, and five become four others, one change after the other, each called on another member. */
async function fromThreeToFourOthers(start: ReturnType<typeof cluster>) {
  const [a, b, c] = await beginning(start);
  const loads = [a, b, c].map(load);
  const join = (id: string) => start(id, { join: true });
  const [d, e, f] = ['d', 'e', 'f'].map(join) as [Locks, Locks, Locks];
  const reached = async (from: Locks, id: string) => {
    while (!from.transport.peers.has(id)) await settled();
  };
  await reached(b, 'd');
  expect(await b.addMember('d')).toEqual(['a', 'b', 'c', 'd']);
  await reached(a, 'e');
  expect(await a.addMember('e')).toEqual(['a', 'b', 'c', 'd', 'e']);
  await Promise.all([d.ready, e.ready]);
  loads.push(load(d), load(e));
  const [ofA, ofB, ofC] = loads as [ReturnType<typeof load>, ReturnType<typeof load>, ReturnType<typeof load>];
  // A removed peer releases its locks first.
  await ofA.end();
  expect(await e.removeMember('a')).toEqual(['b', 'c', 'd', 'e']);
  await reached(d, 'f');
  await ofB.end();
  expect(await d.replaceMember('b', 'f')).toEqual(['c', 'd', 'e', 'f']);
  await f.ready;
  await ofC.end();
  expect(await f.removeMember('c')).toEqual(['d', 'e', 'f']);
  loads.push(load(f));
  await f.acquire('last');
  const fences = (await Promise.all(loads.map(({ end }) => end()))).flat();
  expect(new Set(fences).size).toBe(fences.length);
  for (const { fences } of loads) expect(fences.length).toBeGreaterThan(0);
  expect([c.members, d.members, f.members]).toEqual(Array.from({ length: 3 }, () => ['d', 'e', 'f']));
  expect(a.status()).toMatchObject({ state: 'apart', leader: null });
}

async function replacement(start: ReturnType<typeof cluster>) {
  const [a, b, c] = await beginning(start);
  const held = await b.acquire('x');
  const d = start('d', { join: true });
  while (d.members.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  expect(await a.replaceMember('c', 'd')).toEqual(['a', 'b', 'd']);
  await d.ready;
  expect(held.signal.aborted).toBe(false);
  const next = d.acquire('x');
  held.release();
  expect((await next).fence).toBeGreaterThan(held.fence);
  expect(c.members).toEqual(['a', 'b', 'd']);
}

describe('three become five, and others, under load, and no lock is lost', () => {
  test('on the in-process bus', () => fromThreeToFourOthers(onBus()));

  test('over WebSocket one is replaced', async () => {
    const hub = await webSocketHub({ port: 0 });
    onTestFinished(() => hub.close());
    const peers = [...three, 'd'];
    await replacement(
      cluster((id) => linked(webSocket({ id, url: `ws://127.0.0.1:${hub.port}`, WebSocket }), { peers, beatMs: 20 })),
    );
  });
});

describe('a change', () => {
  test('of the leader by the leader itself, while another holds', async () => {
    const [a, b, c] = await beginning(onBus());
    const leader = [a, b, c].find(({ node, status: _ }) => a.status().leader === node.id)!;
    const [other, third] = [a, b, c].filter((each) => each !== leader) as [Locks, Locks];
    const held = await other.acquire('x');
    await leader.removeMember(leader.node.id);
    const next = third.acquire('x');
    held.release();
    expect((await next).fence).toBeGreaterThan(held.fence);
    expect(held.signal.aborted).toBe(false);
  });

  test('on a founder whose storage is not read yet waits until the members are known', async () => {
    const start = onBus();
    const storage = new MapStorage();
    let read!: () => void;
    const isRead = new Promise<void>((resolve) => (read = resolve));
    const load = storage.load.bind(storage);
    storage.load = async (key) => (await isRead, load(key));
    const a = start('a', { peers: ['a'], storage });
    start('d', { join: true });
    while (!a.transport.peers.has('d')) await settled();
    const added = a.addMember('d');
    const over = new AbortController();
    const given = a.addMember('d', { signal: over.signal });
    over.abort(new Error('no longer wanted'));
    await expect(given).rejects.toThrow('no longer wanted');
    read();
    expect(await added).toEqual(['a', 'd']);
  });

  test('on a peer that never learns the members rejects as its locks end', async () => {
    const start = onBus();
    const storage = { load: () => Promise.reject(new Error('no disk')), save: async () => {} };
    vi.spyOn(console, 'warn').mockImplementation(() => {});
    await expect(start('a', { peers: ['a'], storage }).addMember('d')).rejects.toMatchObject({ name: 'StorageError' });
  });

  test('on three members at once: all are decided, and locks are requested meanwhile', async () => {
    const start = onBus();
    const [a, b, c] = await beginning(start);
    const [d, e] = [start('d', { join: true }), start('e', { join: true })];
    while (d.members.length === 0 || e.members.length === 0) await settled();
    const changes = [a.addMember('d'), b.addMember('e'), c.replaceMember('a', 'e')];
    expect(await Promise.all([a, b, c].map((locks) => locks.request('x', () => 'served')))).toEqual([
      'served',
      'served',
      'served',
    ]);
    await Promise.all(changes);
    expect(c.members).toEqual(['b', 'c', 'd', 'e']);
  });

  test('is refused if it makes no sense, and changes nothing', async () => {
    const start = onBus();
    const [a] = await beginning(start);
    const d = start('d', { join: true });
    while (d.members.length === 0) await settled();
    await expect(d.addMember('d')).rejects.toThrow('peer "d" is not a member of "locks". Call one of a, b, c');
    await expect(a.addMember('z')).rejects.toThrow(
      'peer "z" is not connected with "a". Start it with join: true before it is added',
    );
    await expect(a.addMember('')).rejects.toThrow('a member cannot be ""');
    expect(await a.addMember('b')).toEqual(three);
    const [alone] = await beginning(onBus(), ['a']);
    await expect(alone.removeMember('a')).rejects.toThrow('"a" is the last member of "locks"');
  });

  test('of a peer that never was a member is refused; of a removed one it is decided', async () => {
    const start = onBus();
    const [a, b, c] = await beginning(start, ['worker-1', 'worker-2', 'worker-3']);
    const never = (id: string, guess = '') =>
      `"${id}" is not a member of "locks" and never was one; ${guess}the members are worker-1, worker-2, worker-3. Nothing has changed`;
    await expect(a.removeMember('worker-22')).rejects.toThrow(never('worker-22', 'did you mean "worker-2"? '));
    await expect(a.removeMember('printer')).rejects.toThrow(never('printer'));
    const d = start('d', { join: true });
    while (d.members.length === 0) await settled();
    await expect(a.replaceMember('worker-4', 'd')).rejects.toThrow('"worker-4" is not a member');
    expect(a.members).toHaveLength(3);
    const rest = ['worker-1', 'worker-2'];
    expect(await a.removeMember('worker-3')).toEqual(rest);
    for (const locks of [a, b]) expect(await locks.removeMember('worker-3')).toEqual(rest);
    expect(await b.replaceMember('worker-1', 'd')).toEqual(['d', 'worker-2']);
    expect(await b.replaceMember('worker-1', 'd')).toEqual(['d', 'worker-2']);
    // It has learned every list, because it joined during the first one.
    for (const gone of ['worker-1', 'worker-3']) expect(await d.removeMember(gone)).toEqual(['d', 'worker-2']);
    await expect(d.removeMember('worker-9')).rejects.toThrow('never was one');
    expect(c.status().state).toBe('apart');
  });

  test('counts as decided at a peer that was not there for all earlier ones', async () => {
    const start = onBus();
    const [a] = await beginning(start);
    for (const [old, id] of [
      ['c', 'd'],
      ['d', 'e'],
    ] as const) {
      start(id, { join: true });
      await vi.waitFor(() => expect(a.transport.peers.has(id)).toBe(true));
      await a.replaceMember(old, id);
    }
    const f = start('f', { join: true });
    while (f.members.length === 0) await settled();
    await a.addMember('f');
    expect(await f.removeMember('d')).toEqual(['a', 'b', 'e', 'f']);
    expect(await f.removeMember('z')).toEqual(['a', 'b', 'e', 'f']);
    await expect(a.removeMember('z')).rejects.toThrow('never was one');
  });

  test('that cannot be decided is waited for until the signal aborts', async () => {
    const [a, b, c] = await beginning(onBus());
    await Promise.all([b.close({ withinMs: 0 }), c.close({ withinMs: 0 })]);
    await expect(a.removeMember('c', { signal: AbortSignal.timeout(20) })).rejects.toMatchObject({ name: 'TimeoutError' });
  });

  test('of locks that are closed is refused with their end', async () => {
    const a = createLocks({ transport: new InProcessBus().transport('a'), peers: ['a'] });
    await a.ready;
    await a.close();
    const message = expect.stringContaining('the locks of peer "a" are closed');
    for (const change of [a.addMember('b'), a.removeMember('a'), a.replaceMember('a', 'b')])
      await expect(change).rejects.toMatchObject({ name: 'ClosedError', message });
  });

  test('that waits is settled when the locks are closed', async () => {
    const [a, b, c] = await beginning(onBus());
    await Promise.all([b.close({ withinMs: 0 }), c.close({ withinMs: 0 })]);
    const removed = a.removeMember('c');
    await settled();
    await a.close({ withinMs: 0 });
    await expect(removed).rejects.toMatchObject({ name: 'ClosedError' });
  });
});

describe('a peer that restarts', () => {
  test('with storage knows the members; the list in its file is the first one', async () => {
    const storages = new Map(['a', 'b', 'c', 'd'].map((id) => [id, new MapStorage()]));
    const bus = new InProcessBus();
    const transports = new Map<string, Transport<Linked>>();
    const start = cluster((id) => {
      const transport = bus.transport(id);
      transports.set(id, transport);
      return transport;
    });
    const storage = (id: string) => storages.get(id)!;
    const [a] = await beginning(start, three, storage);
    const d = start('d', { join: true, storage: storage('d') });
    await d.node.ready;
    await a.addMember('d');
    const before = await a.request('x', async ({ fence }) => fence);
    await Promise.all([...transports.values()].map((transport) => transport.close()));
    const again = [...three, 'd'].map((id) =>
      start(id, { storage: storage(id), ...(id === 'd' ? { join: true } : { peers: three }) }),
    );
    await Promise.all(again.map(({ ready }) => ready));
    expect(again.map(({ members }) => members)).toEqual(again.map(() => ['a', 'b', 'c', 'd']));
    expect(await again[3]!.request('x', async ({ fence }) => fence)).toBeGreaterThan(before);
  });

  test('without storage, with the first list, learns the later one', async () => {
    const bus = new InProcessBus();
    const transports = new Map<string, Transport<Linked>>();
    const start = cluster((id) => {
      const transport = bus.transport(id);
      transports.set(id, transport);
      return transport;
    });
    const [a] = await beginning(start);
    const d = start('d', { join: true });
    await d.node.ready;
    await a.addMember('d');
    await transports.get('c')!.close();
    const c = start('c', { peers: three });
    await c.ready;
    expect(c.members).toEqual(['a', 'b', 'c', 'd']);
  });

  test('with storage and an additional name in its list warns once', async () => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
    onTestFinished(() => warn.mockRestore());
    const bus = new InProcessBus();
    const start = cluster((id) => bus.transport(id));
    const storages = new Map(three.map((id) => [id, new MapStorage()]));
    const storage = (id: string) => storages.get(id)!;
    const [a, , c] = await beginning(start, three, storage);
    await c.transport.close();
    const again = start('c', { peers: [...three, 'd'], storage: storage('c') });
    await again.ready;
    expect(again.members).toEqual(three);
    const warnings = () => warn.mock.calls.map(([text]) => text as string).filter((text) => text.includes('not vote'));
    expect(warnings()).toEqual([
      'peer "c" was given the peers a, b, c, d for "locks", of which d does not vote: a, b, c do, by decision of the cluster. Pass the original ' +
        'list of peers, and call addMember for each new voter',
    ]);
    // The list with which the cluster began stays valid, and one that is not known yet is not a mistake.
    const d = start('d', { join: true });
    await vi.waitFor(() => expect(a.transport.peers.has('d')).toBe(true));
    await again.transport.close();
    await a.addMember('d');
    const third = start('c', { peers: [...three, 'd'], storage: storage('c') });
    await third.ready;
    await d.removeMember('a');
    await third.transport.close();
    const fourth = start('c', { peers: three, storage: storage('c') });
    await fourth.ready;
    expect(fourth.members).toEqual(['b', 'c', 'd']);
    expect(warnings()).toHaveLength(1);
  });

  test('reports that it was removed, and not only that it is not a member', async () => {
    const bus = new InProcessBus();
    const [a, b, c] = await beginning(cluster((id) => bus.transport(id)));
    await a.removeMember('c');
    await vi.waitFor(() => expect(c!.members).toEqual(['a', 'b']));
    await expect(c!.addMember('c')).rejects.toThrow('peer "c" was removed from "locks". Call one of a, b');
    expect(await b!.addMember('c')).toEqual(['a', 'b', 'c']);
  });

  test('with the new list in its file is refused, with the remedy', async () => {
    const bus = new InProcessBus();
    const start = cluster((id) => bus.transport(id));
    const [a] = await beginning(start);
    const d = start('d', { join: true });
    await d.node.ready;
    await a.addMember('d');
    const e = start('e', { peers: ['a', 'b', 'c', 'd', 'e'] });
    await expect(e.ready).rejects.toMatchObject({
      name: 'ConfigurationError',
      message: expect.stringMatching(
        /was started with the peers a, b, c, d \(changed since its cluster began\) for "locks", and "e" with a, b, c, d, e\. .* join: true/,
      ),
    });
  });
});

test('either the first peers or join is given, not both', () => {
  const bus = new InProcessBus();
  const transport = bus.transport('a');
  expect(() => createLocks({ transport })).toThrow('createLocks: peers is missing. Pass the ids of all');
  expect(() => createLocks({ transport, peers: ['a'], join: true })).toThrow('Pass nothing together with join: true');
  expect(() => createLocks({ transport, peers: ['b'] })).toThrow(
    'List it, or pass client: true for a peer that does not vote, or join: true instead of peers',
  );
  bus.close();
});

test('a member without service, away during a removal, does not claim membership', async () => {
  const four = ['a', 'b', 'c', 'd'];
  const storages = Object.fromEntries(four.map((id) => [id, new MapStorage()]));
  const before = onBus();
  const [a, , , d] = (await beginning(before, four, (id) => storages[id]!)) as readonly Locks[];
  await d!.close();
  await d!.transport.close();
  expect(await a!.removeMember('c')).toEqual(['a', 'b', 'd']);
  const stale = onBus()('d', { peers: four, storage: storages['d']! });
  await vi.waitFor(() => expect(stale.members).toEqual(four));
  await expect(stale.addMember('c')).rejects.toThrow('peer "c" is not connected with "d"');
});

test('a change that waits for another one ends with its signal, and may still begin', async () => {
  const [a, b, c] = await beginning(onBus());
  await b.transport.close();
  await c.transport.close();
  const [first, behind] = [new AbortController(), new AbortController()];
  const waiting = a.removeMember('c', { signal: first.signal });
  const second = a.removeMember('b', { signal: behind.signal });
  behind.abort(new Error('no longer wanted'));
  await expect(second).rejects.toThrow('no longer wanted');
  first.abort(new Error('nor this'));
  await expect(waiting).rejects.toThrow('nor this');
});

test('a member that replaces itself is present at once', async () => {
  const [a] = await beginning(onBus());
  expect(await a.replaceMember('b', 'b')).toEqual(three);
  expect(await a.removeMember('c')).toEqual(['a', 'b']);
});
