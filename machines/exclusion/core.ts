/** The part of local mutual exclusion that an application loads: its chart, messages and commands. */
import { coreOf } from '../core.js';
import { isBoolean, type FieldCheck, type ShapesOf } from '../shapes.js';
import { exclusionMachine, initiatorMessages, participantMessages, type ExclusionMessage, type LockCall } from './machine.js';
import { exclusionOptions } from './options.js';
import { EXCLUSION } from './view.js';
import { recordBy } from '../checks.js';

const isPriority: FieldCheck = (value, { options: { priorities } }) =>
  typeof value === 'number' && Number.isInteger(value) && value >= 0 && value < priorities;

type Plain = (typeof initiatorMessages)[number] | (typeof participantMessages)[number];

const plain = recordBy<Plain, {}>([...initiatorMessages, ...participantMessages], () => ({}));

/**
 * Local mutual exclusion without its checks and view, for `createNode`.
 *
 * @public
 */
export const exclusionCore = /* @__PURE__ */ coreOf({
  name: 'exclusion',
  charts: { [EXCLUSION]: exclusionMachine },
  network: { reach: 'links', addressing: 'ports' },
  options: exclusionOptions,
  ports: ({ ports }) => ports,
  draws: ({ draws }) => draws,
  roles: (id, { options: { rules, priorities, inUse } }) => [
    { role: EXCLUSION, chart: EXCLUSION, input: { rules, priorities, ports: inUse[id]! } },
  ],
  route: () => EXCLUSION,
  notices: ['locked', 'unlocked'],
  messages: { ...plain, request: { priority: isPriority }, win: { won: isBoolean } } satisfies ShapesOf<ExclusionMessage>,
  commands: {
    lock: { waits: true, completedBy: ['unlocked'] },
    /** Locks only the node and the neighbor at one of its ports. */
    pair: {
      fields: [{ name: 'port', type: 'integer' }],
      event: ({ port }) => ({ type: 'lock', ports: [port] }) as LockCall,
      waits: true,
      completedBy: ['unlocked'],
    },
    unlock: {},
  },
  reactions: ({ hold }) => (hold === null ? [] : [{ on: 'locked', event: { type: 'unlock' }, after: hold }]),
});
