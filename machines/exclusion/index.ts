/**
 * Local mutual exclusion: a node locks itself and all its neighbours, without identities, while links come and go.
 *
 * Fault model: nodes do not fail and know their neighbours by port numbers only; messages arrive in any order, and on a link that
 * stays none is lost. Links may be cut and joined at any time; a cut is noticed at both ends. Under it every request succeeds with
 * probability 1, and locked neighbourhoods never overlap. A node whose link to its holder is cut is free at once, even though the
 * holder may still be in its critical section.
 */
import { isObject } from '../checks.js';
import { defineProtocol } from '../protocol.js';
import { ExclusionAccount } from './account.js';
import { exclusionMachine, initiatorSays, participantSays, type LockCall } from './machine.js';
import { exclusionOptions, type ExclusionOptions } from './options.js';
import { overlayOf } from './overlay.js';
import { printedMachine } from './printed.js';
import { exclusionProperties } from './properties.js';
import { reasons } from './reasons.js';
import { samplesOf } from './samples.js';
import { systems } from './systems.js';
import { ROLE } from './view.js';

export {
  exclusionMachine,
  type ExclusionContext,
  type ExclusionEvent,
  type ExclusionInput,
  type ExclusionMessage,
  type ExclusionNotice,
} from './machine.js';
export type { ExclusionOptions };

export const exclusion = defineProtocol<ExclusionOptions>({
  name: 'exclusion',
  paper:
    'Daymude, Richa, Scheideler: Local Mutual Exclusion for Dynamic, Anonymous, Bounded Memory Message Passing Systems (SAND 2022)',
  charts: { [ROLE]: exclusionMachine, printed: printedMachine },
  network: { reach: 'links', addressing: 'ports', order: 'unordered', time: false },
  options: exclusionOptions,
  ports: ({ ports }) => ports,
  draws: ({ draws }) => draws,
  roles: (id, { options: { rules, priorities, inUse } }) => [
    { role: ROLE, chart: rules === 'printed' ? 'printed' : ROLE, input: { rules, priorities, ports: inUse[id]! } },
  ],
  route: () => ROLE,
  accepts: (message, { options: { priorities } }) => {
    if (!isObject(message)) return false;
    const { type, priority, won } = message;
    if (type === 'request') return Number.isInteger(priority) && (priority as number) >= 0 && (priority as number) < priorities;
    if (type === 'win') return typeof won === 'boolean';
    return [...initiatorSays, ...participantSays].includes(type as 'ready');
  },
  commands: {
    lock: { event: () => ({ type: 'lock' }), waits: true, completedBy: ['unlocked'] },
    /** Locks the node and the neighbour at one of its ports only. */
    pair: {
      fields: [{ name: 'port', type: 'integer' }],
      event: ({ port }) => ({ type: 'lock', ports: [port] }) as LockCall,
      waits: true,
      completedBy: ['unlocked'],
    },
    unlock: { event: () => ({ type: 'unlock' }), waits: false, completedBy: [] },
  },
  reactions: ({ hold }) => (hold === null ? [] : [{ on: 'locked', event: { type: 'unlock' }, after: hold }]),
  properties: () => exclusionProperties,
  observe: (instance) => new ExclusionAccount(instance),
  samples: { [ROLE]: samplesOf(['corrected', 'deferred']), printed: samplesOf(['printed']) },
  systems,
  reasons,
  overlay: overlayOf,
});
