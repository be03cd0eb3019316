/** The part of the locks protocol that an application loads: roles of a voter or a client, routes of messages, and commands. */
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
import { CLIENT, CLIENT_LOCK, directoryRole, EPOCHS, lockLabelOf, LOCK, lockRole, STANDING, type LockLabel } from './messages.js';
import { electionIn, THE_LOCK, type LocksProtocolOptions } from './options.js';

const isForLock = ({ type }: Message): boolean => ['release', 'cancel', 'confirmed', 'giveBack', 'returned'].includes(type);
const isForDirectory = ({ type }: Message): boolean => type === 'find' || type === 'token';

const release = { type: 'release', lock: THE_LOCK };

type LocksCommand = 'request' | 'share' | 'bootstrap' | 'change' | 'withdraw' | 'ended' | 'release' | 'cancel';

/** The description of the protocol, except for reading the options of a scenario. */
export const locksDescription: Omit<CoreDescription<LocksProtocolOptions, LocksCommand>, 'options'> = {
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
  wiring: { listener, label: lockLabelOf },
  accepts,
  commands: {
    request: {
      event: ({ lock = THE_LOCK }) => ({ type: 'request', lock }),
      waits: true,
      completedBy: ['lock.released', 'lock.lost', 'lock.refused', 'lock.canceled'],
    },
    /** Requests the lock as a reader, together with other readers. */
    share: {
      event: ({ lock = THE_LOCK }) => ({ type: 'request', lock, mode: 'shared' }),
      waits: true,
      completedBy: ['lock.released', 'lock.lost', 'lock.canceled'],
    },
    /** Declares that the cluster is new, so that no voter can have forgotten anything. */
    bootstrap: { event: () => ({ type: 'bootstrap' }), waits: false, completedBy: [] },
    /** Adds a voter (`add`), removes one (`remove`), or replaces one with both. */
    change: {
      fields: [
        { name: 'add', type: 'node', optional: true },
        { name: 'remove', type: 'node', optional: true },
      ],
      event: ({ add = null, remove = null }) => ({ type: 'change', add, remove }),
      refusal: ({ clients }: LocksProtocolOptions, { add }: { readonly add?: NodeId }) =>
        add !== undefined && clients.includes(add) ? `"${add}" is a client and does not vote. Add another node.` : null,
      waits: false,
      completedBy: ['members'],
    },
    /** Withdraws the change that was requested here. A list that was already proposed may still be decided. */
    withdraw: { event: () => ({ type: 'withdraw' }), waits: false, completedBy: [] },
    /** Reports, as a transport would, that the process of a peer has ended. The report may be wrong. */
    ended: {
      fields: [{ name: 'peer', type: 'node' }],
      event: ({ peer }) => ({ type: 'ended', peer }),
      waits: false,
      completedBy: [],
    },
    release: { event: ({ lock = THE_LOCK }) => ({ type: 'release', lock }), waits: false, completedBy: [] },
    /** Cancels a request that no other peer knows of. A request that others know of cannot be canceled. */
    cancel: { event: ({ lock = THE_LOCK }) => ({ type: 'cancel', lock }), waits: false, completedBy: [] },
  },
  reactions: ({ hold }) => (hold === null ? [] : [{ on: 'lock.granted', event: release, after: hold }]),
};

/** The core for `createLocks`, which reads no scenario and passes complete options of a peer. */
export const peerCore: RunningCore<LocksProtocolOptions> = /* @__PURE__ */ coreOf<LocksProtocolOptions>(locksDescription);

/** The epochs listen to the election, and a lock to its directory. Epochs and locks notify each other. */
function listener(role: string): string | undefined {
  if (role === ELECTION) return EPOCHS;
  const label = lockLabelOf(role);
  return label && lockRole(label.lock);
}

const isClient = (id: NodeId, { options }: Instance<LocksProtocolOptions>): boolean => options.clients.includes(id);

/** A client at its start. It knows the voters and stores nothing. */
function clientAt(id: NodeId, { options }: Instance<LocksProtocolOptions>, links: readonly NodeId[]): RoleStart {
  const { voters, patience, floor } = options;
  const input: ClientInput = { id, membership: firstMembership(voters), links, patience, number: floor };
  return { role: EPOCHS, chart: CLIENT, input };
}

/** Storage of a node. If the first epoch has begun before anything could be stored, it contains that epoch. */
function storageAt(id: NodeId, { options }: Instance<LocksProtocolOptions>): readonly RoleStart[] {
  const { storage, members, memory } = options;
  if (storage === null) return [];
  const hasBegun = members.includes(id);
  const stored: Stored = hasBegun ? { [STANDING]: firstStanding({ members, memory, membership: listAt(id, options) }) } : {};
  return [{ role: STORAGE, chart: STORAGE, input: { stored, delay: storage } satisfies StorageInput }];
}

/**
 * The stored state of a node. Empty storage means a first start. Invalid state counts as missing, and so does the state of a node that was
 * given another list and has not served with the stored one (rule 14).
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

/** A node that restarts leads itself until its links come up. */
const unlinked = (id: NodeId, election: ElectionProtocolOptions): ElectionProtocolOptions => ({
  ...election,
  start: { ...election.start, [id]: { ...election.start[id]!, neighbors: [], leader: id, distance: 0 } },
});

/** The membership at the start. Only voters know it. */
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
