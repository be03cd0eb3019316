/**
 * IndexedDB as the storage of a peer in a browser. It survives the tab, the browser and, because of strict durability, the machine.
 *
 * A browser may delete the data of an origin when space runs out, unless the page was granted `navigator.storage.persist()`. The peer then
 * counts as one that has never participated. Two tabs are two peers and need two names: a value that differs from the last one read or
 * written here was written by another tab, and is not overwritten.
 */
import { writtenByOthers } from './others.js';
import type { PeerStorage } from './storage.js';

const STORE = 'values';

/**
 * Creates the storage of a peer in IndexedDB. The database is opened at the first load or save.
 *
 * @param name the name of the database, for this peer only.
 * @returns a storage for the option `storage`.
 * @example
 * ```ts
 * import { broadcastChannel, linked } from 'xstate-quiver/transports';
 * import { indexedDbStorage } from 'xstate-quiver/storage';
 * import { createLocks } from 'xstate-quiver/locks';
 *
 * const peers = ['a', 'b', 'c'];
 * const locks = createLocks({
 *   transport: linked(broadcastChannel({ id: 'a' }), { peers }),
 *   peers,
 *   storage: indexedDbStorage('printers a'),
 * });
 * ```
 * @public
 */
export function indexedDbStorage(name: string): PeerStorage {
  let opened: Promise<IDBDatabase> | undefined;
  const database = (): Promise<IDBDatabase> => (opened ??= openDatabase(name));
  /** The last read or written value of each key, as text. */
  const seen = new Map<string, string>();
  return {
    load: async (key) => {
      const request = (await database()).transaction(STORE).objectStore(STORE).get(key);
      await settled(request, 'success');
      seen.set(key, textOf(request.result));
      return request.result;
    },
    save: async (key, value) => {
      const transaction = (await database()).transaction(STORE, 'readwrite', { durability: 'strict' });
      const values = transaction.objectStore(STORE);
      const there = values.get(key);
      await settled(there, 'success');
      if (there.result !== undefined && seen.has(key) && textOf(there.result) !== seen.get(key))
        throw writtenByOthers({ key, where: `in the database "${name}"`, place: 'database', there: there.result, own: value });
      values.put(value, key);
      await settled(transaction, 'complete');
      seen.set(key, textOf(value));
    },
  };
}

const textOf = (value: unknown): string => JSON.stringify(value) ?? '';

async function openDatabase(name: string): Promise<IDBDatabase> {
  const request = indexedDB.open(name, 1);
  request.addEventListener('upgradeneeded', () => request.result.createObjectStore(STORE));
  await settled(request, 'success');
  return request.result;
}

function settled(what: IDBRequest | IDBTransaction, word: 'success' | 'complete'): Promise<void> {
  return new Promise((resolve, reject) => {
    const fail = () => reject(what.error ?? new Error('the database was closed, so open the page again'));
    what.addEventListener(word, () => resolve());
    for (const end of ['error', 'abort']) what.addEventListener(end, fail);
  });
}
