/**
 * The token directory: one token, any node may ask for it, and each request finds the end of the queue along pointers that it turns
 * behind itself. Arrow turns them to the last sender, Ivy to the requester, Arvy to any node that the request has visited.
 *
 * Fault model: nodes do not fail, messages are neither lost nor doubled, and may take any finite time and any order. Under it every
 * request is served and there is always one token. After a lost message or a crash nothing is promised.
 */
import { isObject } from '../checks.js';
import { defineProtocol } from '../protocol.js';
import { DirectoryAccount } from './account.js';
import { directoryMachine, type DirectoryInput } from './machine.js';
import { directoryOptions, type DirectoryOptions } from './options.js';
import { directoryProperties } from './properties.js';
import { reasons } from './reasons.js';
import { samples } from './samples.js';
import { systems } from './systems.js';
import { contextOf, holdsToken, isUsing, isWaiting, ROLE } from './view.js';

export {
  directoryMachine,
  type DirectoryContext,
  type DirectoryEvent,
  type DirectoryInput,
  type DirectoryMessage,
} from './machine.js';
export { policies, type Policy } from './policies.js';
export { ringBridge } from './ring-bridge.js';
export type { DirectoryOptions };

export const directory = defineProtocol<DirectoryOptions>({
  name: 'directory',
  paper: 'Khanchandani, Wattenhofer: The Arvy Distributed Directory Protocol (SPAA 2019)',
  charts: { [ROLE]: directoryMachine },
  network: { reach: 'routed', addressing: 'names', order: 'unordered', time: false },
  options: directoryOptions,
  roles: (id, { options }) => [{ role: ROLE, chart: ROLE, input: inputOf(id, options) }],
  route: () => ROLE,
  accepts: (message, { rank }) => {
    const isNode = (value: unknown) => typeof value === 'string' && rank(value) >= 0;
    if (!isObject(message)) return false;
    if (message['type'] === 'token') return message['fence'] === null || Number.isSafeInteger(message['fence']);
    const { type, producer, visited, edge } = message;
    return (
      type === 'find' &&
      isNode(producer) &&
      Array.isArray(visited) &&
      visited.length > 0 &&
      visited.every(isNode) &&
      (edge === 'tree' || edge === 'bridge')
    );
  },
  commands: {
    request: { event: () => ({ type: 'request' }), waits: true, completedBy: ['released'] },
    release: { event: () => ({ type: 'release' }), waits: false, completedBy: [] },
  },
  reactions: ({ hold }) => (hold === null ? [] : [{ on: 'granted', event: { type: 'release' }, after: hold }]),
  properties: directoryProperties,
  observe: (instance) => new DirectoryAccount(instance),
  samples: { [ROLE]: samples },
  systems,
  reasons,
  overlay: (node, id) => {
    const { parent, next, edge } = contextOf(node);
    return {
      pointers: [
        ...(parent === id ? [] : [{ to: parent, kind: edge === 'bridge' ? 'bridge' : 'parent' }]),
        ...(next === null ? [] : [{ to: next, kind: 'next' }]),
      ],
      ...(holdsToken(node) ? { badge: '●' } : {}),
      tone: isUsing(node) ? 'held' : holdsToken(node) ? 'active' : isWaiting(node) ? 'waiting' : 'plain',
    };
  },
});

function inputOf(id: string, { policy, parents, bridgeOwner }: DirectoryOptions): DirectoryInput {
  return { id, parent: parents[id]!, edge: id === bridgeOwner ? 'bridge' : 'tree', policy, fence: null };
}
