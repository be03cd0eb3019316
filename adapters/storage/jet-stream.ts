/**
 * A key-value bucket of NATS JetStream as the storage of a peer: for peers whose machines keep nothing, such as containers.
 *
 * A save is over when the servers have acknowledged it. A server flushes to its disk every two minutes unless its `sync_interval` (2.10)
 * says `always`: what it has acknowledged since is lost with its machine, and not with its process; so have replicas. Peers may share a
 * bucket.
 */
import type { KV } from '@nats-io/kv';
import type { NodeId } from '../../machines/effects.js';
import { UsageError } from '../../machines/errors.js';
import { topicToken } from '../transports/frame.js';
import type { Json } from '../transports/transport.js';
import type { PeerStorage } from './storage.js';

/**
 * What `jetStreamStorage` is given.
 *
 * @public
 */
export interface JetStreamStorageOptions {
  /** A key-value bucket of `@nats-io/kv`. */
  readonly bucket: Pick<KV, 'get' | 'put'>;
  /** The keys of this peer begin with it. */
  readonly peer: NodeId;
}

/**
 * The storage of a peer in a key-value bucket of NATS JetStream. Loads and saves reject as the client does.
 *
 * @throws UsageError for what is no bucket or no id.
 * @example
 * ```ts
 * import { Kvm } from '@nats-io/kv';
 * import { connect } from '@nats-io/transport-node';
 * import { jetStreamStorage } from 'xstate-quiver/adapters/jet-stream-storage';
 *
 * const bucket = await new Kvm(await connect()).create('printers', { replicas: 3 });
 * const storage = jetStreamStorage({ bucket, peer: 'a' }); // for createLocks({ transport, peers, storage })
 * ```
 * @public
 */
export function jetStreamStorage(options: JetStreamStorageOptions): PeerStorage {
  const { bucket, peer } = (options ?? {}) as Partial<JetStreamStorageOptions>;
  if (!bucket?.get || !bucket.put)
    throw new UsageError(
      "jetStreamStorage takes { bucket, peer }; bucket is one of @nats-io/kv: await new Kvm(await connect()).create('printers')",
    );
  if (typeof peer !== 'string' || peer === '')
    throw new UsageError('jetStreamStorage: peer is no text; give the id of the peer that stores');
  const placeOf = (key: string): string => `${topicToken(peer)}.${topicToken(key)}`;
  return {
    load: async (key) => {
      const entry = await bucket.get(placeOf(key));
      return entry?.operation === 'PUT' ? entry.json<Json>() : undefined;
    },
    save: async (key, value) => void (await bucket.put(placeOf(key), JSON.stringify(value))),
  };
}
