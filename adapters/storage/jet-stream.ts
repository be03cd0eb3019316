/**
 * A key-value bucket of NATS JetStream as the storage of a peer, for machines without a disk, such as containers.
 *
 * A save resolves when the servers have acknowledged it. A server flushes to its disk every two minutes, unless its `sync_interval` (2.10) is
 * `always`. A loss of power can destroy writes since the last flush, but the end of the server process cannot; so use replicas. Peers of
 * one cluster may share a bucket, and so may clusters with different values of `name`.
 *
 * Unanswered requests are repeated for thirty seconds. Because a response may have been lost, and the client sends queued requests again
 * after a reconnection, each write contains the revision that it replaces, and so counts once. If a write is rejected because
 * of a later revision, it has succeeded before if that revision has the same value and the write was sent before. Otherwise another process
 * writes to the same key, and neither may continue.
 */
import type { SchedulerLike } from 'rxjs';
import type { NodeId } from '../../machines/effects.js';
import { UsageError } from '../../machines/errors.js';
import { environmentOf } from '../environment.js';
import { topicToken } from '../transports/frame.js';
import type { Json } from '../transports/transport.js';
import { writtenByOthers } from './others.js';
import { withAnyKey, type SharedStorage, type SharedStore } from './shared.js';
import { SETTLED_MS } from './storage.js';
import { fieldsOf } from '../../machines/checks.js';

/** Milliseconds between an unanswered request and the next attempt. */
const PAUSE_MS = 250;

/** Names of the client's errors that mean that no server has answered yet. */
const UNANSWERED = ['TimeoutError', 'NoResponders', 'JetStreamNotEnabled', 'RequestError'];
/** Error codes of a write with a wrong revision. */
const WRONG_REVISION = [10_071, 10_164];
/** Error code of a cluster of servers without a leader. */
const UNAVAILABLE = 10_008;

/**
 * The part of a key-value bucket of `@nats-io/kv` that the storage uses.
 *
 * @public
 */
export interface JetStreamBucket {
  get(key: string): Promise<{ readonly revision: number; readonly operation: string; string(): string } | null>;
  put(key: string, value: string, options: { previousSeq: number }): Promise<number>;
  delete?(key: string): Promise<void>;
  keys?(filter: string): Promise<AsyncIterable<string>>;
}

/**
 * Options for `jetStreamStorage`.
 *
 * @public
 */
export interface JetStreamStorageOptions {
  /** A key-value bucket of `@nats-io/kv`. */
  readonly bucket: JetStreamBucket;
  /** The id of the peer, with which its keys begin. */
  readonly peer: NodeId;
  /**
   * The clock for repetitions and the time limit.
   *
   * @defaultValue the platform's clock
   */
  readonly clock?: SchedulerLike | undefined;
}

/**
 * Creates the storage of a peer in a key-value bucket of NATS JetStream. Unanswered requests are repeated for thirty seconds. After that, and
 * for any other error, loads and saves reject with the error of the client.
 *
 * @param options the bucket and the id of this peer.
 * @returns a storage for the option `storage`.
 * @throws UsageError for an invalid bucket or id.
 * @example
 * ```ts
 * import { Kvm } from '@nats-io/kv';
 * import { connect } from '@nats-io/transport-node';
 * import { jetStreamStorage } from 'xstate-quiver/storage';
 *
 * const bucket = await new Kvm(await connect()).create('printers', { replicas: 3 });
 * const storage = jetStreamStorage({ bucket, peer: 'a' }); // for createLocks({ transport, peers, storage })
 * ```
 * @public
 */
export function jetStreamStorage(options: JetStreamStorageOptions): SharedStorage {
  const { bucket, peer } = options ?? {};
  if (!bucket?.get || !bucket.put)
    throw new UsageError(
      "jetStreamStorage requires { bucket, peer }. Create the bucket with @nats-io/kv: await new Kvm(await connect()).create('printers')",
    );
  if (typeof peer !== 'string' || peer === '')
    throw new UsageError('Invalid option "peer" in jetStreamStorage. Pass the id of the peer.');
  const { clock } = environmentOf(options);
  const placeOf = (key: string): string => `${topicToken(peer)}.${topicToken(key)}`;
  /** The last read or written revision of each key. */
  const revisions = new Map<string, number>();
  const read = async (key: string) => {
    const entry = await bucket.get(placeOf(key));
    return { revision: entry?.revision ?? 0, text: entry?.operation === 'PUT' ? entry.string() : undefined };
  };
  const load = (key: string): Promise<Json | undefined> =>
    answered(clock, async () => {
      const { revision, text } = await read(key);
      revisions.set(key, revision);
      return text === undefined ? undefined : JSON.parse(text);
    });
  return {
    load,
    save: async (key, value) => {
      if (!revisions.has(key)) await load(key);
      const previousSeq = revisions.get(key)!;
      const text = JSON.stringify(value);
      let tries = 0;
      const write = async (): Promise<number> => {
        try {
          tries++;
          return await bucket.put(placeOf(key), text, { previousSeq });
        } catch (error) {
          if (!WRONG_REVISION.includes(codeOf(error))) throw error;
          const now = await read(key);
          // A server that lags behind has answered; it will catch up.
          if (now.revision <= previousSeq) throw error;
          if (tries > 1 && now.text === text) return now.revision;
          const there: Json | undefined = now.text === undefined ? undefined : JSON.parse(now.text);
          throw writtenByOthers({ key, where: `of peer "${peer}"`, place: 'bucket', there, own: value });
        }
      };
      revisions.set(key, await answered(clock, write));
    },
    shared: withAnyKey(jetStreamStore(bucket)),
  };
}

/** First token of shared keys. No peer's token begins like this. */
const SHARED = '=shared';

function jetStreamStore(bucket: JetStreamBucket): SharedStore {
  const placeOf = (table: string, key: string): string => `${SHARED}.${table}.${topicToken(key)}`;
  const revisionOf = async (place: string): Promise<number | null> => {
    const entry = await bucket.get(place);
    return entry?.operation === 'PUT' ? null : (entry?.revision ?? 0);
  };
  return {
    get: async (table, key) => {
      const entry = await bucket.get(placeOf(table, key));
      return entry?.operation === 'PUT' ? { value: entry.string(), revision: entry.revision } : null;
    },
    put: async (table, key, value, revision) => {
      const place = placeOf(table, key);
      // A removed key leaves a revision behind.
      const previousSeq = revision === null ? await revisionOf(place) : Number(revision);
      if (previousSeq === null) return null;
      try {
        return await bucket.put(place, value, { previousSeq });
      } catch (error) {
        if (WRONG_REVISION.includes(codeOf(error))) return null;
        throw error;
      }
    },
    delete: async (table, key) => bucket.delete!(placeOf(table, key)),
    keys: async (table) => {
      const found: string[] = [];
      for await (const place of await bucket.keys!(`${SHARED}.${table}.>`))
        found.push(ofToken(place.slice(place.lastIndexOf('.') + 1)));
      return found;
    },
  };
}

/** Inverse of `topicToken`. */
const ofToken = (token: string): string => decodeURIComponent(token.replaceAll('=', '%'));

/** Repeats a request until a server answers. After the time limit it rejects with the last error of the client. */
async function answered<T>(clock: SchedulerLike, ask: () => Promise<T>): Promise<T> {
  let isOver = false;
  const deadline = clock.schedule(() => void (isOver = true), SETTLED_MS);
  try {
    for (;;)
      try {
        return await ask();
      } catch (error) {
        if (isOver || !isPassing(error)) throw error;
        await new Promise<void>((resolve) => void clock.schedule(() => resolve(), PAUSE_MS));
      }
  } finally {
    deadline.unsubscribe();
  }
}

const codeOf = (error: unknown): number => Number(fieldsOf(error)['code']);

/** True for temporary errors. A `RequestError` without a cause means a lost connection, which the client restores. */
function isPassing(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error.name === 'RequestError' && error.cause !== undefined) return isPassing(error.cause);
  return UNANSWERED.includes(error.name) || [UNAVAILABLE, ...WRONG_REVISION].includes(codeOf(error));
}
