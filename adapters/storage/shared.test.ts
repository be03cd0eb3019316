/** Storages that all members share: the conformance suite, and the checks of options. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { StorageError } from '../transports/errors.js';
import { storageConformance } from './conformance.js';
import { folderStorage } from './folder.js';
import { MapStore } from './map-store.fixture.js';
import { postgresStorage } from './postgres.js';
import { redisStorage } from './redis.js';
import { sharedStorage, type SharedStore } from './shared.js';

describe('a folder conforms', () => {
  const folder = mkdtempSync(join(tmpdir(), 'quiver-conformance-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  storageConformance({ test, create: (peer) => folderStorage(join(folder, peer)) });
});

describe('a shared store in memory conforms', () => {
  const store = new MapStore();
  storageConformance({ test, shared: true, create: (peer) => sharedStorage({ store, peer }) });
});

describe('the suite detects a store that', () => {
  const broken = (change: (store: MapStore) => Partial<SharedStore>) => {
    const store = new MapStore();
    const bound: SharedStore = {
      get: (table, key) => store.get(table, key),
      put: (table, key, value, revision) => store.put(table, key, value, revision),
      delete: (table, key) => store.delete(table, key),
      keys: (table) => store.keys(table),
      ...change(store),
    };
    const tests: [string, () => Promise<void>][] = [];
    storageConformance({
      test: (title, run) => void tests.push([title, run]),
      shared: true,
      create: (peer) => sharedStorage({ store: bound, peer }),
    });
    return tests;
  };
  const failures = async (change: (store: MapStore) => Partial<SharedStore>) => {
    const failed: string[] = [];
    for (const [title, run] of broken(change)) await run().catch(() => failed.push(title));
    return failed;
  };
  test.each<[string, (store: MapStore) => Partial<SharedStore>]>([
    [
      'writes without comparing',
      (store) => ({
        put: async (table, key, value) => store.put(table, key, value, (await store.get(table, key))?.revision ?? null),
      }),
    ],
    ['forgets what it has written', () => ({ get: async () => null })],
    ['removes nothing', () => ({ delete: async () => {} })],
    ['lists all tables', (store) => ({ keys: async () => [...(await store.keys('awake')), ...(await store.keys('actors'))] })],
    ['does not distinguish keys', (store) => ({ get: (table, key) => store.get(table, key.toLowerCase()) })],
  ])('%s', async (_, change) => {
    expect(await failures(change)).not.toEqual([]);
  });
});

test('a write with a lost answer counts as done, a silent engine is reported at once', async () => {
  const store = new MapStore();
  const storage = sharedStorage({ store, peer: 'a' });
  await storage.save('locks', 1);
  store.answersLost = 1;
  await storage.save('locks', 2);
  expect(await storage.load('locks')).toBe(2);
  store.failure = new Error('no such table');
  await expect(sharedStorage({ store, peer: 'a' }).load('locks')).rejects.toThrow('no such table');
});

test('two peers with one id get an error that names it', async () => {
  const store = new MapStore();
  const [one, two] = [sharedStorage({ store, peer: 'a' }), sharedStorage({ store, peer: 'a' })];
  await one.save('locks', 1);
  await two.load('locks');
  await two.save('locks', 2);
  await expect(one.save('locks', 3)).rejects.toBeInstanceOf(StorageError);
});

test.each<[string, () => unknown, string]>([
  ['a store', () => sharedStorage({ store: {} as never, peer: 'a' }), 'sharedStorage: store is'],
  ['a client of Postgres', () => postgresStorage({ client: {} as never, peer: 'a' }), 'Pass a pool or a client of pg'],
  [
    'a table',
    () => postgresStorage({ client: { query: async () => ({ rows: [] }) }, peer: 'a', table: 'x; drop table y' }),
    'Pass the name of a table',
  ],
  ['a client of Redis', () => redisStorage({ client: {} as never, peer: 'a' }), 'Pass a connected client of redis or ioredis'],
  ['a peer', () => redisStorage({ client: { call: async () => null }, peer: '' }), 'redisStorage: peer is'],
  ['options', () => redisStorage({ client: { call: async () => null }, peer: 'a', prefixx: 'b' } as never), 'prefixx'],
])('%s that is wrong is refused with the fix', (_, make, message) => {
  expect(make).toThrow(message);
});
