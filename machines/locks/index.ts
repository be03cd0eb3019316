/**
 * Locks that survive the failure of those who hold them: election and token directory composed, with a steward between them.
 *
 * Fault model: nodes stop, or start again knowing nothing; links come and go, at each end by itself, on the word of a detector that may
 * be wrong; while a link is up it is reliable and first-in first-out. Promises: no two grants of a lock with the same fence, larger ones
 * later; a majority that has settled serves everybody in it. What it cannot promise: that a holder who was cut off has noticed. Whatever
 * the lock protects must refuse a fence smaller than one that it has seen.
 */
import { isObject } from '../checks.js';
import { defineCore, defineProtocol } from '../define.js';
import { directoryCore, directoryMachine } from '../directory/index.js';
import type { NodeId } from '../effects.js';
import { electionCore, electionMachine } from '../election/index.js';
import type { Instance } from '../protocol.js';
import { LocksAccount } from './account.js';
import { EPOCH_MAX } from './epoch.js';
import { DIRECTORY, labelOf, lockRole, STEWARD, type LockMessage } from './messages.js';
import { locksOptions, THE_LOCK, type LocksOptions } from './options.js';
import { locksProperties } from './properties.js';
import { stewardSamples } from './samples.js';
import { locksSystems } from './systems.js';
import type { StewardInput } from './knowledge.js';
import { stewardMachine } from './steward.js';
import { stewardOf } from './view.js';

export { firstFence, LOCKS_MAX } from './epoch.js';
export { lockRole, type LockNotice } from './messages.js';
export type { StewardContext, StewardInput } from './knowledge.js';
export { stewardMachine } from './steward.js';
export type { LocksOptions };

const ELECTION = 'election';

export const NAME_LENGTH_MAX = 256;

export const locksCore = /* @__PURE__ */ defineCore<LocksOptions>({
  name: 'locks',
  charts: { [STEWARD]: stewardMachine, [ELECTION]: electionMachine, [DIRECTORY]: directoryMachine },
  network: { reach: 'links', order: 'fifo' },
  options: locksOptions,
  roles: (id, instance) => [
    { role: STEWARD, chart: STEWARD, input: stewardInput(id, instance) },
    ...electionCore.roles(id, { ...instance, options: instance.options.election }),
  ],
  route: (event, node) => {
    if (event.type === 'update') return ELECTION;
    const { epoch, lock } = event as unknown as LockMessage;
    const role = event.type === 'find' || event.type === 'token' ? lockRole(epoch, lock) : STEWARD;
    return node.has(role) ? role : STEWARD;
  },
  wiring: {
    listener: (role) => (role === STEWARD ? undefined : STEWARD),
    label: labelOf as (role: string) => Readonly<Record<string, unknown>> | undefined,
  },
  accepts,
  commands: {
    request: {
      event: ({ lock = THE_LOCK }) => ({ type: 'request', lock }),
      waits: true,
      completedBy: ['lock.released', 'lock.lost'],
    },
    release: { event: ({ lock = THE_LOCK }) => ({ type: 'release', lock }), waits: false, completedBy: [] },
  },
  reactions: ({ hold }) =>
    hold === null ? [] : [{ on: 'lock.granted', event: { type: 'release', lock: THE_LOCK } as never, after: hold }],
});

export const locks = /* @__PURE__ */ defineProtocol(
  locksCore,
  // Election and directory are walked where they are at home.
  { properties: locksProperties, samples: { [STEWARD]: stewardSamples }, systems: locksSystems },
  {
    paper: 'Arvy (Khanchandani, Wattenhofer) and leader election (Tbarka), composed by epochs as in Paxos',
    observe: () => new LocksAccount(),
    overlay: (node) => {
      const { value, context } = stewardOf(node);
      const isUsing = context.entries.some(({ fence }) => fence !== null);
      return {
        badge: context.leader === context.id ? `♛ ${context.epoch}` : String(context.epoch),
        tone: isUsing ? 'held' : context.entries.length > 0 ? 'waiting' : value === 'serving' ? 'plain' : 'wrong',
      };
    },
  },
);

function stewardInput(id: NodeId, { topology, options }: Instance<LocksOptions>): StewardInput {
  const { election: elected, epoch, members } = options;
  const { leader, neighbours } = elected.start[id]!;
  return { id, peers: topology.nodes, links: neighbours.toSorted(), leader, epoch, members };
}

/** A name is kept by every node that it passes. */
const isName = (value: unknown): boolean => typeof value === 'string' && value.length <= NAME_LENGTH_MAX;
const isEpoch = (value: unknown): boolean =>
  Number.isSafeInteger(value) && (value as number) >= 0 && (value as number) < EPOCH_MAX;
const isCount = (value: unknown): boolean => Number.isSafeInteger(value) && (value as number) >= 0;

function accepts(message: unknown, instance: Instance<LocksOptions>): boolean {
  if (!isObject(message)) return false;
  const isNode = (value: unknown) => typeof value === 'string' && instance.rank(value) >= 0;
  const isNodes = (value: unknown) => Array.isArray(value) && value.every(isNode);
  const { epoch, lock, ...unlabelled } = message;
  const { type, using, served, links, changes, members, holders } = unlabelled;
  switch (type) {
    case 'update':
      return electionCore.accepts(message, { ...instance, options: instance.options.election });
    case 'find':
    case 'token':
      return isEpoch(epoch) && isName(lock) && directoryCore.accepts(unlabelled, instance as never);
    case 'prepare':
    case 'refuse':
      return isEpoch(epoch);
    case 'promise':
      return (
        isEpoch(epoch) &&
        isEpoch(served) &&
        isNodes(links) &&
        isCount(changes) &&
        Array.isArray(using) &&
        using.every((held) => isObject(held) && isName(held['lock']) && isCount(held['fence']))
      );
    case 'install':
      return (
        isEpoch(epoch) &&
        isNodes(members) &&
        Array.isArray(holders) &&
        holders.every((pair) => Array.isArray(pair) && isName(pair[0]) && isNode(pair[1]))
      );
    case 'changed':
      return isCount(changes);
    default:
      return false;
  }
}
