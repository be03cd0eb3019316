/**
 * The conformance suite of storages: requirements for the values of one peer and, if all members share the storage, for the copies of
 * actors.
 *
 * The caller passes the test runner: any function that takes a title and an async function.
 */
import { environmentOf } from '../environment.js';
import { StorageError } from '../transports/errors.js';
import type { Json } from '../transports/transport.js';
import { isShared, type SharedStorage } from './shared.js';
import type { PeerStorage } from './storage.js';

/**
 * Options for `storageConformance`.
 *
 * @public
 */
export interface StorageConformance {
  /** The runner's test function, such as that of vitest or node:test. */
  readonly test: (title: string, run: () => Promise<void>) => void;
  /** Opens the storage of a peer, as a new process does: it contains the values saved for the same peer before. */
  readonly create: (peer: string) => PeerStorage | Promise<PeerStorage>;
  /** True if all members share the storage. @defaultValue false */
  readonly shared?: boolean;
}

/**
 * Defines the tests that every storage must pass, with the given runner.
 *
 * @param suite the `test` function of a runner, and a function that creates the storage of a peer.
 * @example
 * ```ts
 * import { test } from 'node:test';
 * import { storageConformance } from 'xstate-quiver/storage';
 * import { folderStorage } from 'xstate-quiver/storage/node';
 *
 * storageConformance({ test, create: (peer) => folderStorage(`conformance/${peer}`) });
 * ```
 * @public
 */
export function storageConformance(suite: StorageConformance): void {
  values(suite);
  if (suite.shared) shared(suite);
}

const KEYS = ['a', 'A', 'b', 'a/b', 'a.b', 'a b', 'ä', 'счётчик', '%61', '*', 'x\u0000y', 'x\uD800', 'k'.repeat(300)];

const VALUES: readonly Json[] = [
  0,
  '',
  [],
  {},
  false,
  { n: 1, list: [1, [2, { x: null }]] },
  'two\nlines "quoted" \u0000 \u2028 \uD800 😀',
  { large: 'x'.repeat(200_000) },
];

/** A peer that no other test has used, including earlier runs. */
const newPeer = (): string => environmentOf({}).crypto.randomUUID();

function values({ test, create }: StorageConformance): void {
  test('a key without a value is undefined', async () => {
    const storage = await create(newPeer());
    same(await storage.load('nothing'), undefined);
  });

  test('values of all kinds are loaded as they were saved, also by a later process', async () => {
    const peer = newPeer();
    const storage = await create(peer);
    for (const value of VALUES) {
      await storage.save('value', value);
      same(await storage.load('value'), value);
    }
    same(await (await create(peer)).load('value'), VALUES.at(-1));
  });

  test('different keys have different values', async () => {
    const peer = newPeer();
    const storage = await create(peer);
    await Promise.all(KEYS.map((key) => storage.save(key, { key })));
    const later = await create(peer);
    for (const key of KEYS) same(await later.load(key), { key });
  });

  test('different peers have different values', async () => {
    const [a, b] = [await create(newPeer()), await create(newPeer())];
    await a.save('locks', 1);
    same(await b.load('locks'), undefined);
    await b.save('locks', 2);
    same(await a.load('locks'), 1);
  });
}

function shared({ test, create }: StorageConformance): void {
  const open = async (peer = newPeer()): Promise<SharedStorage> => {
    const storage = await create(peer);
    if (!isShared(storage))
      throw new Error(
        'storageConformance: shared is true, but the storage from create has no property "shared". Return a SharedStorage, or omit shared.',
      );
    return storage;
  };

  test('a value that another process of the same peer has saved is not overwritten', async () => {
    const peer = newPeer();
    const [one, two] = [await open(peer), await open(peer)];
    await one.save('locks', 1);
    await two.load('locks');
    await two.save('locks', 2);
    const error = await one.save('locks', 3).then(
      () => null,
      (thrown: unknown) => thrown,
    );
    check(error instanceof StorageError, `save gave ${String(error)} instead of a StorageError`);
    same(await (await open(peer)).load('locks'), 2);
  });

  test('put creates a key once, and replaces the revision that it names only', async () => {
    const { shared: store } = await open();
    const key = newPeer();
    same(await store.get('actors', key), null);
    const first = await store.put('actors', key, 'one', null);
    check(first !== null, 'the key was not created');
    same(await store.put('actors', key, 'other', null), null);
    const second = await store.put('actors', key, 'two', first);
    check(second !== null && second !== first, 'a write with the latest revision gave no new revision');
    same(await store.put('actors', key, 'late', first), null);
    same(await store.get('actors', key), { value: 'two', revision: second });
  });

  test('of writes at the same time with one revision, exactly one is done', async () => {
    const stores = await Promise.all(Array.from({ length: 4 }, async () => (await open()).shared));
    const key = newPeer();
    let revision: string | number | null = null;
    for (let round = 0; round < 5; round++) {
      const before: string | number | null = revision;
      const tried: readonly (string | number | null)[] = await Promise.all(
        stores.map((store, i) => store.put('actors', key, `${round} ${i}`, before)),
      );
      const done = tried.flatMap((result, i) => (result === null ? [] : [{ revision: result, value: `${round} ${i}` }]));
      check(done.length === 1, `${done.length} of ${stores.length} writes were done`);
      same(await stores[0]!.get('actors', key), done[0]);
      revision = done[0]!.revision;
    }
  });

  test('keys lists what has a value, by table, and a removed key can be created again', async () => {
    const { shared: store } = await open();
    const mine = `${newPeer()}/`;
    const wanted = KEYS.map((key) => mine + key).toSorted();
    const listed = async () => (await store.keys('awake')).filter((key) => key.startsWith(mine)).toSorted();
    await Promise.all(wanted.map((key) => store.put('awake', key, '1', null)));
    await store.put('actors', `${mine}elsewhere`, '1', null);
    same(await listed(), wanted);
    await store.delete('awake', wanted[0]!);
    await store.delete('awake', `${mine}nothing`);
    same(await listed(), wanted.slice(1));
    check((await store.put('awake', wanted[0]!, '2', null)) !== null, 'the removed key was not created again');
    same(await listed(), wanted);
  });
}

function check(isTrue: boolean, otherwise: string): void {
  if (!isTrue) throw new Error(otherwise);
}

function same(found: unknown, expected: unknown): void {
  const [one, other] = [sorted(found), sorted(expected)];
  check(one === other, `${one.slice(0, 200)} instead of ${other.slice(0, 200)}`);
}

/** JSON with sorted keys: an engine may keep them in another order. */
const sorted = (value: unknown): string =>
  JSON.stringify(value, (_, part: unknown) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  ) ?? 'undefined';
