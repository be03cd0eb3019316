/** `xstate-quiver/node`: one node of a protocol on a transport, as an object and as actor logic. */
export { createNode, type LiveNode, type NodeOptions } from '../adapters/node/node.js';
export { nodeLogic } from '../adapters/node/node-logic.js';
