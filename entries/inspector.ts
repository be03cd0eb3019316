/**
 * `xstate-quiver/inspector`: shows running actors and recorded traces of a Node program on a page.
 *
 * @module xstate-quiver/inspector
 */
export { inspect } from '../inspector/live/inspect.js';
export { record } from '../inspector/live/record.js';
export { serveTrace } from '../inspector/server.js';
export { receiveInspection } from '../inspector/stately/receive.js';
