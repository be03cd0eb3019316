/** The core of locks: the roles of a peer or a client, who takes which message, and what the commands mean. */
import { coreOf, type RunningCore } from '../core.js';
import { directoryMachine } from '../directory/index.js';
import { DIRECTORY } from '../directory/view.js';
import type { Message, NodeId } from '../effects.js';
import { electionMachine } from '../election/machine.js';
import { ELECTION } from '../election/messages.js';
import type { ElectionProtocolOptions } from '../election/options.js';
import { electionRole } from '../election/role.js';
import type { CoreDescription, Instance, OutsideEvent, RoleStart } from '../protocol.js';
import { STORAGE, storageMachine, type StorageInput, type Stored } from '../storage.js';
import { accepts, isStanding } from './accepts.js';
import { clientMachine, type ClientInput } from './client.js';
import { clientLockMachine } from './client-lock.js';
import { epochsMachine } from './epochs.js';
import { firstStanding, type EpochsInput, type Standing } from './knowledge.js';
import { lockMachine } from './lock.js';
import { firstMembership, isOfAnotherCluster, NO_MEMBERSHIP, OF_ALL_PRESENT, type Membership } from './membership.js';
import { CLIENT, CLIENT_LOCK, directoryRole, EPOCHS, labelOf, LOCK, lockRole, STANDING, type LockLabel } from './messages.js';
import { electionIn, THE_LOCK, type LocksProtocolOptions } from './options.js';

const isForLock = ({ type }: Message): boolean => ['release', 'cancel', 'confirmed', 'giveBack', 'returned'].includes(type);
const isForDirectory = ({ type }: Message): boolean => type === 'find' || type === 'token';

const release = { type: 'release', lock: THE_LOCK };

/** All but the options of a scenario. */
export const locksDescription: Omit<CoreDescription<LocksProtocolOptions>, 'options'> = {
  name: 'locks',
  charts: {
    [EPOCHS]: epochsMachine,
    [LOCK]: lockMachine,
    [ELECTION]: electionMachine,
    [DIRECTORY]: directoryMachine,
    [STORAGE]: storageMachine,
    [CLIENT]: clientMachine,
    [CLIENT_LOCK]: clientLockMachine,
  },
  network: { reach: 'links', order: 'fifo', isOpen: true },
  roles: (id, instance) =>
    isClient(id, instance)
      ? [clientAt(id, instance, linksAt(id, instance))]
      : [
          ...storageAt(id, instance),
          { role: EPOCHS, chart: EPOCHS, input: epochsInput(id, instance, linksAt(id, instance)) },
          electionRole(id, electionIn(instance)),
        ],
  reload: (id, instance, stored) => {
    if (isClient(id, instance)) return [clientAt(id, instance, [])];
    const election = unlinked(id, instance.options.election);
    const options = { ...instance.options, election, members: [] };
    const standing = standingAfter(id, stored, instance);
    return [
      { role: EPOCHS, chart: EPOCHS, input: { ...epochsInput(id, { ...instance, options }, []), ...standing } },
      electionRole(id, electionIn(instance, election)),
    ];
  },
  route: (event: OutsideEvent & Partial<LockLabel>, node) => {
    if (event.type === 'update') return ELECTION;
    const { epoch, lock } = event;
    const role = isForDirectory(event) ? directoryRole(epoch!, lock!) : isForLock(event) ? lockRole(lock!) : EPOCHS;
    return node.has(role) ? role : EPOCHS;
  },
  wiring: { listener, label: labelOf },
  accepts,
  commands: {
    request: {
      event: ({ lock = THE_LOCK }) => ({ type: 'request', lock }),
      waits: true,
      completedBy: ['lock.released', 'lock.lost', 'lock.refused', 'lock.canceled'],
    },
    /** To read, beside others who do. */
    share: {
      event: ({ lock = THE_LOCK }) => ({ type: 'request', lock, mode: 'shared' }),
      waits: true,
      completedBy: ['lock.released', 'lock.lost', 'lock.canceled'],
    },
    /** The cluster is new: there is nothing that anybody could have forgotten. */
    bootstrap: { event: () => ({ type: 'bootstrap' }), waits: false, completedBy: [] },
    /** Who votes is changed by one: `add`, `remove`, or one instead of the other. */
    change: {
      fields: [
        { name: 'add', type: 'node', optional: true },
        { name: 'remove', type: 'node', optional: true },
      ],
      event: ({ add = null, remove = null }) => ({ type: 'change', add, remove }),
      refusal: ({ clients }: LocksProtocolOptions, { add }) =>
        clients.includes(add) ? `"${add}" is a client and does not vote. Add another node.` : null,
      waits: false,
      completedBy: ['members'],
    },
    /** The transport reports that the process of a peer has ended: rightly or not. */
    ended: {
      fields: [{ name: 'peer', type: 'node' }],
      event: ({ peer }) => ({ type: 'ended', peer }),
      waits: false,
      completedBy: [],
    },
    release: { event: ({ lock = THE_LOCK }) => ({ type: 'release', lock }), waits: false, completedBy: [] },
    /** A request is given up, if nobody has been asked yet: what others know of it cannot be called back. */
    cancel: { event: ({ lock = THE_LOCK }) => ({ type: 'cancel', lock }), waits: false, completedBy: [] },
  },
  reactions: ({ hold }) => (hold === null ? [] : [{ on: 'lock.granted', event: release, after: hold }]),
};

/** What `createLocks` carries of them, which has no scenario to read: the options of a peer are complete as it makes them. */
export const peerCore: RunningCore<LocksProtocolOptions> = /* @__PURE__ */ coreOf<LocksProtocolOptions>(locksDescription);

/** Of the election hear the epochs, of a directory its lock; epochs and locks tell each other. */
function listener(role: string): string | undefined {
  if (role === ELECTION) return EPOCHS;
  const label = labelOf(role);
  return label && lockRole(label.lock);
}

const isClient = (id: NodeId, { options }: Instance<LocksProtocolOptions>): boolean => options.clients.includes(id);

/** It knows who votes, and stores nothing. */
function clientAt(id: NodeId, { options }: Instance<LocksProtocolOptions>, links: readonly NodeId[]): RoleStart {
  const { voters, patience, floor } = options;
  const input: ClientInput = { id, membership: firstMembership(voters), links, patience, number: floor };
  return { role: EPOCHS, chart: CLIENT, input };
}

/** What has begun before anything could be stored is there already. */
function storageAt(id: NodeId, { options }: Instance<LocksProtocolOptions>): readonly RoleStart[] {
  const { storage, members, memory } = options;
  if (storage === null) return [];
  const hasBegun = members.includes(id);
  const stored: Stored = hasBegun ? { [STANDING]: firstStanding({ members, memory, membership: listAt(id, options) }) } : {};
  return [{ role: STORAGE, chart: STORAGE, input: { stored, delay: storage } satisfies StorageInput }];
}

/**
 * What was stored; an empty storage is that of a first start, and one that makes no sense is as good as none, as is that of a node that
 * was given another list and has served nothing by it (rule 14).
 */
function standingAfter(
  id: NodeId,
  stored: Stored,
  instance: Instance<LocksProtocolOptions>,
): Pick<EpochsInput, 'stored' | 'memory'> {
  const standing = stored[STANDING];
  if (isStanding(standing, instance) && !isOfWrongList(standing, listAt(id, instance.options)))
    return { stored: standing, memory: standing.memory };
  const isFirst = instance.options.storage !== null && Object.keys(stored).length === 0;
  return { stored: null, memory: isFirst ? 'new' : 'forgotten' };
}

const isOfWrongList = ({ served, membership }: Standing, given: Membership): boolean =>
  served.epoch === 0 && membership.version === 1 && isOfAnotherCluster(membership, given);

/** A node that starts again leads itself until it is notified of others. */
const unlinked = (id: NodeId, election: ElectionProtocolOptions): ElectionProtocolOptions => ({
  ...election,
  start: { ...election.start, [id]: { ...election.start[id]!, neighbors: [], leader: id, distance: 0 } },
});

/** Who votes knows with whom; others are told. */
function listAt(id: NodeId, { voters, quorum }: LocksProtocolOptions): Membership {
  if (quorum === 'present') return OF_ALL_PRESENT;
  return voters.includes(id) ? firstMembership(voters) : NO_MEMBERSHIP;
}

const linksAt = (id: NodeId, { topology }: Instance<LocksProtocolOptions>): NodeId[] =>
  topology.links.flatMap(([u, v]) => (u === id ? [v] : v === id ? [u] : [])).sort();

function epochsInput(id: NodeId, { options }: Instance<LocksProtocolOptions>, links: readonly NodeId[]): EpochsInput {
  const { election: elected, members, memory, floor, bounds, confirm, patience } = options;
  const { leader } = elected.start[id]!;
  const own = { membership: listAt(id, options), members: members.includes(id) ? members : [] };
  return { id, ...own, links, leader, memory, stored: null, floor, bounds, confirm, patience };
}
