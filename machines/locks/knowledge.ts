/** The state and the events of a voter's epochs, and the values that are derived from both. */
import type { enqueueActions } from 'xstate';
import type { LinkEvent, Message, NodeId, Open, Send, StoredEvent, Tell } from '../effects.js';
import type { LeaderChange } from '../election/messages.js';
import { byName, bisect, type EpochBounds } from './epoch.js';
import type { Attachment, Want } from './clients.js';
import { isMajorityOf, membershipAfter, votesInOneOf, type Membership, type WantedChange } from './membership.js';
import type {
  Acquire,
  Ballot,
  Beginning,
  EpochMessage,
  LockMessage,
  LocksNotification,
  Memory,
  Prepare,
  Recorded,
  Refuse,
  Superseding,
} from './messages.js';
import type { Differing } from './lists.js';
import type { PromiseReport } from './promises.js';

/** The part of a voter's state that it must not forget. It is stored before the voter acts on it. */
export interface Standing {
  readonly memory: Memory;
  readonly promised: Ballot | null;
  /** The last epoch served; its number is 0 before the first. */
  readonly served: Beginning;
  /** Promises above `served`, other than the present one. */
  readonly pending: readonly Ballot[];
  /** The decided membership, as far as this node knows it. */
  readonly membership: Membership;
}

export interface EpochsInput {
  readonly id: NodeId;
  /** The membership at the first start. */
  readonly membership: Membership;
  readonly links: readonly NodeId[];
  readonly leader: NodeId;
  /** The members of the first epoch if the network starts in one; otherwise empty. */
  readonly members: readonly NodeId[];
  readonly memory: Memory;
  /** The stored state of an earlier run; `null` at a first start. */
  readonly stored: Standing | null;
  /**
   * A number from the clock, larger than every number that an earlier run of this node can have promised. Needed if all voters have
   * forgotten.
   */
  readonly floor: number;
  readonly bounds: EpochBounds;
  /** True if a majority confirms each grant (rule 10). */
  readonly confirm: boolean;
  /** Patience, in ticks: after it, a voter that is left out but still reached from here is considered cut off from some member. */
  readonly patience: number;
}

/** A lock that this node requests or holds, for itself or for a client. */
export interface Claim {
  readonly lock: string;
  /** The fence of the grant; `null` while the lock is waiting. */
  readonly fence: number | null;
  /** The user of the lock: this node, a client, or `null` if neither wants it anymore. */
  readonly user: NodeId | null;
  /** `shared` if this node reads the lock that is in use, so that other readers may too. */
  readonly mode?: 'shared';
}

export interface EpochsContext extends Omit<EpochsInput, 'members' | 'stored'>, Standing {
  /**
   * Proposals of this node have larger numbers than this: the numbers with which it was refused or left out, and the floors of voters that
   * have forgotten.
   */
  readonly above: number;
  /** Reports for the promised epoch, the proposer's first. */
  readonly reports: readonly PromiseReport[];
  /** The nodes to name in the next proposal, if the last one has shown that some do not reach each other; otherwise `null`. */
  readonly clique: readonly NodeId[] | null;
  /** The pending change of the membership, requested here or from this node as the leader. */
  readonly wanted: WantedChange | null;
  /** A later membership that may have been decided without this node's knowledge. It is proposed before any other. */
  readonly bound: Membership | null;
  /** The peers that the proposal of `named` left out although they are reached from here, while patience lasts. */
  readonly missed: { readonly peers: readonly NodeId[]; readonly named: readonly NodeId[] } | null;
  /** The peers that may be left out because patience with them is over. Reset when an epoch begins or a relevant link changes. */
  readonly cutOff: readonly NodeId[];
  /** The peers that have another list of voters and have not come back with this one. */
  readonly differing: readonly Differing[];
  /** The locks that are wanted here, sorted by name. */
  readonly claims: readonly Claim[];
  /** `clients`: the clients that are attached here, sorted by name. `wants`: the clients, or this node, that want or use a claimed lock. */
  readonly clients: readonly Attachment[];
  readonly wants: readonly Want[];
  /** The known locks of clients, attached here or elsewhere, sorted by the name of the lock: one record for each lock. */
  readonly records: readonly Recorded[];
  /** The locks that have been wanted here in this epoch or are still wanted, sorted by name. */
  readonly locks: readonly string[];
  /** `open`: the locks whose directories are open here in this epoch, sorted. `opened`: how many were opened since it began. */
  readonly open: readonly string[];
  readonly opened: number;
  /**
   * Messages of members of the promised epoch, which has not begun here yet: every find, and the last message of each other type for each
   * sender and lock.
   */
  readonly early: readonly From<LockMessage>[];
}

export type NamedLinkEvent = LinkEvent & { readonly peer: NodeId };
/** The transport reports, rightly or wrongly, that the process of a peer has ended. */
export type ReportedEnd = { readonly type: 'ended'; readonly peer: NodeId };
export type From<M> = M & { readonly from: NodeId };
export type OfEpoch = { readonly epoch: number };
export type OfLock = { readonly lock: string };
/** The lock of a request by this node or by one of its clients. */
export type OfRequest = OfLock & Partial<From<unknown>>;

export type EpochsEvent =
  | From<EpochMessage>
  | From<LockMessage>
  | NamedLinkEvent
  | ReportedEnd
  | LeaderChange
  | { readonly type: 'request'; readonly lock: string; readonly mode?: 'shared' }
  | { readonly type: 'bootstrap' }
  /** From the application: this peer votes from now on, or stops voting. */
  | { readonly type: 'change'; readonly add: NodeId | null; readonly remove: NodeId | null }
  /** The pending change, or an epoch of more voters, may be possible now. */
  | { readonly type: 'seek' }
  /** From a lock: it is in use here with this fence, or waiting; it is free again; it was taken away. */
  | ({ readonly type: 'used' } & Claim)
  | { readonly type: 'freed' | 'lost'; readonly lock: string }
  /** From a lock: this node, or a client, has finished with it; the lock was taken from a client. */
  | { readonly type: 'left'; readonly lock: string; readonly node: NodeId }
  | { readonly type: 'forfeited'; readonly lock: string; readonly fence: number; readonly node: NodeId }
  | From<Acquire>
  /** From a lock: its token is here, and other voters have to confirm the grant. */
  | { readonly type: 'confirming'; readonly lock: string; readonly fence: number; readonly user: NodeId | null }
  /** The epoch has begun, and the locks of this node were notified. */
  | { readonly type: 'early' }
  /** Half of this epoch is used up: of the fences of a lock, or of the room for locks. */
  | { readonly type: 'spent' | 'crowded' }
  | StoredEvent
  | { readonly type: 'timer'; readonly timer: string };

export type In<E = EpochsEvent> = { context: EpochsContext; event: E };
type Asked = { type: 'send'; params: Send } | { type: 'tell'; params: Tell } | { type: 'open'; params: Open };
type Enqueue = typeof enqueueActions<
  EpochsContext,
  EpochsEvent,
  undefined,
  EpochsEvent,
  never,
  Asked,
  never,
  never,
  LocksNotification
>;
/** The argument of an action that requests several effects in order. */
export type Enqueuing = Parameters<Parameters<Enqueue>[0]>[0];

export const promisedEpoch = ({ promised }: EpochsContext): number => promised?.epoch ?? 0;
/** The largest number that this node knows: a number far above it is unreasonable. */
export const largestKnown = (c: EpochsContext): number => Math.max(promisedEpoch(c), c.above, c.floor);

export type Numbered = From<Prepare | Refuse | Superseding>;
/** The number of the epoch that is proposed or has begun, or the largest one that the sender of a refusal knows. */
export const numberIn = (event: Numbered): number => (event.type === 'refuse' ? (event.known ?? event.promised) : event.epoch);

/** For the application: how far the number of a peer is from the known ones. */
export const numbersOf = ({ context }: In<unknown>, event: Numbered) => ({
  peer: event.from,
  epoch: numberIn(event),
  known: largestKnown(context),
});

export const linksAfter = (links: readonly NodeId[], { type, peer }: NamedLinkEvent): NodeId[] => {
  const others = links.filter((other) => other !== peer);
  return type === 'link.up' ? [...others, peer].sort(byName) : others;
};

const isLinkEvent = (event: EpochsEvent): event is NamedLinkEvent => event.type === 'link.up' || event.type === 'link.down';

export const linksKnown = ({ context: { links }, event }: In): readonly NodeId[] =>
  isLinkEvent(event) ? linksAfter(links, event) : links;

/** True if a majority is linked, after this event. */
export const reachesMajority = (args: In): boolean =>
  isMajorityOf([...linksKnown(args), args.context.id], args.context.membership);

/** True if, after this event, this node is the leader and reaches a majority, so that it proposes the next epoch. */
export const leads = (args: In): boolean => {
  const { context, event } = args;
  const leader = event.type === 'leader' ? event.leader : context.leader;
  return leader === context.id && votesInOneOf(context.id, context.membership) && reachesMajority(args);
};

const placeAmong = (lock: string, claims: readonly Claim[]): number =>
  bisect(lock, claims.length, (place) => claims[place]!.lock);

/** Looks up a claim by binary search: a peer may want thousands of locks at once, so claims are sorted by name. */
export function claimOf({ claims }: Pick<EpochsContext, 'claims'>, lock: string): Claim | undefined {
  const claim = claims[placeAmong(lock, claims)];
  return claim?.lock === lock ? claim : undefined;
}

/** Adds this claim, or replaces an earlier one of the same lock. */
export function withClaim(claim: Claim, claims: readonly Claim[]): readonly Claim[] {
  const place = placeAmong(claim.lock, claims);
  return claims.toSpliced(place, claims[place]?.lock === claim.lock ? 1 : 0, claim);
}

/** The claim that a message from a lock contains. */
export const claimIn = ({ type: _, ...claim }: Claim & Message): Claim => claim;

export function withoutClaim(lock: string, claims: readonly Claim[]): readonly Claim[] {
  const place = placeAmong(lock, claims);
  return claims[place]?.lock === lock ? claims.toSpliced(place, 1) : claims;
}

/** The field `client` of a lock in use, if a client uses it. */
const clientOf = ({ id }: EpochsContext, user: NodeId | null): { client?: NodeId } =>
  user === null || user === id ? {} : { client: user };

/** The report that this node sends with its promise of the present ballot. */
export const ownReport = (c: EpochsContext): PromiseReport => ({
  node: c.id,
  memory: c.memory,
  served: c.served.epoch,
  kept: c.served.kept,
  pending: c.pending,
  using: c.claims.flatMap(({ lock, fence, user, mode }) =>
    fence === null ? [] : [{ lock, fence, ...clientOf(c, user), ...(mode && { mode }) }],
  ),
  records: c.records,
  stranded: c.clients.flatMap(({ node, number, holds }) => holds.map((held) => ({ ...held, client: node, number }))),
  links: c.links,
  floor: c.floor,
  membership: c.membership,
});

/** Rule 10: the voters that are asked whether a later epoch can have begun. These are the other members of this epoch that vote. */
export const confirmersOf = ({ id, served: { members, membership } }: EpochsContext): NodeId[] =>
  members.filter((member) => member !== id && membership.voters.includes(member));

/** Rule 10: how many of them have to confirm, so that they are a majority of all voters, together with this node if it votes. */
export const othersNeeded = (c: EpochsContext): number => (c.confirm ? recordersNeeded(c) : 0);

/** Rule 11: how many other voters have to record a grant to a client. This does not depend on `confirm`. */
export function recordersNeeded({ id, served }: EpochsContext): number {
  const { voters } = served.membership;
  return Math.floor(voters.length / 2) + (voters.includes(id) ? 0 : 1);
}

/** The state at a first start: in an epoch that has begun already, or in none. */
export function firstStanding({ members, memory, membership }: Pick<EpochsInput, 'members' | 'memory' | 'membership'>): Standing {
  const isServed = members.length > 0;
  const promised = isServed ? { epoch: 1, proposer: members[0]!, members, next: membership } : null;
  return { memory, promised, served: { epoch: isServed ? 1 : 0, members, kept: [], membership }, pending: [], membership };
}

/** The clients whose locks an epoch has kept. All members know them when it begins. */
export const recordsOf = ({ kept }: Pick<Beginning, 'kept'>): readonly Recorded[] =>
  kept.flatMap(({ lock, fence, client, number }) =>
    client === undefined ? [] : [{ lock, fence, client, ...(number !== undefined && { number }) }],
  );

export function knownAtStart({ members, memory, membership, stored, ...input }: EpochsInput): EpochsContext {
  return {
    ...input,
    ...(stored ?? firstStanding({ members, memory, membership })),
    above: 0,
    reports: [],
    clique: null,
    wanted: null,
    bound: null,
    missed: null,
    cutOff: [],
    differing: [],
    claims: [],
    clients: [],
    wants: [],
    records: recordsOf(stored?.served ?? { kept: [] }),
    locks: [],
    open: [],
    opened: 0,
    early: [],
  };
}

const newerOf = (a: Membership, b: Membership): Membership => (b.version > a.version ? b : a);

/** Rule 9: the membership after all pending writes: that of the epoch that is about to begin, if it is newer. */
export const listToBe = ({ membership, served }: Pick<Standing, 'membership' | 'served'>): Membership =>
  newerOf(membership, served.membership);

/** The part of the state to store. The application's declaration that a cluster is new counts only until the process ends. */
export const standingOf = (standing: Standing): Standing => {
  const { memory, promised, served, pending } = standing;
  return { memory: memory === 'founding' ? 'forgotten' : memory, promised, served, pending, membership: listToBe(standing) };
};

/** The latest decided membership: from the received message, or, once it is stored, from the epoch that begins. */
export const newestIn = ({ context, event }: In): Membership =>
  'membership' in event ? newerOf(context.membership, event.membership) : listToBe(context);

/** A new membership as link events for the election, because voters elect the leader among themselves. */
export function electionNews({ id, links, membership }: EpochsContext, next: Membership): LinkEvent[] {
  const electorateIn = ({ voters }: Membership) => (voters.includes(id) ? links.filter((peer) => voters.includes(peer)) : []);
  const [before, after] = [electorateIn(membership), electorateIn(next)];
  const changes = (type: LinkEvent['type'], peers: readonly NodeId[], others: readonly NodeId[]): LinkEvent[] =>
    peers.filter((peer) => !others.includes(peer)).map((peer) => ({ type, peer }));
  return [...changes('link.down', before, after), ...changes('link.up', after, before)];
}

/** Rule 9: the node that was called for the change has withdrawn it, or another one has, and that node is not linked. */
export const withoutWanted = (
  { id, wanted, links }: EpochsContext,
  { from = id }: Partial<From<unknown>>,
): Pick<EpochsContext, 'wanted'> => ({
  wanted: wanted && wanted.by !== from && (wanted.by === id || links.includes(wanted.by)) ? wanted : null,
});

/** Rule 9: after a change of the membership, the node that was called for a change still wants it, unless it is done. */
export const wantedAfter = ({ id, wanted, bounds }: EpochsContext, membership: Membership): WantedChange | null =>
  wanted?.by === id && membershipAfter(membership, wanted, bounds.bytes) !== null ? wanted : null;

/**
 * Rule 6: the voters that a proposal leaves out although they are members of the last epoch here, or of the promised one, and are still
 * reached.
 */
export function leftOutBy({ members, membership, next }: Prepare, c: EpochsContext, isFollowing: boolean): NodeId[] {
  const present = new Set([...c.served.members, ...(isFollowing ? (c.promised?.members ?? []) : [])]);
  return c.links.filter(
    (peer) => present.has(peer) && votesInOneOf(peer, membership, next) && !members.includes(peer) && !c.cutOff.includes(peer),
  );
}

/**
 * Rule 9: true if this epoch has removed a voter, and another voter may have been left out only because it does not reach the removed one.
 */
export function leavesOutWithRemoved({ promised, served, membership, links }: EpochsContext): boolean {
  const votes = (node: NodeId) => votesInOneOf(node, membership);
  return !promised!.members.every(votes) && links.some((peer) => votes(peer) && !served.members.includes(peer));
}

export const missedBy = ({ context }: In<unknown>, prepare: Prepare): Pick<EpochsContext, 'missed'> => ({
  missed: { peers: leftOutBy(prepare, context, true), named: prepare.members },
});

/**
 * Adds a message to those that came before its epoch has begun here. Each find is kept, because a node waits for one find of a lock at a
 * time. Any other message replaces an earlier one of the same type, sender and lock.
 */
export function earlyAfter({ context: { early } }: In<unknown>, message: From<LockMessage>): Pick<EpochsContext, 'early'> {
  const { type, from, lock } = message;
  const isSuperseded = (each: From<LockMessage>) => each.lock === lock && each.from === from && each.type === type;
  const place = type === 'find' ? -1 : early.findLastIndex(isSuperseded);
  // Thousands may come at once: a copy with a spread takes four times as long.
  return { early: (place < 0 ? early : early.toSpliced(place, 1)).concat(message) };
}

export function receiveEarly({ context: { early }, enqueue }: Enqueuing): void {
  for (const message of early) enqueue.raise(message);
  enqueue.assign({ early: [] });
}
