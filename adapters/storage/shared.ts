/**
 * A storage that all members of a cluster share, such as a database: the copies of cluster actors in it need no majority of members.
 *
 * An engine must implement a `SharedStore`: read a value with its revision, and write it unless the key has another revision. A peer's own
 * values are stored under its id (`PeerStorage`). The copies of an actor have one key that all members compete for: the write of a stale
 * host contains an old revision and is refused (adapters/cluster/shared-copies.ts).
 */
import type { SchedulerLike } from 'rxjs';
import type { NodeId } from '../../machines/effects.js';
import { environmentOf } from '../environment.js';
import { checkOptions, environment, hasMethods, must, someText } from '../options.js';
import { StorageError } from '../transports/errors.js';
import type { Json } from '../transports/transport.js';
import { writtenByOthers } from './others.js';
import { SETTLED_MS, type PeerStorage } from './storage.js';
import { fieldsOf } from '../../machines/checks.js';

/** A value and its revision, which changes with every write. @public */
export interface Revised {
  readonly value: string;
  readonly revision: string | number;
}

/**
 * A key-value store with compare-and-set, for `sharedStorage`. Keys and values are well-formed text. A key has at most 1,500 characters.
 * There are few tables, with short names.
 *
 * @public
 */
export interface SharedStore {
  /** Returns the value of a key as of the latest acknowledged write; null if there is none. */
  get(table: string, key: string): Promise<Revised | null>;
  /**
   * Writes the value if the key has this revision (null: if it has no value), and returns the new revision. Returns null, and writes
   * nothing, if the key has another revision. Resolves once the value is durable.
   */
  put(table: string, key: string, value: string, revision: string | number | null): Promise<string | number | null>;
  /** Removes the key, regardless of its revision. */
  delete(table: string, key: string): Promise<void>;
  /** Returns all keys of a table. */
  keys(table: string): Promise<readonly string[]>;
}

/**
 * A storage that all members share, created by `postgresStorage`, `redisStorage`, `jetStreamStorage` or `sharedStorage`. It stores the
 * values of one peer, as any `PeerStorage`, and with `createCluster` the copies of all actors.
 *
 * @public
 */
export interface SharedStorage extends PeerStorage {
  readonly shared: SharedStore;
}

export const isShared = (storage: PeerStorage | undefined): storage is SharedStorage => fieldsOf(storage)['shared'] !== undefined;

/**
 * Options for `sharedStorage`.
 *
 * @public
 */
export interface SharedStorageOptions {
  readonly store: SharedStore;
  /** Id of the peer. */
  readonly peer: NodeId;
  /** @defaultValue the clock of the platform */
  readonly clock?: SchedulerLike | undefined;
}

const CHECKS = {
  store: must('a store with the methods get, put, delete and keys', (value) => hasMethods(value, 'get', 'put', 'delete', 'keys')),
  peer: someText,
  clock: environment.clock,
};

/** Milliseconds between two attempts to reach the engine. */
const PAUSE_MS = 250;

const PEERS = 'peers';

/**
 * Creates the storage of one peer on your own engine.
 *
 * @param options the four methods of the store, and the id of this peer.
 * @returns a storage for the option `storage`.
 * @throws UsageError for a store without the four methods, or a peer that is not text.
 * @example
 * ```ts
 * import { sharedStorage, type SharedStore } from 'xstate-quiver/storage';
 *
 * const values = new Map<string, { value: string; revision: number }>();
 * const store: SharedStore = {
 *   get: async (table, key) => values.get(`${table}/${key}`) ?? null,
 *   put: async (table, key, value, revision) => {
 *     const place = `${table}/${key}`;
 *     const next = ((revision as number | null) ?? 0) + 1;
 *     if ((values.get(place)?.revision ?? null) !== revision) return null;
 *     values.set(place, { value, revision: next });
 *     return next;
 *   },
 *   delete: async (table, key) => void values.delete(`${table}/${key}`),
 *   keys: async (table) => [...values.keys()].filter((key) => key.startsWith(`${table}/`)).map((key) => key.slice(table.length + 1)),
 * };
 * const storage = sharedStorage({ store, peer: 'a' });
 * await storage.save('locks', { n: 1 });
 * console.log(await storage.load('locks')); // { n: 1 }
 * ```
 * @public
 */
export function sharedStorage(options: SharedStorageOptions): SharedStorage {
  checkOptions('sharedStorage', options, CHECKS);
  const { store, peer } = options;
  const shared = withAnyKey(store);
  return { ...peerValues(shared, peer, environmentOf(options).clock), shared };
}

/** Escapes keys, so that any text can be a key. Engines refuse or change some, such as NUL or half of a surrogate pair. */
export const withAnyKey = (store: SharedStore): SharedStore => ({
  get: (table, key) => store.get(table, escaped(key)),
  put: (table, key, value, revision) => store.put(table, escaped(key), value, revision),
  delete: (table, key) => store.delete(table, escaped(key)),
  keys: async (table) => (await store.keys(table)).map((key): string => JSON.parse(`"${key}"`)),
});

const escaped = (key: string): string => JSON.stringify(key).slice(1, -1);

/** The values of one peer. A value that another process has written since the last read is not overwritten. */
function peerValues(store: SharedStore, peer: NodeId, clock: SchedulerLike): PeerStorage {
  const placeOf = (key: string): string => `${peer}/${key}`;
  /** The last read or written revision of each key. */
  const revisions = new Map<string, string | number | null>();
  const attempts = new Attempts(clock);
  const load = async (key: string): Promise<Json | undefined> => {
    const found = await attempts.until(() => store.get(PEERS, placeOf(key)));
    revisions.set(key, found?.revision ?? null);
    return found === null ? undefined : JSON.parse(found.value);
  };
  return {
    load,
    save: async (key, value) => {
      if (!revisions.has(key)) await load(key);
      const before = revisions.get(key)!;
      const text = JSON.stringify(value);
      let tries = 0;
      const revision = await attempts.until(async () => {
        tries++;
        const written = await store.put(PEERS, placeOf(key), text, before);
        if (written !== null) return written;
        const there = await store.get(PEERS, placeOf(key));
        // The answer to an earlier attempt was lost.
        if (tries > 1 && there?.value === text) return there.revision;
        const other: Json | undefined = there === null ? undefined : JSON.parse(there.value);
        throw writtenByOthers({ key, where: `of peer "${peer}"`, place: 'storage', there: other, own: value });
      });
      revisions.set(key, revision);
    },
  };
}

/** Repeats failed requests for thirty seconds, once the engine has answered for the first time. */
class Attempts {
  private hasAnswered = false;

  constructor(private readonly clock: SchedulerLike) {}

  async until<T>(ask: () => Promise<T>): Promise<T> {
    const giveUpAt = this.clock.now() + SETTLED_MS;
    for (;;)
      try {
        const answer = await ask();
        this.hasAnswered = true;
        return answer;
      } catch (error) {
        if (!this.hasAnswered || error instanceof StorageError || this.clock.now() >= giveUpAt) throw error;
        await new Promise<void>((resolve) => void this.clock.schedule(() => resolve(), PAUSE_MS));
      }
  }
}
