/** Checks each message from the network before a chart receives it, because the other program may be faulty or of another version. */
import { isObject } from '../checks.js';
import { directoryMessages } from '../directory/messages.js';
import { electionMessages } from '../election/update.js';
import type { Instance } from '../protocol.js';
import { EPOCH_MAX } from './epoch.js';
import type { Standing } from './knowledge.js';
import { isSameMembership, OF_ALL_PRESENT, type Membership } from './membership.js';
import { isCount, isOfShape } from '../shapes.js';
import { electionIn, type LocksProtocolOptions } from './options.js';

type Fields = Readonly<Record<string, unknown>>;

/** The limit of a lock's name, which every node that receives it has to store. */
export const LOCK_NAME_LENGTH_MAX = 256;

const isName = (value: unknown): boolean => typeof value === 'string' && value.length <= LOCK_NAME_LENGTH_MAX;
const isEpoch = (value: unknown): boolean => isCount(value) && value < EPOCH_MAX;
const isCountOrNothing = (value: unknown): boolean => value === undefined || isCount(value);
const MEMORIES: readonly unknown[] = ['known', 'new', 'forgotten', 'founding'];
const isMemory = (value: unknown): boolean => MEMORIES.includes(value);
const isHeld = (value: unknown): value is Fields => isObject(value) && isName(value['lock']) && isCount(value['fence']);
const all = (values: unknown, is: (value: unknown) => boolean): values is readonly unknown[] =>
  Array.isArray(values) && values.every(is);

type Names = Pick<Instance, 'rank'>;
const isNodeOf =
  ({ rank }: Names) =>
  (value: unknown): boolean =>
    typeof value === 'string' && rank(value) >= 0;
const isUsedOf =
  (names: Names) =>
  (value: unknown): value is Fields => {
    if (!isHeld(value)) return false;
    const { client, mode } = value;
    // A client does not read: its locks are exclusive.
    return client === undefined ? mode === undefined || mode === 'shared' : mode === undefined && isNodeOf(names)(client);
  };
const isKeptOf = (names: Names) => (value: unknown) =>
  isUsedOf(names)(value) && isNodeOf(names)(value['node']) && isCountOrNothing(value['number']);
const isBallotOf = (names: Names) => (value: unknown) =>
  isObject(value) &&
  isEpoch(value['epoch']) &&
  isNodeOf(names)(value['proposer']) &&
  isMembersOf(names)(value['members']) &&
  isMembershipOf(names)(value['next']);
/** Version 0 is the empty list of a node without one; a later version with an empty list belongs to tabs. */
const isMembershipOf = (names: Names) => (value: unknown) =>
  isObject(value) &&
  isCount(value['version']) &&
  isCount(value['origin']) &&
  all(value['voters'], isNodeOf(names)) &&
  (value['voters'].length > 0 === value['version'] > 0 || isSameMembership(value as unknown as Membership, OF_ALL_PRESENT));
const isMembersOf = (names: Names) => (value: unknown) => all(value, isNodeOf(names)) && value.length > 0;

/** Checks stored state as well: it may be from another program or cluster. */
export function isStanding(value: unknown, names: Names): value is Standing {
  if (!isObject(value)) return false;
  const { memory, promised, served, pending, membership } = value;
  return (
    isMemory(memory) &&
    (promised === null || isBallotOf(names)(promised)) &&
    isObject(served) &&
    isEpoch(served['epoch']) &&
    all(served['members'], isNodeOf(names)) &&
    all(served['kept'], isKeptOf(names)) &&
    isMembershipOf(names)(served['membership']) &&
    all(pending, isBallotOf(names)) &&
    isMembershipOf(names)(membership)
  );
}

function isPromised(message: Fields, instance: Instance<LocksProtocolOptions>): boolean {
  const { epoch, served, memory, kept, pending, using, links, floor } = message;
  const isNode = isNodeOf(instance);
  const isUsed = isUsedOf(instance);
  return (
    isEpoch(epoch) &&
    isEpoch(served) &&
    isMemory(memory) &&
    isEpoch(floor) &&
    all(kept, isKeptOf(instance)) &&
    all(pending, isBallotOf(instance)) &&
    all(using, isUsed) &&
    all(
      message['records'],
      (record) => isHeld(record) && (record['client'] === null || isNode(record['client'])) && isCountOrNothing(record['number']),
    ) &&
    all(message['stranded'], (held) => isUsed(held) && isCount(held['number'])) &&
    all(links, isNode)
  );
}

const OF_LOCKS: readonly unknown[] = [
  'update',
  'find',
  'token',
  'confirm',
  'confirmed',
  'disowned',
  'recall',
  'returned',
  'acquire',
  'acquired',
  'forfeited',
  'full',
  'giveBack',
];
const isOfEpochs = (type: unknown): boolean => !OF_LOCKS.includes(type);

export function accepts(message: unknown, instance: Instance<LocksProtocolOptions>): boolean {
  if (!isObject(message)) return false;
  const isNode = isNodeOf(instance);
  const isKept = isKeptOf(instance);
  const isNodeOrNull = (value: unknown) => value === null || isNode(value);
  const isMembers = isMembersOf(instance);
  const isMembership = isMembershipOf(instance);
  const { epoch, lock, ...unlabeled } = message;
  const { type, members, served, kept, membership } = unlabeled;
  if (isOfEpochs(type) && !isMembership(membership)) return false;
  switch (type) {
    case 'update':
      return isOfShape(message, electionMessages, electionIn(instance));
    case 'find':
    case 'token':
      return isEpoch(epoch) && isName(lock) && isOfShape(unlabeled, directoryMessages, instance);
    case 'confirm':
    case 'confirmed':
      return isEpoch(epoch) && isHeld(message) && isNodeOrNull(message['user']) && isCountOrNothing(message['number']);
    case 'disowned':
      return isEpoch(epoch) && isHeld(message) && isNode(message['client']);
    case 'recall':
    case 'returned':
      return isEpoch(epoch) && isHeld(message);
    case 'acquire':
      return isName(lock);
    case 'giveBack':
      return isHeld(message);
    case 'acquired':
    case 'forfeited':
      return isHeld(message) && isCount(message['number']);
    case 'full':
      return isName(lock) && isCount(message['number']) && isCount(message['others']);
    case 'attach':
      return isCount(message['number']) && all(message['holds'], isHeld);
    case 'attached':
      return isCount(message['number']) && isEpoch(epoch) && isMembers(members) && all(kept, isHeld);
    case 'detached':
      return isCount(message['number']);
    case 'prepare':
      return isEpoch(epoch) && isMembers(members) && isEpoch(served) && isMembership(message['next']);
    case 'promise':
      return isPromised(message, instance);
    case 'refuse':
      return isEpoch(epoch) && isEpoch(message['promised']) && (message['known'] === undefined || isEpoch(message['known']));
    case 'wait':
      return isEpoch(epoch);
    case 'install':
      return isEpoch(epoch) && isMembers(members) && all(kept, isKept);
    case 'superseded':
      return isEpoch(epoch) && isMembers(members);
    case 'changed':
    case 'hello':
    case 'giveWay':
    case 'givenWay':
    case 'withdrawal':
      return true;
    case 'reconfigure':
      return [message['add'], message['remove']].every((node) => node === null || isNode(node));
    default:
      return false;
  }
}
