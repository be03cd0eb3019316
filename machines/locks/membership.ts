/**
 * Who votes: the list of voters, and how it becomes the next one (rule 9).
 *
 * The field calls it a configuration. It is changed by one voter at a time (one is added, removed or replaced), by an epoch that a majority
 * of the old list and a majority of the new one have promised; so no majority of one can begin anything next to a majority of the other.
 *
 * Of the tabs of one origin there is no list (rule 13): whoever is there votes, those who are there are enough, and nothing is changed.
 */
import type { NodeId } from '../effects.js';
import { hash } from '../hash.js';
import { byName, isMajority } from './epoch.js';

export interface Membership {
  /** 1 for the list with which the cluster began; 0 for none, of a node that has not been told. */
  readonly version: number;
  /** By name. */
  readonly voters: readonly NodeId[];
  /** A digest of the list with which the cluster began, the same in all its versions; 0 where there is none. */
  readonly origin: number;
}

/** One voter is added, removed, or, with both, replaced. */
export interface MembershipChange {
  readonly add: NodeId | null;
  readonly remove: NodeId | null;
}

/** A change that somebody wants, until it is decided. */
export interface WantedChange extends MembershipChange {
  /** Who was called for it, and asks the leader. */
  readonly by: NodeId;
}

export const NO_MEMBERSHIP: Membership = { version: 0, voters: [], origin: 0 };

export function firstMembership(nodes: readonly NodeId[]): Membership {
  const voters = nodes.toSorted(byName);
  return { version: 1, voters, origin: hash(JSON.stringify(voters)) };
}

/** Rule 13: the list of those who have none. */
export const OF_ALL_PRESENT = firstMembership([]);

export const isOfAllPresent = ({ version, voters }: Membership): boolean => version > 0 && voters.length === 0;

export const isSameMembership = (a: Membership, b: Membership): boolean =>
  a.version === b.version && a.voters.length === b.voters.length && a.voters.every((voter, i) => voter === b.voters[i]);

/** Of clusters that have never been one: they began with different lists, or have different lists of one version. */
export const isOfAnotherCluster = (a: Membership, b: Membership): boolean =>
  (a.origin !== b.origin && a.version > 0 && b.version > 0) || (a.version === b.version && !isSameMembership(a, b));

export const isMajorityOf = (nodes: readonly NodeId[], membership: Membership): boolean =>
  isOfAllPresent(membership)
    ? nodes.length > 0
    : isMajority(membership.voters.filter((voter) => nodes.includes(voter)).length, membership.voters);

/** Rule 9: of the old list and of the new one. */
export const areMajoritiesOf = (nodes: readonly NodeId[], old: Membership, next: Membership): boolean =>
  isMajorityOf(nodes, old) && isMajorityOf(nodes, next);

export const votesInOneOf = (node: NodeId, ...memberships: readonly Membership[]): boolean =>
  memberships.some((membership) => isOfAllPresent(membership) || membership.voters.includes(node));

export const votersAfter = ({ voters }: Pick<Membership, 'voters'>, { add, remove }: MembershipChange): NodeId[] => [
  ...voters.filter((voter) => voter !== remove && voter !== add),
  ...(add === null ? [] : [add]),
];

/** A list of voters takes at most this part of the largest message: what a register holds is told with two lists, and has the rest. */
export const LIST = 1 / 16;
/** However large that is: a message has 131,072 values at most. */
export const VOTERS_MAX = 2 ** 13;

const encoder = new TextEncoder();

/** True if all that is told with lists of voters has room for this one, in messages of so many bytes. */
export const hasRoomForVoters = (voters: readonly NodeId[], messageBytes: number): boolean =>
  voters.length <= VOTERS_MAX && encoder.encode(JSON.stringify(voters)).length <= messageBytes * LIST;

/** The list that a change makes of this one; `null` where it would change nothing, leave nobody or have no room, and where there is no list. */
export function membershipAfter(membership: Membership, change: MembershipChange, messageBytes: number): Membership | null {
  if (isOfAllPresent(membership)) return null;
  const next = { ...membership, version: membership.version + 1, voters: votersAfter(membership, change).sort(byName) };
  const isSameList = isSameMembership(next, { ...membership, version: next.version });
  const hasRoom = change.add === null || hasRoomForVoters(next.voters, messageBytes);
  return isSameList || next.voters.length === 0 || !hasRoom ? null : next;
}
