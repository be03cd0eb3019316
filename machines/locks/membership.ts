/**
 * Membership: the list of voters, and its changes (rule 9).
 *
 * Other protocols call it a configuration. A change adds, removes or replaces one voter. An epoch makes the change after a majority of the
 * old list and a majority of the new one have promised it. No majority of one list can therefore begin an epoch independently of the other.
 *
 * Tabs of one origin have no list (rule 13): every connected tab votes, those present are enough, and the membership does not change.
 */
import type { NodeId } from '../effects.js';
import { hash } from '../hash.js';
import { byName, isMajority } from './epoch.js';

export interface Membership {
  /** 1 for the list with which the cluster began; 0 for a node that does not know a list yet. */
  readonly version: number;
  /** Sorted by name. */
  readonly voters: readonly NodeId[];
  /** A digest of the list with which the cluster began, the same in all its versions; 0 without a list. */
  readonly origin: number;
}

/** A change that adds a voter, removes one, or, with both, replaces one. */
export interface MembershipChange {
  readonly add: NodeId | null;
  readonly remove: NodeId | null;
}

/** A change of the membership that was requested but is not decided. */
export interface WantedChange extends MembershipChange {
  /** The node that was called for the change and sends it to the leader. */
  readonly by: NodeId;
}

export const NO_MEMBERSHIP: Membership = { version: 0, voters: [], origin: 0 };

export function firstMembership(nodes: readonly NodeId[]): Membership {
  const voters = nodes.toSorted(byName);
  return { version: 1, voters, origin: hash(JSON.stringify(voters)) };
}

/** Rule 13: the membership of nodes without a list. */
export const OF_ALL_PRESENT = firstMembership([]);

export const isOfAllPresent = ({ version, voters }: Membership): boolean => version > 0 && voters.length === 0;

export const isSameMembership = (a: Membership, b: Membership): boolean =>
  a.version === b.version && a.voters.length === b.voters.length && a.voters.every((voter, i) => voter === b.voters[i]);

/** True for memberships of separate clusters: they began with different lists, or have different lists of the same version. */
export const isOfAnotherCluster = (a: Membership, b: Membership): boolean =>
  (a.origin !== b.origin && a.version > 0 && b.version > 0) || (a.version === b.version && !isSameMembership(a, b));

export const isMajorityOf = (nodes: readonly NodeId[], membership: Membership): boolean =>
  isOfAllPresent(membership)
    ? nodes.length > 0
    : isMajority(membership.voters.filter((voter) => nodes.includes(voter)).length, membership.voters);

/** Rule 9: true if the nodes include a majority of the old list and one of the new list. */
export const areMajoritiesOf = (nodes: readonly NodeId[], old: Membership, next: Membership): boolean =>
  isMajorityOf(nodes, old) && isMajorityOf(nodes, next);

export const votesInOneOf = (node: NodeId, ...memberships: readonly Membership[]): boolean =>
  memberships.some((membership) => isOfAllPresent(membership) || membership.voters.includes(node));

export const votersAfter = ({ voters }: Pick<Membership, 'voters'>, { add, remove }: MembershipChange): NodeId[] => [
  ...voters.filter((voter) => voter !== remove && voter !== add),
  ...(add === null ? [] : [add]),
];

/** The part of the largest message that a list of voters may take. A value of a register is sent with two lists, and has the rest. */
export const LIST = 1 / 16;
/** The largest number of voters at any message size: a message has at most 131,072 values. */
export const VOTERS_MAX = 2 ** 13;

const encoder = new TextEncoder();

/** True if this list of voters fits into each message that contains lists, at this message size in bytes. */
export const hasRoomForVoters = (voters: readonly NodeId[], messageBytes: number): boolean =>
  voters.length <= VOTERS_MAX && encoder.encode(JSON.stringify(voters)).length <= messageBytes * LIST;

/** The membership after a change. `null` if the change has no effect, leaves no voters or has no room, and for nodes without a list. */
export function membershipAfter(membership: Membership, change: MembershipChange, messageBytes: number): Membership | null {
  if (isOfAllPresent(membership)) return null;
  const next = { ...membership, version: membership.version + 1, voters: votersAfter(membership, change).sort(byName) };
  const isSameList = isSameMembership(next, { ...membership, version: next.version });
  const hasRoom = change.add === null || hasRoomForVoters(next.voters, messageBytes);
  return isSameList || next.voters.length === 0 || !hasRoom ? null : next;
}
