/**
 * The members that keep the copies of a register, the move of the register to a new list of members, and the answers that are enough to
 * know the latest copy.
 *
 * A copy contains the list of peers with which it is kept. While it moves from one list to the next, it contains both lists, and reads and
 * writes need a majority of each (Ongaro and Ousterhout: joint consensus). A copy with a single list proves that the joint copy was
 * complete, because it is written only then, under the same fence. A reader of such a copy needs no members of earlier lists.
 */
import type { NodeId } from '../../machines/effects.js';
import { isObject } from '../../machines/checks.js';
import { isMajority } from '../../machines/locks/epoch.js';
import { NO_MEMBERSHIP } from '../../machines/locks/membership.js';
import type { Json } from '../transports/transport.js';
import type { Locks } from './locks.js';
import { knowledgeAt } from './members.js';

/** The members that store a copy of the register. */
export interface Keepers {
  /** The version of their list; 0 at a peer that joined later and has stored nothing. */
  readonly version: number;
  readonly peers: readonly NodeId[];
  /** While the copy moves: the members that kept it before. */
  readonly from?: readonly NodeId[];
}

export interface Copy {
  /** The fence of its writer's lock; 0 before the first write. */
  readonly fence: number;
  readonly value: Json;
  readonly keepers: Keepers;
}

/**
 * The answer of a peer to a question about its copy.
 *
 * - `copy`: its copy. A peer without a copy that has forgotten what it had adds `since`: it still has each value that was written to it
 *   with this fence or a larger one.
 * - `late`: a holder with a larger fence has been here.
 * - `refused`: the value is not valid for the register at that peer, or, with `long`, too long for its messages.
 * - `long`: the peer's copy is too long for its messages; it was stored when messages were larger.
 */
export type CopyAnswer =
  | { readonly type: 'copy'; readonly copy: Copy | null; readonly initial?: number; readonly since?: number }
  | { readonly type: 'stored' | 'late' | 'long' }
  | { readonly type: 'refused'; readonly long?: true };

export type Answers = ReadonlyMap<NodeId, CopyAnswer>;

/** A question about a copy. `initial` is a digest of the register's initial value at the sender. */
export type CopyQuestion =
  | { readonly type: 'read'; readonly fence: number; readonly initial?: number }
  | ({ readonly type: 'write' } & Copy);

export const NO_KEEPERS: Keepers = { version: 0, peers: [] };

/** The voters, as far as they are decided and known here. They keep the copies. */
export function decidedBy(locks: Locks): Keepers {
  const { membership } = knowledgeAt(locks.node) ?? { membership: NO_MEMBERSHIP };
  return { version: membership.version, peers: membership.voters };
}

export const keeperLists = ({ peers, from }: Keepers): (readonly NodeId[])[] => (from ? [peers, from] : [peers]);

export const hasKeepers = (nodes: ReadonlySet<NodeId>, keepers: Keepers): boolean =>
  keeperLists(keepers).every((list) => isMajority(list.filter((peer) => nodes.has(peer)).length, list));

/** The lists of members for the next copies, one write after the other. A move in progress is completed first. */
export function keepersAfter(kept: Keepers, decided: Keepers): readonly Keepers[] {
  const { version, peers, from } = kept;
  if (from) return [kept, { version, peers }];
  return decided.version > version ? [{ ...decided, from: peers }, decided] : [kept];
}

/** True if one copy is later than the other. Under one fence, a joint copy is written before the copy with a single list. */
export const isLater = (one: Copy, other: Copy): boolean =>
  one.fence !== other.fence
    ? one.fence > other.fence
    : Boolean(one.keepers.from) === Boolean(other.keepers.from)
      ? one.keepers.version > other.keepers.version
      : one.keepers.from === undefined;

export const writing = (copy: Copy): CopyQuestion => ({ type: 'write', ...copy });

/** The copies that a read has received so far. */
export interface KnownCopies {
  /** The latest copy; `null` if no peer has one. */
  readonly latest: Copy | null;
  /** Peers that have a copy, including one that states that nothing was ever written. */
  readonly witnesses: ReadonlySet<NodeId>;
  /** Peers whose copies are not valid values at this peer, or too long to send. They count as missing answers. */
  readonly unread: readonly NodeId[];
  /** The peers that have answered, and the peers whose answers are needed. */
  readonly answered: ReadonlySet<NodeId>;
  readonly asked: ReadonlySet<NodeId>;
  /** `settled`: a majority has the copy with its single list, so no members of earlier lists are needed. */
  readonly is: 'waiting' | 'known' | 'settled' | 'unwritten' | 'forgotten';
}

export function knownBy(answers: Answers, decided: Keepers, isValue: (value: unknown) => boolean): KnownCopies {
  const copies = new Map<NodeId, Copy>();
  const unread: NodeId[] = [];
  for (const [peer, answer] of answers) {
    if (answer.type === 'long') unread.push(peer);
    if (answer.type !== 'copy' || !answer.copy) continue;
    if (isValue(answer.copy.value)) copies.set(peer, answer.copy);
    else unread.push(peer);
  }
  const latest = [...copies.values()].reduce<Copy | null>((last, copy) => (last && !isLater(copy, last) ? last : copy), null);
  const witnesses = new Set(copies.keys());
  const answered = new Set([...answers.keys()].filter((peer) => !unread.includes(peer)));
  const written = latest !== null && latest.fence > 0 ? latest : null;
  const asked = new Set([...(written ? keeperLists(written.keepers).flat() : []), ...decided.peers]);
  const isAnswered = decided.version > 0 && [...asked].every((peer) => answered.has(peer));
  const known = { latest, witnesses, unread, answered, asked };
  // A first change that was interrupted may have left one copy, while no other member has forgotten anything since.
  const reliable = written ? new Set([...witnesses, ...rememberingSince(answers, written.fence)]) : witnesses;
  if (latest && hasKeepers(reliable, latest.keepers) && (written || hasKeepers(witnesses, decided)))
    return { ...known, is: isSettled(copies, latest.keepers) ? 'settled' : 'known' };
  if (!isAnswered) return { ...known, is: 'waiting' };
  const remembering = decided.peers.filter((peer) => witnesses.has(peer)).length;
  const isUnwritten = !written && (remembering === 0 || remembering === decided.peers.length);
  return { ...known, is: isUnwritten ? 'unwritten' : 'forgotten' };
}

/** Peers without a copy that would still have one of a later holder. */
const rememberingSince = (answers: Answers, fence: number): NodeId[] =>
  [...answers].flatMap(([peer, answer]) =>
    answer.type === 'copy' && answer.copy === null && answer.since !== undefined && answer.since <= fence ? [peer] : [],
  );

/** True if a majority keeps the copy with this single list. */
function isSettled(copies: ReadonlyMap<NodeId, Copy>, { version, peers, from }: Keepers): boolean {
  const settled = peers.filter((peer) => {
    const keepers = copies.get(peer)?.keepers;
    return keepers?.version === version && !keepers.from;
  });
  return !from && isMajority(settled.length, peers);
}

/** Formats how many peers know a register that too many have forgotten. */
export function forgottenText({ latest, witnesses }: KnownCopies, decided: Keepers): string {
  const lists = latest && latest.fence > 0 ? keeperLists(latest.keepers) : [decided.peers];
  const counts = lists.map((list) => [list.filter((peer) => witnesses.has(peer)).length, list] as const);
  const [count, list] = counts.find(([known, of]) => !isMajority(known, of)) ?? counts[0]!;
  return `${count} of ${list.length} peers`;
}

const isPeers = (value: unknown): value is readonly NodeId[] =>
  Array.isArray(value) && value.every((peer) => typeof peer === 'string');

const isKeepers = (value: unknown): value is Keepers =>
  isObject(value) &&
  Number.isSafeInteger(value['version']) &&
  isPeers(value['peers']) &&
  (value['from'] === undefined || isPeers(value['from']));

/** A copy as it was stored or sent; `undefined` for a value that is not a copy. */
export function registerCopyOf(given: unknown): Copy | null | undefined {
  if (given === null) return null;
  if (!isObject(given) || !Number.isSafeInteger(given['fence']) || given['value'] === undefined) return undefined;
  const { fence, value, keepers } = given as unknown as Copy;
  return isKeepers(keepers) ? { fence, value, keepers } : undefined;
}
