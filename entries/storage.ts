/**
 * `xstate-quiver/storage`: persistent storage for a peer's state: in a browser, with NATS, Postgres or Redis, or on your own engine.
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
