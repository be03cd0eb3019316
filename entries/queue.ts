/**
 * `xstate-quiver/queue`: one order of all operations of many peers, and messages that all of them deliver in this order.
 *
 * @module xstate-quiver/queue
 */
export { createQueue, queueLogic, type Queue, type QueueNotice } from '../adapters/queue/queue.js';
export { createMulticast, multicastLogic, type Multicast, type MulticastNotice } from '../adapters/queue/multicast.js';
