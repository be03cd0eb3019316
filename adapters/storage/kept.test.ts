/** Stored state of a peer: its owner, damage, and the reports about a storage that fails or never answers. */
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { VirtualClock } from '../../network/clock.js';
import { StorageError } from '../transports/errors.js';
import type { Json } from '../transports/transport.js';
import { folderStorage } from './folder.js';
import { indexedDbStorage } from './indexed-db.js';
import { jetStreamStorage } from './jet-stream.js';
import { loadStored, save, type PeerStorage } from './storage.js';

describe('stored state', () => {
  const clock = new VirtualClock();
  const keeping = { peer: 'a', key: 'locks', clock };
  const holding = (value: Json | undefined): PeerStorage => ({ load: async () => value, save: async () => {} });
  const load = (value: Json | undefined) => loadStored(holding(value), keeping);

  test('is the saved value, with its owner, under its key', async () => {
    const saved: unknown[] = [];
    const storage: PeerStorage = {
      load: async (key) => (key === 'locks' ? { peer: 'a', stored: { x: 1 } } : undefined),
      save: async (...given) => void saved.push(given),
    };
    await save(storage, keeping, { x: 1 });
    expect(saved).toEqual([['locks', { peer: 'a', stored: { x: 1 } }]]);
    expect(await loadStored(storage, keeping)).toEqual({ x: 1 });
    expect(clock.isIdle).toBe(true);
  });

  test('is absent if nothing was ever stored, and damaged if it cannot be read', async () => {
    expect(await load(undefined)).toEqual({});
    const damaged: Json[] = [null, 7, [], {}, { peer: 7, stored: {} }, { stored: {} }, { peer: 'a' }, { peer: 'a', stored: 'x' }];
    for (const value of damaged) expect(await load(value)).toEqual({ damaged: true });
  });

  test('by another peer is refused with an error that names it', async () => {
    await expect(load({ peer: 'b', stored: {} })).rejects.toEqual(
      new StorageError('"locks" in the storage of peer "a" belongs to peer "b". Use a separate storage for each peer.'),
    );
  });

  test.each<[thrown: unknown, why: string]>([
    [new Error('disk full'), 'disk full'],
    ['no disk', 'no disk'],
  ])('the error of a storage is reported with its message', async (thrown, why) => {
    const failing: PeerStorage = { load: () => Promise.reject(thrown), save: () => Promise.reject(thrown) };
    await expect(loadStored(failing, keeping)).rejects.toMatchObject({
      name: 'StorageError',
      message: `"locks" cannot be loaded: ${why}. Make the storage readable and restart the peer.`,
      cause: thrown,
    });
    await expect(save(failing, keeping, {})).rejects.toMatchObject({
      message: `"locks" cannot be saved, so nothing that depends on it was sent: ${why}. Make the storage writable and restart the peer.`,
    });
    expect(clock.isIdle).toBe(true);
  });

  test("a storage's own error is passed on unchanged", async () => {
    const own = new StorageError('mine');
    await expect(loadStored({ load: () => Promise.reject(own), save: async () => {} }, keeping)).rejects.toBe(own);
  });

  test('a storage that never answers fails after thirty seconds', async () => {
    const own = new VirtualClock();
    const hung: PeerStorage = { load: () => new Promise(() => {}), save: async () => {} };
    const ends: unknown[] = [];
    const loading = loadStored(hung, { ...keeping, clock: own }).catch((error: Error) => ends.push(error.message));
    own.runUntil(29_999);
    await new Promise((resolve) => setImmediate(resolve));
    expect(ends).toEqual([]);
    own.runUntil(30_000);
    await loading;
    expect(ends).toEqual([
      '"locks" cannot be loaded: the storage has not responded for 30 s. Check it, end this process so that nothing is written late, and restart the peer.',
    ]);
  });
});

describe('a folder', () => {
  async function folder() {
    const path = await mkdtemp(join(tmpdir(), 'quiver-'));
    onTestFinished(() => rm(path, { recursive: true }));
    return join(path, 'new');
  }

  test('stores the last value of each key in a separate file, and leaves no other files', async () => {
    const path = await folder();
    const storage = folderStorage(path);
    expect(await storage.load('x')).toBeUndefined();
    await storage.save('x', { old: true });
    await storage.save('x', ['line\nbreak', null]);
    await storage.save('a/b', 0);
    expect([await storage.load('x'), await folderStorage(path).load('a/b')]).toEqual([['line\nbreak', null], 0]);
    expect((await readdir(path)).sort()).toEqual(['a%2Fb.json', 'x.json']);
  });

  test('distinguishes a torn or changed file from a missing one', async () => {
    const path = await folder();
    const storage = folderStorage(path);
    await storage.save('x', { n: 1 });
    const file = join(path, 'x.json');
    const text = await readFile(file, 'utf8');
    for (const spoiled of ['', text.slice(0, -1), text.replace('1', '2'), text.split('\n')[0]!, '{"n":1}']) {
      await writeFile(file, spoiled);
      expect(await storage.load('x')).toBeNull();
    }
    await writeFile(file, text);
    expect(await storage.load('x')).toEqual({ n: 1 });
  });

  test('of an unreadable folder is not taken for an empty one', async () => {
    const path = await folder();
    await writeFile(path, 'a file');
    await expect(folderStorage(path).load('x')).rejects.toMatchObject({ code: 'ENOTDIR' });
    await expect(folderStorage(path).save('x', 1)).rejects.toMatchObject({ code: 'EEXIST' });
  });

  test.each([[''], [undefined], [new URL('file:///x')]])('an invalid folder is refused: %s', (path) => {
    expect(() => folderStorage(path as never)).toThrow(
      "folderStorage requires the path of a folder. Pass a text such as '/var/lib/printers/a'; for a URL, fileURLToPath(url).",
    );
  });
});

describe('a bucket of JetStream', () => {
  const named = (name: string, more: object = {}) => Object.assign(new Error(name), { name }, more);
  const timeout = () => named('TimeoutError');

  /** The used part of a bucket. `fails` returns the error of the client, thrown after the value was written or instead. */
  const bucketOf = () => {
    const kept = new Map<string, { operation: string; string: () => string; revision: number }>();
    let revision = 0;
    const all = {
      puts: 0,
      gets: 0,
      fails: [] as { readonly error: Error; readonly isWritten?: boolean }[],
      unread: [] as Error[],
    };
    const write = (key: string, text: string, operation = 'PUT') =>
      kept.set(key, { operation, string: () => text, revision: ++revision });
    const bucket = {
      get: async (key: string) => {
        all.gets++;
        const error = all.unread.shift();
        if (error) throw error;
        return kept.get(key) ?? null;
      },
      put: async (key: string, text: string, { previousSeq }: { previousSeq: number }) => {
        all.puts++;
        const fault = all.fails.shift();
        if (fault && !fault.isWritten) throw fault.error;
        if ((kept.get(key)?.revision ?? 0) !== previousSeq) throw named('JetStreamApiError', { code: 10_071 });
        write(key, text);
        if (fault) throw fault.error;
        return revision;
      },
    };
    return { kept, all, write, bucket: bucket as never };
  };
  const key = 'a.locks';

  test('stores values by peer and key, and a deleted key counts as absent', async () => {
    const { kept, write, bucket } = bucketOf();
    const storage = jetStreamStorage({ bucket, peer: 'a.b' });
    expect(await storage.load('locks')).toBeUndefined();
    expect(await storage.save('locks/x', { n: 1 })).toBeUndefined();
    expect([...kept.keys()]).toEqual(['a=2eb.locks=2fx']);
    expect(await storage.load('locks/x')).toEqual({ n: 1 });
    write('a=2eb.locks', '', 'DEL');
    expect(await storage.load('locks')).toBeUndefined();
    await storage.save('locks', 1);
    await storage.save('locks', 2);
    expect(await storage.load('locks')).toBe(2);
  });

  /** Advances the clock, and lets promises settle in between. */
  async function goOn(clock: VirtualClock, until: number): Promise<void> {
    for (let at = clock.now(); at <= until; at += 250) {
      clock.runUntil(at);
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  test.each<[string, () => Error]>([
    ['timeout', timeout],
    ['no responders', () => named('NoResponders')],
    ['no responders, with the wrapped error of the client', () => named('JetStreamNotEnabled', { cause: named('RequestError') })],
    ['a lost connection', () => named('RequestError')],
    ['a traced timeout', () => named('RequestError', { cause: timeout() })],
    ['no leader', () => named('JetStreamApiError', { code: 10_008 })],
  ])('repeats requests while servers are away: %s', async (_, error) => {
    const clock = new VirtualClock();
    const { kept, all, bucket } = bucketOf();
    const storage = jetStreamStorage({ bucket, peer: 'a', clock });
    all.unread = [error(), error()];
    all.fails = [{ error: error() }, { error: error() }];
    const saved = storage.load('locks').then(() => storage.save('locks', { n: 1 }));
    await goOn(clock, 2_000);
    await saved;
    expect([kept.get(key)!.string(), all.puts, clock.isIdle]).toEqual(['{"n":1}', 3, true]);
  });

  test('fails after thirty seconds, and at once if retrying is useless', async () => {
    const clock = new VirtualClock();
    const { all, bucket } = bucketOf();
    const storage = jetStreamStorage({ bucket, peer: 'a', clock });
    await storage.load('locks');
    all.fails = [{ error: named('ClosedConnectionError') }, ...Array.from({ length: 1_000 }, () => ({ error: timeout() }))];
    await expect(storage.save('locks', 1)).rejects.toThrow('ClosedConnectionError');
    expect(all.puts).toBe(1);
    const ends: unknown[] = [];
    const saving = storage.save('locks', 1).catch((error: Error) => ends.push(error.name));
    await goOn(clock, 29_500);
    expect(ends).toEqual([]);
    await goOn(clock, 31_000);
    await saving;
    expect([ends, clock.isIdle]).toEqual([['TimeoutError'], true]);
    const { puts } = all;
    await goOn(clock, 60_000);
    expect(all.puts).toBe(puts);
  });

  test('a write with a lost answer counts once, and the next one follows it', async () => {
    const clock = new VirtualClock();
    const { kept, all, bucket } = bucketOf();
    const storage = jetStreamStorage({ bucket, peer: 'a', clock });
    all.fails = [{ error: timeout(), isWritten: true }];
    const saved = storage.save('locks', 1).then(() => storage.save('locks', 2));
    await goOn(clock, 1_000);
    await saved;
    expect([kept.get(key)!.string(), kept.get(key)!.revision, all.puts]).toEqual(['2', 2, 3]);
  });

  test('waits for a server that lags behind', async () => {
    const clock = new VirtualClock();
    const { kept, all, bucket } = bucketOf();
    const storage = jetStreamStorage({ bucket, peer: 'a', clock });
    await storage.load('locks');
    all.fails = [{ error: named('JetStreamApiError', { code: 10_071 }) }];
    const saved = storage.save('locks', 1);
    await goOn(clock, 1_000);
    await saved;
    expect(kept.get(key)!.string()).toBe('1');
  });

  test.each<[string, boolean]>([
    ['another value', false],
    ['the same value, not sent by this peer', true],
  ])('an error names another writer: %s', async (_, isSame) => {
    const { kept, write, bucket } = bucketOf();
    const storage = jetStreamStorage({ bucket, peer: 'a' });
    await storage.save('locks', 1);
    write(key, isSame ? '2' : '3');
    const { revision } = kept.get(key)!;
    await expect(storage.save('locks', 2)).rejects.toEqual(
      new StorageError(
        '"locks" of peer "a" was written by another process since it was read. Two processes with the same id, or two clusters, share a bucket. Run one process for each id, and use a separate bucket or name for each cluster (createLocks({ name })), and restart the peer.',
      ),
    );
    expect(kept.get(key)!.revision).toBe(revision);
    await storage.load('locks');
    await storage.save('locks', 4);
    expect(kept.get(key)!.string()).toBe('4');
  });

  test('an invalid bucket or peer is refused with an error that names it', () => {
    const { bucket } = bucketOf();
    const none =
      "jetStreamStorage requires { bucket, peer }. Create the bucket with @nats-io/kv: await new Kvm(await connect()).create('printers')";
    for (const options of [undefined, {}, { bucket: {} }, { bucket: { get: () => {} } }, { bucket: { put: () => {} } }])
      expect(() => jetStreamStorage(options as never)).toThrow(none);
    for (const peer of [undefined, '', 7])
      expect(() => jetStreamStorage({ bucket, peer } as never)).toThrow(
        'Invalid option "peer" in jetStreamStorage. Pass the id of the peer.',
      );
  });
});

describe('IndexedDB', () => {
  /** A request or a transaction that the test completes. */
  class Ending extends EventTarget {
    error: Error | null = null;
    result: unknown;
    end(word: string): void {
      queueMicrotask(() => this.dispatchEvent(new Event(word)));
    }
  }

  /** As much of a browser's IndexedDB as is used; `ends` is how the next transaction ends, or the next request of one that reads. */
  function platform() {
    const kept = new Map<string, unknown>();
    const all = {
      opened: [] as unknown[][],
      modes: [] as unknown[][],
      stores: [] as string[],
      ends: '',
      error: null as Error | null,
    };
    const database = {
      createObjectStore: (name: string) => all.stores.push(name),
      transaction: (...given: unknown[]) => {
        all.modes.push(given);
        const transaction = new Ending();
        transaction.error = all.error;
        const objectStore = () => ({
          get: (key: string) => {
            const request = Object.assign(new Ending(), { result: kept.get(key), error: all.error });
            request.end(all.ends || 'success');
            return request;
          },
          put: (value: unknown, key: string) => {
            kept.set(key, value);
            transaction.end('complete');
          },
        });
        return Object.assign(transaction, { objectStore });
      },
    };
    const before = Object.getOwnPropertyDescriptor(globalThis, 'indexedDB');
    Object.defineProperty(globalThis, 'indexedDB', {
      configurable: true,
      value: {
        open: (...given: unknown[]) => {
          all.opened.push(given);
          const request = Object.assign(new Ending(), { result: database });
          request.end('upgradeneeded');
          request.end('success');
          return request;
        },
      },
    });
    onTestFinished(() => {
      if (before) Object.defineProperty(globalThis, 'indexedDB', before);
      else delete (globalThis as { indexedDB?: unknown }).indexedDB;
    });
    return { kept, all };
  }

  test('opens its database once, with a store for the values, and writes to the disk', async () => {
    const { kept, all } = platform();
    const storage = indexedDbStorage('printers a');
    expect(await storage.load('x')).toBeUndefined();
    await storage.save('x', { n: 1 });
    expect([await storage.load('x'), [...kept]]).toEqual([{ n: 1 }, [['x', { n: 1 }]]]);
    expect([all.opened, all.stores]).toEqual([[['printers a', 1]], ['values']]);
    expect(all.modes).toEqual([['values'], ['values', 'readwrite', { durability: 'strict' }], ['values']]);
  });

  test.each(['error', 'abort'])('an operation that ends with %s rejects with the reason', async (ends) => {
    const { all } = platform();
    const storage = indexedDbStorage('printers a');
    await storage.load('x');
    Object.assign(all, { ends, error: new Error('no room') });
    await expect(storage.save('x', 1)).rejects.toThrow('no room');
    await expect(storage.load('x')).rejects.toThrow('no room');
    all.error = null;
    await expect(storage.save('x', 1)).rejects.toThrow('the database was closed, so open the page again');
  });
});
