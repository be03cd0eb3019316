/** What a voter knows of epochs, what it hears, and what it reads off both. */
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

/** Where a voter stands toward the others: what it must not forget, and is stored before it acts on it. */
export interface Standing {
  readonly memory: Memory;
  readonly promised: Ballot | null;
  /** The last epoch served; its number is 0 before the first. */
  readonly served: Beginning;
  /** Promises above `served`, other than the present one. */
  readonly pending: readonly Ballot[];
  /** Who votes, as far as it is decided and known here. */
  readonly membership: Membership;
}

export interface EpochsInput {
  readonly id: NodeId;
  /** Who votes, as it is known at the first start. */
  readonly membership: Membership;
  readonly links: readonly NodeId[];
  readonly leader: NodeId;
  /** The members of the first epoch, where the network starts in one; else none. */
  readonly members: readonly NodeId[];
  readonly memory: Memory;
  /** What it had stored, where it starts again; else `null`. */
  readonly stored: Standing | null;
  /** A number that the clock gives: above all that an earlier life of this node can have promised. Needed where everybody has forgotten. */
  readonly floor: number;
  readonly bounds: EpochBounds;
  /** True if a majority is asked before a grant (rule 10). */
  readonly confirm: boolean;
  /** Ticks until a voter that is left out, and still reached from here, is taken to be really cut off from somebody. */
  readonly patience: number;
}

/** A lock that is wanted at this node. */
export interface Claim {
  readonly lock: string;
  /** Of its grant; `null` while it waits. */
  readonly fence: number | null;
  /** For whom: this node, a client, or nobody any more. */
  readonly user: NodeId | null;
  /** Of one that is in use: this node reads, others may read too. */
  readonly mode?: 'shared';
}

export interface EpochsContext extends Omit<EpochsInput, 'members' | 'stored'>, Standing {
  /** What this node proposes is above: the numbers with which it was refused, or left out, and the floor of those who have forgotten. */
  readonly above: number;
  /** Collected for the promised epoch, its proposer's first. */
  readonly reports: readonly PromiseReport[];
  /** Whom to name in the next try, where the last has shown that some do not reach each other; else `null`. */
  readonly clique: readonly NodeId[] | null;
  /** What is to be made of the list of voters: asked for here, or of this node as the leader. */
  readonly wanted: WantedChange | null;
  /** A later list of voters that may have been decided without this node's knowledge: it is proposed before anything else. */
  readonly bound: Membership | null;
  /** Who was left out by the proposal of `named` though it is reached from here: as long as patience lasts. */
  readonly missed: { readonly peers: readonly NodeId[]; readonly named: readonly NodeId[] } | null;
  /** Who may be left out, for patience with them is over, one after the other: until a link of those who matter changes, or an epoch begins. */
  readonly cutOff: readonly NodeId[];
  /** Who was heard with another list of voters, and has not come back with this one. */
  readonly differing: readonly Differing[];
  /** What is wanted here, by name. */
  readonly claims: readonly Claim[];
  /** The clients that are attached here, by name; and who wants or uses which of the claimed locks, this node included. */
  readonly clients: readonly Attachment[];
  readonly wants: readonly Want[];
  /** What is known here of the locks of clients, here and elsewhere, by name of the lock: one for each. */
  readonly records: readonly Recorded[];
  /** The locks that have been wanted here in this epoch, and those that still are, by name. */
  readonly locks: readonly string[];
  /** The locks whose directories are open here in this epoch, sorted; so many of them were opened since it began. */
  readonly open: readonly string[];
  readonly opened: number;
  /** Messages of members of the promised epoch, which has not begun here yet: each find, of each sender its last word of another kind about a lock. */
  readonly early: readonly From<LockMessage>[];
}

export type NamedLinkEvent = LinkEvent & { readonly peer: NodeId };
/** The transport reports, rightly or wrongly, that the process of a peer has ended. */
export type ReportedEnd = { readonly type: 'ended'; readonly peer: NodeId };
export type From<M> = M & { readonly from: NodeId };
export type OfEpoch = { readonly epoch: number };
export type OfLock = { readonly lock: string };
/** Of a request of this node, or of a client of it. */
export type OfRequest = OfLock & Partial<From<unknown>>;

export type EpochsEvent =
  | From<EpochMessage>
  | From<LockMessage>
  | NamedLinkEvent
  | ReportedEnd
  | LeaderChange
  | { readonly type: 'request'; readonly lock: string; readonly mode?: 'shared' }
  | { readonly type: 'bootstrap' }
  /** From the application: somebody is to vote from now on, or no more. */
  | { readonly type: 'change'; readonly add: NodeId | null; readonly remove: NodeId | null }
  /** The change that is wanted may be possible now, or an epoch of more voters. */
  | { readonly type: 'seek' }
  /** From a lock: it is in use here with this fence, or waited for; it is free again; it was taken away. */
  | ({ readonly type: 'used' } & Claim)
  | { readonly type: 'freed' | 'lost'; readonly lock: string }
  /** From a lock: this one, a client or the node itself, is done with it; it was taken from a client. */
  | { readonly type: 'left'; readonly lock: string; readonly node: NodeId }
  | { readonly type: 'forfeited'; readonly lock: string; readonly fence: number; readonly node: NodeId }
  | From<Acquire>
  /** From a lock: its token is here, and others are to confirm the grant. */
  | { readonly type: 'confirming'; readonly lock: string; readonly fence: number; readonly user: NodeId | null }
  /** The epoch has begun, and the locks of this node have heard of it. */
  | { readonly type: 'early' }
  /** Half of this epoch is used up: of the numbers of a lock, or of the room for locks. */
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
/** Of an action that asks for one effect after the other. */
export type Enqueuing = Parameters<Parameters<Enqueue>[0]>[0];

export const promisedEpoch = ({ promised }: EpochsContext): number => promised?.epoch ?? 0;
/** Above what any reasonable number is, this is. */
export const largestKnown = (c: EpochsContext): number => Math.max(promisedEpoch(c), c.above, c.floor);

export type Numbered = From<Prepare | Refuse | Superseding>;
/** Of an epoch that somebody proposes or tells of, or the largest that is known to whoever refuses one. */
export const numberSaid = (event: Numbered): number => (event.type === 'refuse' ? (event.known ?? event.promised) : event.epoch);

/** For the application: how far a peer is off. */
export const numbersOf = ({ context }: In<unknown>, event: Numbered) => ({
  peer: event.from,
  epoch: numberSaid(event),
  known: largestKnown(context),
});

export const linksAfter = (links: readonly NodeId[], { type, peer }: NamedLinkEvent): NodeId[] => {
  const others = links.filter((other) => other !== peer);
  return type === 'link.up' ? [...others, peer].sort(byName) : others;
};

const isLinkEvent = (event: EpochsEvent): event is NamedLinkEvent => event.type === 'link.up' || event.type === 'link.down';

export const linksKnown = ({ context: { links }, event }: In): readonly NodeId[] =>
  isLinkEvent(event) ? linksAfter(links, event) : links;

/** True if more than half are within reach, once this event is taken in. */
export const reachesMajority = (args: In): boolean =>
  isMajorityOf([...linksKnown(args), args.context.id], args.context.membership);

/** True if it is this node that proposes, once this event is taken in. */
export const leads = (args: In): boolean => {
  const { context, event } = args;
  const leader = event.type === 'leader' ? event.leader : context.leader;
  return leader === context.id && votesInOneOf(context.id, context.membership) && reachesMajority(args);
};

const placeAmong = (lock: string, claims: readonly Claim[]): number =>
  bisect(lock, claims.length, (place) => claims[place]!.lock);

/** A peer may want thousands of locks at once: claims are in the order of their names, and never gone through one by one for one of them. */
export function claimOf({ claims }: Pick<EpochsContext, 'claims'>, lock: string): Claim | undefined {
  const claim = claims[placeAmong(lock, claims)];
  return claim?.lock === lock ? claim : undefined;
}

/** The claims with this one, instead of an earlier one of the lock. */
export function withClaim(claim: Claim, claims: readonly Claim[]): readonly Claim[] {
  const place = placeAmong(claim.lock, claims);
  return claims.toSpliced(place, claims[place]?.lock === claim.lock ? 1 : 0, claim);
}

/** As a lock tells of it. */
export const claimIn = ({ type: _, ...claim }: Claim & Message): Claim => claim;

export function withoutClaim(lock: string, claims: readonly Claim[]): readonly Claim[] {
  const place = placeAmong(lock, claims);
  return claims[place]?.lock === lock ? claims.toSpliced(place, 1) : claims;
}

/** As it is said of a lock that is in use here, if a client uses it. */
const clientOf = ({ id }: EpochsContext, user: NodeId | null): { client?: NodeId } =>
  user === null || user === id ? {} : { client: user };

/** Where this node stands, as it says with its promise of the present ballot. */
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

/** Rule 10: who is asked whether a later epoch can have begun: the voters with whom this one is served. */
export const confirmersOf = ({ id, served: { members, membership } }: EpochsContext): NodeId[] =>
  members.filter((member) => member !== id && membership.voters.includes(member));

/** Rule 10: how many of them have to confirm, so that they are a majority of all voters, with this node if it votes. */
export const othersNeeded = (c: EpochsContext): number => (c.confirm ? recordersNeeded(c) : 0);

/** Rule 11: of a client's lock always. */
export function recordersNeeded({ id, served }: EpochsContext): number {
  const { voters } = served.membership;
  return Math.floor(voters.length / 2) + (voters.includes(id) ? 0 : 1);
}

/** Of a first start: in an epoch that has begun already, or in none. */
export function firstStanding({ members, memory, membership }: Pick<EpochsInput, 'members' | 'memory' | 'membership'>): Standing {
  const isServed = members.length > 0;
  const promised = isServed ? { epoch: 1, proposer: members[0]!, members, next: membership } : null;
  return { memory, promised, served: { epoch: isServed ? 1 : 0, members, kept: [], membership }, pending: [], membership };
}

/** At its beginning everybody knows the clients whose locks an epoch has kept. */
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

/** Rule 9: the list that counts once all that this node knows is stored: that of the epoch which it is about to begin. */
export const listToBe = ({ membership, served }: Pick<Standing, 'membership' | 'served'>): Membership =>
  newerOf(membership, served.membership);

/** What the application has said of the cluster it says of this life alone. */
export const standingOf = (standing: Standing): Standing => {
  const { memory, promised, served, pending } = standing;
  return { memory: memory === 'founding' ? 'forgotten' : memory, promised, served, pending, membership: listToBe(standing) };
};

/** The latest list that is decided: said by whoever speaks, or, once it is stored, that of the epoch that begins. */
export const newestIn = ({ context, event }: In): Membership =>
  'membership' in event ? newerOf(context.membership, event.membership) : listToBe(context);

/** Voters elect the leader among themselves: what a new list is to the election, as links that come and go. */
export function electionNews({ id, links, membership }: EpochsContext, next: Membership): LinkEvent[] {
  const electorateIn = ({ voters }: Membership) => (voters.includes(id) ? links.filter((peer) => voters.includes(peer)) : []);
  const [before, after] = [electorateIn(membership), electorateIn(next)];
  const word = (type: LinkEvent['type'], peers: readonly NodeId[], others: readonly NodeId[]): LinkEvent[] =>
    peers.filter((peer) => !others.includes(peer)).map((peer) => ({ type, peer }));
  return [...word('link.down', before, after), ...word('link.up', after, before)];
}

/** Rule 9: what is wanted of the old list is wanted of the new one by whoever was called for it, unless it is done. */
export const wantedAfter = ({ id, wanted, bounds }: EpochsContext, membership: Membership): WantedChange | null =>
  wanted?.by === id && membershipAfter(membership, wanted, bounds.bytes) !== null ? wanted : null;

/** Rule 6: whom a proposal leaves out that votes, is a member of the last epoch here, or of the promised one, and is still reached. */
export function leftOutBy({ members, membership, next }: Prepare, c: EpochsContext, isFollowing: boolean): NodeId[] {
  const present = new Set([...c.served.members, ...(isFollowing ? (c.promised?.members ?? []) : [])]);
  return c.links.filter(
    (peer) => present.has(peer) && votesInOneOf(peer, membership, next) && !members.includes(peer) && !c.cutOff.includes(peer),
  );
}

/** Rule 9: whether this epoch has removed somebody, and a voter within reach may have been left out only because it does not reach that one. */
export function leavesOutWithRemoved({ promised, served, membership, links }: EpochsContext): boolean {
  const votes = (node: NodeId) => votesInOneOf(node, membership);
  return !promised!.members.every(votes) && links.some((peer) => votes(peer) && !served.members.includes(peer));
}

export const missedBy = ({ context }: In<unknown>, prepare: Prepare): Pick<EpochsContext, 'missed'> => ({
  missed: { peers: leftOutBy(prepare, context, true), named: prepare.members },
});

/**
 * With what has come before its epoch has begun here. A node waits for each find, for one of a lock at a time. Everything else may be said
 * again and again while others go on without this node; who says it again is done with what it said before.
 */
export function earlyAfter({ context: { early } }: In<unknown>, message: From<LockMessage>): Pick<EpochsContext, 'early'> {
  const { type, from, lock } = message;
  const isSuperseded = (each: From<LockMessage>) => each.lock === lock && each.from === from && each.type === type;
  const place = type === 'find' ? -1 : early.findLastIndex(isSuperseded);
  // Thousands may come at once: to copy them with a spread takes four times as long.
  return { early: (place < 0 ? early : early.toSpliced(place, 1)).concat(message) };
}

export function hearEarly({ context: { early }, enqueue }: Enqueuing): void {
  for (const message of early) enqueue.raise(message);
  enqueue.assign({ early: [] });
}
