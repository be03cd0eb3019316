/**
 * Where one peer keeps what it must not forget when its process ends: a value by key, and no more.
 *
 *     const locks = createLocks({ transport, peers, storage: folderStorage('/var/lib/printers/a') });
 *
 * One peer, one storage, one process at a time: two peers that share one make two majorities of one. Ready-made are a folder
 * (`./adapters/folder-storage`), IndexedDB (`./adapters/indexed-db-storage`) and JetStream's key-value store
 * (`./adapters/jet-stream-storage`); anything else that can do the two things below will do.
 */
import { isObject } from '../../machines/checks.js';
import type { Stored } from '../../machines/storage.js';
import { StorageError } from '../transports/errors.js';
import type { Json } from '../transports/transport.js';

/**
 * Where one peer keeps what it must not forget when its process ends. Values are JSON; whoever uses it saves one key at a time.
 *
 * @public
 */
export interface PeerStorage {
  /**
   * What was saved last under a key; `undefined` where nothing ever was, `null` where something was and cannot be read any more: then the
   * peer counts as one that has forgotten. Saved values are never `null`.
   */
  load(key: string): Promise<Json | undefined>;
  /**
   * Resolves once the value survives the end of the process, and of the machine where that is promised. A save that is cut short leaves the
   * value before it, or this one. Saves of one key come one after the other.
   */
  save(key: string, value: Json): Promise<void>;
}

/** What a node had stored. A key that stands for nothing says that there was something. @internal */
export async function loadStored(storage: PeerStorage, key: string): Promise<Stored> {
  const loaded = await failing(`"${key}" cannot be loaded`, storage.load(key));
  if (loaded === undefined) return {};
  return isObject(loaded) ? loaded : { damaged: true };
}

/** @internal */
export const save = (storage: PeerStorage, key: string, value: Json): Promise<void> =>
  failing(`"${key}" cannot be saved, and nothing was promised that depends on it`, storage.save(key, value));

async function failing<T>(what: string, doing: Promise<T>): Promise<T> {
  try {
    return await doing;
  } catch (error) {
    throw new StorageError(`${what}: ${(error as Error).message}; make the storage writable and start the peer again`, {
      cause: error,
    });
  }
}
