/** The part of the queue that an application loads: charts, messages, commands and the roles of a node. */
import { coreOf } from '../core.js';
import { isInteger, isNode, isOneOf, nullOr, type ShapesOf } from '../shapes.js';
import type { Heartbeat } from '../tree/bfs.js';
import { treeMachine } from '../tree/machine.js';
import { guardianMachine } from './guardian.js';
import { GUARDIAN, guardianOf, POINTER, TREE, type QueueMessage } from './messages.js';
import { queueOptions } from './options.js';
import { pointerMachine } from './pointer.js';
import { rolesAtStart } from './start.js';

/** The charts, messages and commands of the queue, which an application of it loads. */
export const queueCore = /* @__PURE__ */ coreOf({
  name: 'queue',
  charts: { [POINTER]: pointerMachine, [GUARDIAN]: guardianMachine, [TREE]: treeMachine },
  network: { reach: 'links', order: 'fifo' },
  options: queueOptions,
  roles: rolesAtStart,
  route: ({ type, from }, node) => {
    if (type === 'find' && node.has(guardianOf(String(from)))) return guardianOf(String(from));
    if (type === 'obsr') return guardianOf(String(from));
    const isOfTree = type === 'heartbeat' || type === 'link.up' || type === 'link.down';
    return isOfTree && node.has(TREE) ? TREE : POINTER;
  },
  notices: ['queued', 'dropped'],
  messages: {
    find: { origin: nullOr(isNode) },
    obs: {},
    obsr: { x: isOneOf(0, 1) },
    heartbeat: { id: isInteger, root: isInteger, dist: isInteger, par: nullOr(isInteger) },
  } satisfies ShapesOf<QueueMessage | Heartbeat>,
  commands: { request: { waits: true, completedBy: ['queued', 'dropped'] } },
});
