/**
 * A key-value bucket of NATS JetStream as the storage of a peer: for peers whose machines keep nothing, such as containers.
 *
 *     import { Kvm } from '@nats-io/kv';
 *     const bucket = await new Kvm(connection).create('printers', { replicas: 3 });
 *     const locks = createLocks({ transport, peers, storage: jetStreamStorage({ bucket, peer: 'a' }) });
 *
 * A save is over when the servers have acknowledged it. A server flushes to its disk every two minutes unless its `sync_interval` (2.10)
 * says `always`: what it has acknowledged since is lost with its machine, and not with its process; so have replicas. Peers may share a
 * bucket.
 */
import type { KV } from '@nats-io/kv';
import type { NodeId } from '../../machines/effects.js';
import { topicToken } from '../transports/frame.js';
import type { Json } from '../transports/transport.js';
import type { PeerStorage } from './storage.js';

/** @public */
export interface JetStreamStorageOptions {
  readonly bucket: Pick<KV, 'get' | 'put'>;
  /** The keys of this peer begin with it. */
  readonly peer: NodeId;
}

/**
 * @example `createLocks({ transport, peers, storage: jetStreamStorage({ bucket, peer: 'a' }) })`
 * @public
 */
export function jetStreamStorage({ bucket, peer }: JetStreamStorageOptions): PeerStorage {
  const placeOf = (key: string): string => `${topicToken(peer)}.${topicToken(key)}`;
  return {
    load: async (key) => {
      const entry = await bucket.get(placeOf(key));
      return entry?.operation === 'PUT' ? entry.json<Json>() : undefined;
    },
    save: async (key, value) => void (await bucket.put(placeOf(key), JSON.stringify(value))),
  };
}
