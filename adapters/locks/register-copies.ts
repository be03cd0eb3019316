/**
 * With whom the copies of a register are kept, how that becomes the next list of members, and which answers are enough to know the latest.
 *
 * A copy says with which list of peers it is kept; while it moves from one list to the next it says both, and needs a majority of each, for
 * reading and for writing (Ongaro and Ousterhout: joint consensus). What is kept with one list again proves that such a joint copy was
 * complete, for it is written only then, under the same fence; so who reads it needs nobody of earlier lists.
 */
import type { NodeId } from '../../machines/effects.js';
import { isObject } from '../../machines/checks.js';
import { isMajority } from '../../machines/locks/epoch.js';
import type { EpochsContext } from '../../machines/locks/knowledge.js';
import { NO_MEMBERSHIP } from '../../machines/locks/membership.js';
import { EPOCHS } from '../../machines/locks/messages.js';
import type { Json } from '../transports/transport.js';
import type { Locks } from './locks.js';

/** With whom a copy is kept. */
export interface Keepers {
  /** Of their list; 0 for that of a peer that came later and has stored nothing. */
  readonly version: number;
  readonly peers: readonly NodeId[];
  /** While it moves: with whom it was kept before. */
  readonly from?: readonly NodeId[];
}

export interface Copy {
  /** Of its writer's lock; 0 for what nobody has written. */
  readonly fence: number;
  readonly value: Json;
  readonly keepers: Keepers;
}

/**
 * `since`: who has no copy and has forgotten what it had says from which fence on it would have one, had anything been written to it.
 * `late`: somebody with a larger fence has been here. `refused`: this is no value of the register, as it is made here, or, `long`, no message
 * from here could tell it. `long`: no message from here can tell the copy, which a peer with larger messages has stored.
 */
export type CopyAnswer =
  | { readonly type: 'copy'; readonly copy: Copy | null; readonly initial?: number; readonly since?: number }
  | { readonly type: 'stored' | 'late' | 'long' }
  | { readonly type: 'refused'; readonly long?: true };

export type Answers = ReadonlyMap<NodeId, CopyAnswer>;

/** `initial`: a digest of what the register holds before the first change, as it is made there. */
export type CopyQuestion =
  | { readonly type: 'read'; readonly fence: number; readonly initial?: number }
  | ({ readonly type: 'write' } & Copy);

export const NOBODY: Keepers = { version: 0, peers: [] };

/** What this peer knows of epochs and members; nothing once its locks are closed. */
export const knowledgeOf = ({ node }: Locks): EpochsContext | undefined =>
  node.role(EPOCHS)?.context as EpochsContext | undefined;

/** Those who vote keep it: as far as it is decided and known here. */
export function decidedBy(locks: Locks): Keepers {
  const { membership } = knowledgeOf(locks) ?? { membership: NO_MEMBERSHIP };
  return { version: membership.version, peers: membership.voters };
}

export const keeperLists = ({ peers, from }: Keepers): (readonly NodeId[])[] => (from ? [peers, from] : [peers]);

export const hasKeepers = (nodes: ReadonlySet<NodeId>, keepers: Keepers): boolean =>
  keeperLists(keepers).every((list) => isMajority(list.filter((peer) => nodes.has(peer)).length, list));

/** With whom the next copy is to be kept, one write after the other: what moves already goes on first. */
export function keepersAfter(kept: Keepers, decided: Keepers): readonly Keepers[] {
  const { version, peers, from } = kept;
  if (from) return [kept, { version, peers }];
  return decided.version > version ? [{ ...decided, from: peers }, decided] : [kept];
}

/** Under one fence a joint copy is written before the one that is kept with one list again. */
export const isLater = (one: Copy, other: Copy): boolean =>
  one.fence !== other.fence
    ? one.fence > other.fence
    : Boolean(one.keepers.from) === Boolean(other.keepers.from)
      ? one.keepers.version > other.keepers.version
      : one.keepers.from === undefined;

export const writing = (copy: Copy): CopyQuestion => ({ type: 'write', ...copy });

/** What is known of a register by the answers to a reading. */
export interface KnownCopies {
  /** `null` where nobody has a copy. */
  readonly latest: Copy | null;
  /** Who has one, also one that says that nothing was ever written there. */
  readonly witnesses: ReadonlySet<NodeId>;
  /** Whose copies are no values of the register, as it is made here, or cannot be told: as good as no answers. */
  readonly unread: readonly NodeId[];
  /** Who has answered, and whose answers matter. */
  readonly answered: ReadonlySet<NodeId>;
  readonly asked: ReadonlySet<NodeId>;
  /** `settled`: a majority has it with its one list, so that nobody else is needed. */
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
  // Of a first change that was cut short one copy may be left, and nobody else has forgotten anything since.
  const reliable = written ? new Set([...witnesses, ...rememberingSince(answers, written.fence)]) : witnesses;
  if (latest && hasKeepers(reliable, latest.keepers) && (written || hasKeepers(witnesses, decided)))
    return { ...known, is: isSettled(copies, latest.keepers) ? 'settled' : 'known' };
  if (!isAnswered) return { ...known, is: 'waiting' };
  const remembering = decided.peers.filter((peer) => witnesses.has(peer)).length;
  const isUnwritten = !written && (remembering === 0 || remembering === decided.peers.length);
  return { ...known, is: isUnwritten ? 'unwritten' : 'forgotten' };
}

/** Who has no copy, and would have one of a later holder. */
const rememberingSince = (answers: Answers, fence: number): NodeId[] =>
  [...answers].flatMap(([peer, answer]) =>
    answer.type === 'copy' && answer.copy === null && answer.since !== undefined && answer.since <= fence ? [peer] : [],
  );

/** True if a majority says that its copy is kept with this list alone. */
function isSettled(copies: ReadonlyMap<NodeId, Copy>, { version, peers, from }: Keepers): boolean {
  const settled = peers.filter((peer) => {
    const keepers = copies.get(peer)?.keepers;
    return keepers?.version === version && !keepers.from;
  });
  return !from && isMajority(settled.length, peers);
}

/** How many know a register of which too many have forgotten. */
export function tellForgotten({ latest, witnesses }: KnownCopies, decided: Keepers): string {
  const lists = latest && latest.fence > 0 ? keeperLists(latest.keepers) : [decided.peers];
  const told = lists.map((list) => [list.filter((peer) => witnesses.has(peer)).length, list] as const);
  const [count, list] = told.find(([known, of]) => !isMajority(known, of)) ?? told[0]!;
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
