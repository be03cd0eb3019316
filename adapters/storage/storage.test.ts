/** Peers with persistent state: restarts of the whole cluster, and storages that are damaged, full or gone. */
import { createNames } from '../names.js';
import { createQuota } from '../quota.js';
import { appendFileSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { jetstream } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import { Kvm } from '@nats-io/kv';
import { VirtualTimeScheduler, type SchedulerLike } from 'rxjs';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { createLocks, type Locks } from '../locks/locks.js';
import { settled } from '../locks/peers.fixture.js';
import { Register } from '../locks/register.js';
import { InProcessBus } from '../transports/in-process.js';
import { hasCommand } from '../../testing/servers.js';
import { jetStreamServer } from '../transports/servers.fixture.js';
import { folderStorage } from './folder.js';
import { jetStreamStorage } from './jet-stream.js';
import { MapStorage } from './map.fixture.js';
import type { PeerStorage } from './storage.js';

const IDS = ['a', 'b', 'c'];
/** A clock that does not advance: numbers that grow over a restart grow because they were stored. */
const stopped = { now: () => 1_735_689_600_000 };

function temporary(): string {
  const folder = mkdtempSync(join(tmpdir(), 'quiver-storage-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Starts the whole cluster with the stored state of its peers. */
async function begin(storageOf: (id: string) => PeerStorage | undefined, ids = IDS): Promise<Record<string, Locks>> {
  const bus = new InProcessBus();
  onTestFinished(() => bus.close());
  const clock = { ...stopped, schedule: setScheduled };
  const made = ids.map((id) =>
    createLocks({ transport: bus.transport(id), peers: IDS, storage: storageOf(id), clock: clock as never }),
  );
  await Promise.all(made.map(({ ready }) => ready));
  return Object.fromEntries(ids.map((id, i) => [id, made[i]!]));
}
const setScheduled = (work: (this: unknown, state?: unknown) => void, delay = 0, state?: unknown) => {
  const timer = setTimeout(() => work.call({ schedule: setScheduled }, state), delay);
  return { unsubscribe: () => clearTimeout(timer), closed: false };
};
const end = (locks: Record<string, Locks>) => Promise.all(Object.values(locks).map((each) => each.transport.close()));

const isCount = (value: unknown): value is number => Number.isSafeInteger(value);

describe.each<[string, () => (id: string) => PeerStorage]>([
  [
    'in memory',
    () => {
      const storages = new Map(IDS.map((id) => [id, new MapStorage()]));
      return (id) => storages.get(id)!;
    },
  ],
  [
    'in folders',
    () => {
      const folder = temporary();
      return (id) => folderStorage(join(folder, id));
    },
  ],
])('a restart of all peers at once, with storages %s', (_, storages) => {
  test('fences grow, names stay unique, and quotas and registers stay exact', async () => {
    const storageOf = storages();
    const fences: number[] = [];
    const names: number[] = [];
    let taken = 0;
    for (let life = 1; life <= 3; life++) {
      const locks = await begin(storageOf);
      fences.push(await locks['a']!.request('x', ({ fence }) => fence), await locks['b']!.request('x', ({ fence }) => fence));
      const registers = IDS.map((id) => new Register<number>(locks[id]!, 'lives', 0, isCount));
      expect(await registers[life % 3]!.change((lives) => lives + 1)).toBe(life);
      const numbers = IDS.map((id) => createNames({ locks: locks[id]! }));
      for (const each of numbers) names.push(await each.next());
      const quotas = IDS.map((id) => createQuota({ locks: locks[id]!, budget: 10 }));
      for (const quota of quotas) if ((await quota.take(2)).ok) taken += 2;
      await end(locks);
    }
    expect(fences).toEqual(fences.toSorted((p, q) => p - q));
    expect(new Set([...fences, ...names]).size).toBe(fences.length + names.length);
    expect(taken).toBe(10);
  });
});

test('without storage a restart starts over: fences grow only if the clock does', async () => {
  const fences: number[] = [];
  for (let life = 0; life < 2; life++) {
    const locks = await begin(() => undefined);
    fences.push(await locks['a']!.request('x', ({ fence }) => fence));
    await end(locks);
  }
  expect(fences[1]).toBeLessThanOrEqual(fences[0]!);
});

test('two of three start without the third if their storages are new', async () => {
  const storages = new Map(IDS.map((id) => [id, new MapStorage()]));
  const locks = await begin((id) => storages.get(id)!, ['a', 'c']);
  expect(await locks['c']!.request('x', ({ fence }) => fence)).toBeGreaterThan(0);
  await end(locks);
});

test('a peer with damaged storage counts as forgetful: the others restore its state', async () => {
  const storages = new Map(IDS.map((id) => [id, new MapStorage()]));
  const first = await begin((id) => storages.get(id)!);
  const before = await first['a']!.request('x', ({ fence }) => fence);
  await end(first);
  storages.get('b')!.values.set('locks', 'torn');
  const second = await begin((id) => storages.get(id)!, ['a', 'c']);
  expect(await second['c']!.request('x', ({ fence }) => fence)).toBeGreaterThan(before);
  await end(second);
  // One peer that remembers and one that has forgotten do not form a majority.
  const bus = new InProcessBus();
  onTestFinished(() => bus.close());
  const [a, b] = ['a', 'b'].map((id) =>
    createLocks({ transport: bus.transport(id), peers: IDS, storage: storages.get(id)! }),
  ) as [Locks, Locks];
  const signal = AbortSignal.timeout(300);
  await expect(a.acquire('x', { signal })).rejects.toMatchObject({ name: 'TimeoutError' });
  await Promise.all([a.close(), b.close()]);
});

test('the storage of another peer is refused with an error that names it', async () => {
  const storages = new Map(IDS.map((id) => [id, new MapStorage()]));
  await end(await begin((id) => storages.get(id)!));
  const [of, before] = [storages.get('a')!, structuredClone(storages.get('a')!.values)];
  const bus = new InProcessBus();
  onTestFinished(() => bus.close());
  const b = createLocks({ transport: bus.transport('b'), peers: IDS, storage: of });
  await expect(b.ready).rejects.toMatchObject({
    name: 'StorageError',
    message: '"locks" in the storage of peer "b" belongs to peer "a". Use a separate storage for each peer.',
  });
  expect(of.values).toEqual(before);
});

describe('a restarted peer with a different list of peers than the stored one', () => {
  const startAgain = async (peers: readonly string[]) => {
    const storage = new MapStorage();
    await end(await begin((id) => (id === 'a' ? storage : new MapStorage())));
    const bus = new InProcessBus();
    onTestFinished(() => bus.close());
    return createLocks({ transport: bus.transport('a'), peers, storage });
  };

  test('is refused with both lists in one order if the new list lacks a peer', async () => {
    const a = await startAgain(['b', 'a']);
    await expect(a.ready).rejects.toMatchObject({
      name: 'ConfigurationError',
      message:
        'peer "a" was given the peers a, b for "locks", and has stored that a, b, c vote. Pass the original list of peers. If c must leave, call locks.removeMember',
    });
  });

  test('uses the stored list if that one has more peers', async () => {
    const a = await startAgain(['a', 'b', 'c', 'd']);
    await a.node.ready;
    await settled();
    expect([a.members, a.status().state]).toEqual([IDS, 'apart']);
    await a.close();
  });
});

test('a full storage ends its peer with a StorageError', async () => {
  const storages = new Map(IDS.map((id) => [id, new MapStorage()]));
  const locks = await begin((id) => storages.get(id)!);
  storages.get('b')!.failure = new Error('ENOSPC: no space left on device');
  const waiting = locks['b']!.acquire('x', { signal: AbortSignal.timeout(5_000) }).then((lock) => lock.signal);
  await locks['c']!.transport.close();
  await expect(locks['b']!.node.closed).resolves.toMatchObject({
    name: 'StorageError',
    message:
      '"locks" cannot be saved, so nothing that depends on it was sent: ENOSPC: no space left on device. Make the storage writable and restart the peer.',
  });
  const signal = await waiting.catch((error: Error) => error);
  expect(signal instanceof AbortSignal ? signal.reason : signal).toMatchObject({
    name: signal instanceof AbortSignal ? 'LostError' : 'StorageError',
  });
  await expect(locks['b']!.acquire('y')).rejects.toMatchObject({ name: 'StorageError' });
  await end(locks);
});

/** Failures of a disk other than an error. Each of them once blocked the other peers. */
describe.each<[string, PeerStorage['save']]>([
  ['refuses', async () => Promise.reject(new Error('ENOSPC: no space left on device'))],
  [
    'throws at once',
    () => {
      throw new Error('ENOSPC: no space left on device');
    },
  ],
  ['throws a value that is not an error', async () => Promise.reject('ENOSPC: no space left on device')],
])('a storage that %s ends only its peer, whose transport stays open', (_, broken) => {
  test.each(['from the first', 'while it serves'])('%s', async (when) => {
    const bus = new InProcessBus();
    onTestFinished(() => bus.close());
    const storage = new MapStorage();
    const failing: PeerStorage = {
      load: (key) => storage.load(key),
      save: (key, value) => (isBroken ? broken(key, value) : storage.save(key, value)),
    };
    let isBroken = when === 'from the first';
    const transports = IDS.map((id) => bus.transport(id));
    const [a, b, c] = transports.map((transport) =>
      createLocks({ transport, peers: IDS, storage: transport.id === 'a' ? failing : new MapStorage() }),
    ) as [Locks, Locks, Locks];
    if (!isBroken) {
      await Promise.all([a, b, c].map(({ ready }) => ready));
      isBroken = true;
      await transports[2]!.close();
      await expect(a.node.closed).resolves.toMatchObject({ name: 'StorageError' });
      expect(b.status().missing).toEqual(expect.arrayContaining(['c']));
      const again = createLocks({ transport: bus.transport('c'), peers: IDS, storage: new MapStorage() });
      expect(await again.request('x', ({ fence }) => fence)).toBeGreaterThan(0);
      await again.close();
      return;
    }
    await expect(a.ready).rejects.toMatchObject({
      name: 'StorageError',
      message:
        '"locks" cannot be saved, so nothing that depends on it was sent: ENOSPC: no space left on device. Make the storage writable and restart the peer.',
    });
    expect(transports[0]!.isClosed).toBe(false);
    const signal = AbortSignal.timeout(2_000);
    expect(await b.request('x', { signal }, ({ fence }) => fence)).toBeGreaterThan(0);
    expect(c.status().missing).toEqual(['a']);
    await Promise.all([b.close(), c.close()]);
  });
});

test('a storage that never answers ends its peer after 30 seconds; the others go on', async () => {
  const bus = new InProcessBus();
  onTestFinished(() => bus.close());
  const clock = new VirtualTimeScheduler();
  const virtual = { now: () => clock.now(), schedule: clock.schedule.bind(clock) } as SchedulerLike;
  const hung: PeerStorage = { load: async () => undefined, save: () => new Promise(() => {}) };
  const made = IDS.map((id) =>
    createLocks({
      transport: bus.transport(id),
      peers: IDS,
      ...(id === 'a' ? { storage: hung, clock: virtual } : { storage: new MapStorage() }),
    }),
  );
  const isOver = vi.fn<() => void>();
  void made[0]!.node.closed.then(isOver);
  await vi.waitFor(() => expect(made[1]!.status()).toMatchObject({ state: 'following', missing: [] }), 20_000);
  clock.maxFrames = 29_000;
  clock.flush();
  await settled();
  expect(isOver).not.toHaveBeenCalled();
  clock.maxFrames = 31_000;
  clock.flush();
  await expect(made[0]!.node.closed).resolves.toMatchObject({
    name: 'StorageError',
    message: expect.stringContaining('the storage has not responded for 30 s. Check it, end this process'),
  });
  expect(await made[1]!.request('x', { signal: AbortSignal.timeout(2_000) }, ({ fence }) => fence)).toBeGreaterThan(0);
  await Promise.all(made.map((locks) => locks.close()));
});

test('a storage that cannot be loaded is reported at the start', async () => {
  const storage = new MapStorage();
  storage.failure = new Error('EACCES: permission denied');
  const bus = new InProcessBus();
  const locks = createLocks({ transport: bus.transport('a'), peers: IDS, storage });
  await expect(locks.ready).rejects.toMatchObject({
    name: 'StorageError',
    message: expect.stringContaining('"locks" cannot be loaded: EACCES'),
  });
  bus.close();
});

describe('a folder', () => {
  test('loads the value saved last under any key, and undefined for others', async () => {
    const folder = join(temporary(), 'deep', 'er');
    const storage = folderStorage(folder);
    expect(await storage.load('locks/ä b')).toBeUndefined();
    await storage.save('locks/ä b', { n: 1 });
    await storage.save('locks/ä b', { n: 2, text: 'two\nlines' });
    await storage.save('other', [1]);
    expect(await folderStorage(folder).load('locks/ä b')).toEqual({ n: 2, text: 'two\nlines' });
    expect(readdirSync(folder).every((file) => file.endsWith('.json'))).toBe(true);
  });

  test.each<[string, (file: string) => void]>([
    ['cut short', (file) => writeFileSync(file, 'ab12')],
    ['emptied', (file) => writeFileSync(file, '')],
    ['longer', (file) => appendFileSync(file, ' ')],
  ])('detects a file that is %s', async (_, damage) => {
    const folder = temporary();
    await folderStorage(folder).save('locks', { n: 1 });
    damage(join(folder, 'locks.json'));
    expect(await folderStorage(folder).load('locks')).toBeNull();
  });

  test('an incomplete write leaves the previous value', async () => {
    const folder = temporary();
    await folderStorage(folder).save('locks', { n: 1 });
    writeFileSync(join(folder, 'locks.json.new'), 'half');
    expect(await folderStorage(folder).load('locks')).toEqual({ n: 1 });
  });

  test('is refused with an error in the place of a file', async () => {
    const folder = join(temporary(), 'file');
    writeFileSync(folder, '');
    await expect(folderStorage(folder).save('locks', 1)).rejects.toThrow('EEXIST');
  });
});

describe.skipIf(!hasCommand('nats-server'))('a bucket of JetStream, with a server that keeps it on its disk', () => {
  test('keeps values by peer and key, also over a kill -9 of the server', async () => {
    const folder = temporary();
    let server = await jetStreamServer(folder);
    const open = async (peer: string) => {
      const connection = await connect({ servers: `nats://127.0.0.1:${server.port}` });
      const bucket = await new Kvm(connection).create('quiver');
      return { storage: jetStreamStorage({ bucket, peer }), close: () => connection.close() };
    };
    const first = await open('a');
    expect(await first.storage.load('locks')).toBeUndefined();
    await first.storage.save('locks', { n: 1 });
    await first.storage.save('locks', { n: 2 });
    await first.storage.save('locks/ä.b', [3]);
    const other = await open('b');
    expect(await other.storage.load('locks')).toBeUndefined();
    await Promise.all([first.close(), other.close()]);
    await server.kill();
    server = await jetStreamServer(folder);
    const again = await open('a');
    expect(await again.storage.load('locks')).toEqual({ n: 2 });
    expect(await again.storage.load('locks/ä.b')).toEqual([3]);
    await again.close();
    await server.kill();
  }, 30_000);

  test("outlives an outage longer than the client's patience, and names other writers", async () => {
    const folder = temporary();
    let server = await jetStreamServer(folder);
    const open = async () => {
      const connection = await connect({
        servers: `nats://127.0.0.1:${server.port}`,
        maxReconnectAttempts: -1,
        reconnectTimeWait: 100,
      });
      onTestFinished(() => connection.close());
      const bucket = await new Kvm(jetstream(connection, { timeout: 200 })).create('quiver');
      const failures: unknown[] = [];
      const put: typeof bucket.put = (...given) =>
        bucket.put(...given).catch((error: Error) => {
          failures.push(error.name);
          throw error;
        });
      return { storage: jetStreamStorage({ bucket: { get: (key) => bucket.get(key), put }, peer: 'a' }), failures };
    };
    const [one, two] = [await open(), await open()];
    await one.storage.save('locks', 1);
    await server.kill();
    const saved = one.storage.save('locks', 2);
    await vi.waitFor(() => expect(one.failures.length).toBeGreaterThan(1), 5_000);
    server = await jetStreamServer(folder, server.port);
    onTestFinished(() => server.kill());
    await saved;
    expect(await two.storage.load('locks')).toBe(2);
    await two.storage.save('locks', 3);
    await expect(one.storage.save('locks', 4)).rejects.toMatchObject({ name: 'StorageError' });
    expect(await one.storage.load('locks')).toBe(3);
  }, 30_000);
});
