/**
 * `xstate-quiver/inspector`: the inspector for programs in Node, and its server.
 *
 * @module xstate-quiver/inspector
 */
export { inspect } from '../inspector/live/inspect.js';
export { record } from '../inspector/live/record.js';
export { serveTrace } from '../inspector/server.js';
export { receiveInspection } from '../inspector/stately/receive.js';
