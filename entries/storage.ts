/** `xstate-quiver/storage`: where a peer keeps its promises, in a browser and with NATS. */
export type { PeerStorage } from '../adapters/storage/storage.js';
export { indexedDbStorage } from '../adapters/storage/indexed-db.js';
export { jetStreamStorage } from '../adapters/storage/jet-stream.js';
