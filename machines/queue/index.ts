/**
 * The self-stabilizing arrow queue: any node may ask, and each request learns its predecessor along pointers of a tree. Whatever the
 * state that a fault leaves behind, every edge repairs itself within a constant number of round trips.
 *
 * Fault model: links keep the order of messages and deliver within half a round trip R. Any finite number of faults may change any
 * variable, timer and message; from the last of them on, every edge is fully legal after 3R + tau, and from then on each request is
 * queued exactly once behind a predecessor of its own. Until then finds may be lost, invented or queued twice, and nothing is promised.
 * There is no token, and so no mutual exclusion, at any time.
 */
import { isObject } from '../checks.js';
import { defineProtocol } from '../protocol.js';
import { treeMachine } from '../tree/machine.js';
import { QueueAccount } from './account.js';
import { queueCorruption } from './corruption.js';
import { withoutExcess } from './counts.js';
import { guardianMachine } from './guardian.js';
import { GUARDIAN, guardianOf, POINTER, TREE } from './messages.js';
import { queueOptions, type QueueOptions } from './options.js';
import { overlayOf } from './overlay.js';
import { pointerMachine } from './pointer.js';
import { isAtRest, mayFire, queueProperties } from './properties.js';
import { reasons } from './reasons.js';
import { samples } from './samples.js';
import { systems } from './systems.js';
import { rolesOf } from './start.js';

export { guardianMachine } from './guardian.js';
export { pointerMachine } from './pointer.js';
export { treeMachine } from '../tree/machine.js';
export type { Dropped, Queued } from './messages.js';
export type { QueueOptions };

export const queue = defineProtocol<QueueOptions>({
  name: 'queue',
  paper: 'Tirthapura, Herlihy: Self-Stabilizing Distributed Queuing (IEEE TPDS 2006)',
  charts: { [POINTER]: pointerMachine, [GUARDIAN]: guardianMachine, [TREE]: treeMachine },
  network: { reach: 'links', addressing: 'names', order: 'fifo', time: false },
  options: queueOptions,
  roles: rolesOf,
  route: ({ type, from }, node) => {
    if (type === 'find' && node.has(guardianOf(String(from)))) return guardianOf(String(from));
    if (type === 'obsr') return guardianOf(String(from));
    const isOfTree = type === 'heartbeat' || type === 'link.up' || type === 'link.down';
    return isOfTree && node.has(TREE) ? TREE : POINTER;
  },
  accepts: (message, { rank }) => {
    if (!isObject(message)) return false;
    const { type, origin, x, id, root, dist, par } = message;
    if (type === 'find') return origin === null || (typeof origin === 'string' && rank(origin) >= 0);
    if (type === 'obsr') return x === 0 || x === 1;
    if (type === 'heartbeat') return [id, root, dist].every(Number.isInteger) && (par === null || Number.isInteger(par));
    return type === 'obs';
  },
  commands: { request: { event: () => ({ type: 'request' }), waits: true, completedBy: ['queued', 'dropped'] } },
  atRest: isAtRest,
  mayFire,
  canonical: withoutExcess,
  reactions: () => [],
  properties: queueProperties,
  observe: (instance) => new QueueAccount(instance),
  corruption: queueCorruption,
  samples,
  systems,
  reasons,
  overlay: overlayOf,
});
