/**
 * `xstate-quiver/node`: runs one node of a protocol on a transport, as an object and as XState actor logic.
 *
 * @module xstate-quiver/node
 */
export { createNode, type LiveNode } from '../adapters/node/node.js';
export type { NodeOptions } from '../adapters/node/node-options.js';
export { nodeLogic } from '../adapters/node/node-logic.js';
