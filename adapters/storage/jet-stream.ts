/**
 * A key-value bucket of NATS JetStream as the storage of a peer: for peers whose machines keep nothing, such as containers.
 *
 * A save is over when the servers have acknowledged it. A server flushes to its disk every two minutes unless its `sync_interval` (2.10)
 * says `always`: what it has acknowledged since is lost with its machine, and not with its process; so have replicas. Peers of one cluster
 * may share a bucket, and clusters that differ by their `name`.
 *
 * Servers that are away come back: what they have not answered is asked again, for the thirty seconds that a storage is given. The answer to
 * a write may have been lost alone, and the client sends what it could not send as soon as it is connected again; so each write names the
 * revision that it takes the place of, and counts once. One that is refused, because there is a later revision, was done already if that is
 * what is there and it had been sent before. Else somebody else writes what this peer has stored, and neither may go on from there.
 */
import type { KV } from '@nats-io/kv';
import type { SchedulerLike } from 'rxjs';
import type { NodeId } from '../../machines/effects.js';
import { UsageError } from '../../machines/errors.js';
import { environmentOf } from '../environment.js';
import { topicToken } from '../transports/frame.js';
import type { Json } from '../transports/transport.js';
import { writtenByOthers } from './others.js';
import { withAnyKey, type SharedStorage, type SharedStore } from './shared.js';
import { SETTLED_MS } from './storage.js';

/** Between an answer that nobody is there and the next question. */
const PAUSE_MS = 250;

/** Names of the client's errors which say that no server has answered: it may do so yet. */
const UNANSWERED = ['TimeoutError', 'NoResponders', 'JetStreamNotEnabled', 'RequestError'];
/** Of a write that names another revision than the last one. */
const WRONG_REVISION = [10_071, 10_164];
/** Of a cluster of servers that has no leader at the moment. */
const UNAVAILABLE = 10_008;

/**
 * Options for `jetStreamStorage`.
 *
 * @public
 */
export interface JetStreamStorageOptions {
  /** A key-value bucket of `@nats-io/kv`. */
  readonly bucket: Pick<KV, 'get' | 'put'> & Partial<Pick<KV, 'delete' | 'keys'>>;
  /** The keys of this peer begin with it. */
  readonly peer: NodeId;
  /** Says when to ask again, and when to give up; the platform's unless given. */
  readonly clock?: SchedulerLike | undefined;
}

/**
 * The storage of a peer in a key-value bucket of NATS JetStream. What the servers do not answer is asked again for thirty seconds; then, and
 * whatever else goes wrong, loads and saves reject as the client does.
 *
 * @throws UsageError for what is no bucket or no id.
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
  const { bucket, peer } = (options ?? {}) as Partial<JetStreamStorageOptions>;
  if (!bucket?.get || !bucket.put)
    throw new UsageError(
      "jetStreamStorage takes { bucket, peer }; bucket is one of @nats-io/kv: await new Kvm(await connect()).create('printers')",
    );
  if (typeof peer !== 'string' || peer === '')
    throw new UsageError('jetStreamStorage: peer is no text. Pass the id of the peer that stores');
  const { clock } = environmentOf(options);
  const placeOf = (key: string): string => `${topicToken(peer)}.${topicToken(key)}`;
  /** The revision of each key that was read or written here last. */
  const revisions = new Map<string, number>();
  const read = async (key: string) => {
    const entry = await bucket.get(placeOf(key));
    return { revision: entry?.revision ?? 0, text: entry?.operation === 'PUT' ? entry.string() : undefined };
  };
  const load = (key: string): Promise<Json | undefined> =>
    answered(clock, async () => {
      const { revision, text } = await read(key);
      revisions.set(key, revision);
      return text === undefined ? undefined : (JSON.parse(text) as Json);
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
          // A server that lags behind has answered: what it does not know yet it will.
          if (now.revision <= previousSeq) throw error;
          if (tries > 1 && now.text === text) return now.revision;
          const there = now.text === undefined ? undefined : (JSON.parse(now.text) as Json);
          throw writtenByOthers({ key, where: `of peer "${peer}"`, place: 'bucket', there, own: value });
        }
      };
      revisions.set(key, await answered(clock, write));
    },
    shared: withAnyKey(jetStreamStore(bucket)),
  };
}

/** No peer has a token that begins so. */
const SHARED = '=shared';

function jetStreamStore(bucket: JetStreamStorageOptions['bucket']): SharedStore {
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

/** The text of which `topicToken` made this. */
const ofToken = (token: string): string => decodeURIComponent(token.replaceAll('=', '%'));

/** What the servers say in the end; rejects with the last that the client said when they say nothing. */
async function answered<T>(clock: SchedulerLike, ask: () => Promise<T>): Promise<T> {
  let isOver = false;
  const patience = clock.schedule(() => void (isOver = true), SETTLED_MS);
  try {
    for (;;)
      try {
        return await ask();
      } catch (error) {
        if (isOver || !isPassing(error)) throw error;
        await new Promise<void>((resolve) => void clock.schedule(() => resolve(), PAUSE_MS));
      }
  } finally {
    patience.unsubscribe();
  }
}

const codeOf = (error: unknown): number => Number((error as { readonly code?: unknown }).code);

/** A `RequestError` without a cause is that of a connection that was lost; the client makes another one, or says that it is closed. */
function isPassing(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error.name === 'RequestError' && error.cause !== undefined) return isPassing(error.cause);
  return UNANSWERED.includes(error.name) || [UNAVAILABLE, ...WRONG_REVISION].includes(codeOf(error));
}
