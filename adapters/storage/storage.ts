/**
 * Persistent storage of one peer: a value by key.
 *
 *     const locks = createLocks({ transport, peers, storage: folderStorage('/var/lib/printers/a') });
 *
 * Each peer needs its own storage for each cluster, used by one process at a time. Two peers that share one could form two majorities. Saved
 * values contain the id of their peer, and a peer with the storage of another one ends with a `StorageError`. The storages of this package
 * also detect that another process has written a value. They use a folder, IndexedDB, or JetStream's key-value store; any object with
 * `load` and `save` works as well.
 */
import { Subscription, type SchedulerLike } from 'rxjs';
import { isObject } from '../../machines/checks.js';
import type { NodeId } from '../../machines/effects.js';
import type { Stored } from '../../machines/storage.js';
import { StorageError } from '../transports/errors.js';
import { later } from '../transports/later.js';
import type { Json } from '../transports/transport.js';

/**
 * Persistent storage of one peer. Values are JSON; one key is saved at a time.
 *
 * @public
 */
export interface PeerStorage {
  /**
   * Loads the last saved value of a key.
   *
   * @returns `undefined` if there never was one; `null` if there was one that cannot be read, so that the peer counts as having forgotten
   * its state. Saved values are never `null`.
   */
  load(key: string): Promise<Json | undefined>;
  /**
   * Saves a value. Resolves when it survives the end of the process, and of the machine if the storage promises that. An interrupted save
   * leaves the previous value or the new one. Saves of one key do not overlap.
   */
  save(key: string, value: Json): Promise<void>;
}

/**
 * Time limit for a storage in milliseconds. A disk that does not respond is as bad as one that fails, and waiting longer would
 * block the others. @internal
 */
export const SETTLED_MS = 30_000;

/** The peer and the key of the values, and the clock for the time limit. @internal */
export interface Keeping {
  readonly peer: NodeId;
  readonly key: string;
  readonly clock: SchedulerLike;
}

/** Loads the stored values of a node. The key `damaged` means that there were some that cannot be read. @internal */
export async function loadStored(storage: PeerStorage, { peer, key, clock }: Keeping): Promise<Stored> {
  const loaded = await failing(`"${key}" cannot be loaded`, 'readable', () => storage.load(key), clock);
  if (loaded === undefined) return {};
  if (!isObject(loaded) || typeof loaded['peer'] !== 'string' || !isObject(loaded['stored'])) return { damaged: true };
  if (loaded['peer'] !== peer)
    throw new StorageError(
      `"${key}" in the storage of peer "${peer}" belongs to peer "${loaded['peer']}". Use a separate storage for each peer.`,
    );
  return loaded['stored'];
}

/** @internal */
export const save = (storage: PeerStorage, { peer, key, clock }: Keeping, stored: Stored): Promise<void> =>
  failing(
    `"${key}" cannot be saved, so nothing that depends on it was sent`,
    'writable',
    () => storage.save(key, { peer, stored: stored as Json }),
    clock,
  );

async function failing<T>(what: string, needed: string, doing: () => Promise<T>, clock: SchedulerLike): Promise<T> {
  const waiting = new Subscription();
  const over = new Promise<never>((_, reject) => {
    const late = `the storage has not responded for ${SETTLED_MS / 1000} s. Check it, end this process so that nothing is written late`;
    later(waiting, clock, () => reject(new StorageError(`${what}: ${late}, and restart the peer.`)), SETTLED_MS);
  });
  try {
    return await Promise.race([doing(), over]);
  } catch (error) {
    if (error instanceof StorageError) throw error;
    const why = error instanceof Error ? error.message : String(error);
    throw new StorageError(`${what}: ${why}. Make the storage ${needed} and restart the peer.`, { cause: error });
  } finally {
    waiting.unsubscribe();
  }
}
