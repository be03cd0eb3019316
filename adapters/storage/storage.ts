/**
 * Where one peer keeps what it must not forget when its process ends: a value by key, and no more.
 *
 *     const locks = createLocks({ transport, peers, storage: folderStorage('/var/lib/printers/a') });
 *
 * One peer, one storage, one process at a time, and of each cluster its own: two peers that share one make two majorities of one. What is saved
 * says whose it is, and a peer that is given another one's storage ends with a `StorageError`; so does one whose ready-made storage notices that
 * somebody else has written what it wrote last. Ready-made are a folder
 * (`./adapters/folder-storage`), IndexedDB (`./adapters/indexed-db-storage`) and JetStream's key-value store
 * (`./adapters/jet-stream-storage`); anything else that can do the two things below will do.
 */
import { Subscription, type SchedulerLike } from 'rxjs';
import { isObject } from '../../machines/checks.js';
import type { NodeId } from '../../machines/effects.js';
import type { Stored } from '../../machines/storage.js';
import { StorageError } from '../transports/errors.js';
import { later } from '../transports/later.js';
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

/** A disk that answers no more is not a better than one that refuses: whoever waited for it for longer would stop the others, too. @internal */
export const SETTLED_MS = 30_000;

/** Whose values these are, under which key, and the clock that says when a storage does not answer. @internal */
export interface Keeping {
  readonly peer: NodeId;
  readonly key: string;
  readonly clock: SchedulerLike;
}

/** What a node had stored. A key that stands for nothing says that there was something. @internal */
export async function loadStored(storage: PeerStorage, { peer, key, clock }: Keeping): Promise<Stored> {
  const loaded = await failing(`"${key}" cannot be loaded`, 'readable', () => storage.load(key), clock);
  if (loaded === undefined) return {};
  if (!isObject(loaded) || typeof loaded['peer'] !== 'string' || !isObject(loaded['stored'])) return { damaged: true };
  if (loaded['peer'] !== peer)
    throw new StorageError(
      `"${key}" in the storage of peer "${peer}" is that of peer "${loaded['peer']}". Pass each peer a storage of its own`,
    );
  return loaded['stored'];
}

/** @internal */
export const save = (storage: PeerStorage, { peer, key, clock }: Keeping, stored: Stored): Promise<void> =>
  failing(
    `"${key}" cannot be saved, and nothing was promised that depends on it`,
    'writable',
    () => storage.save(key, { peer, stored: stored as Json }),
    clock,
  );

async function failing<T>(what: string, needed: string, doing: () => Promise<T>, clock: SchedulerLike): Promise<T> {
  const waiting = new Subscription();
  const over = new Promise<never>((_, reject) => {
    const late = `the storage has not answered for ${SETTLED_MS / 1000} s. See to it, end this process, so that nothing is written late`;
    later(waiting, clock, () => reject(new StorageError(`${what}: ${late}, and start the peer again`)), SETTLED_MS);
  });
  try {
    return await Promise.race([doing(), over]);
  } catch (error) {
    if (error instanceof StorageError) throw error;
    const why = error instanceof Error ? error.message : String(error);
    throw new StorageError(`${what}: ${why}. Make the storage ${needed} and start the peer again`, { cause: error });
  } finally {
    waiting.unsubscribe();
  }
}
