/**
 * `xstate-quiver/storage`: where a peer keeps what it must not forget, in a browser, with NATS, Postgres, Redis or your own engine.
 *
 * @module xstate-quiver/storage
 */
export type { PeerStorage } from '../adapters/storage/storage.js';
export { indexedDbStorage } from '../adapters/storage/indexed-db.js';
export { jetStreamStorage } from '../adapters/storage/jet-stream.js';
export { postgresStorage } from '../adapters/storage/postgres.js';
export { redisStorage } from '../adapters/storage/redis.js';
export { sharedStorage, type SharedStore } from '../adapters/storage/shared.js';
export { storageConformance } from '../adapters/storage/conformance.js';
