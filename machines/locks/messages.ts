/** What voters say to each other, what the roles of one node say to each other, what the application hears, and how roles are named. */
import type { DirectoryMessage } from '../directory/machine.js';
import { DIRECTORY } from '../directory/view.js';
import type { NodeId } from '../effects.js';
import type { Update } from '../election/messages.js';
import type { Membership, MembershipChange } from './membership.js';

/** The role that agrees on epochs, or at a client the one that is attached to a voter; the locks wanted here and the directories of an epoch are roles next to it. */
export const EPOCHS = 'epochs';
export const LOCK = 'lock';
/** The charts of the same roles at a client. */
export const CLIENT = 'client';
export const CLIENT_LOCK = 'client-lock';

/** The key under which the epochs of a node store where it stands. */
export const STANDING = 'standing';

/** A lock's life at one node, across epochs: there while the lock is wanted here. */
export const lockRole = (lock: string): string => `${LOCK} ${lock}`;
/** A lock's directory in one epoch: the same role on every member. */
export const directoryRole = (epoch: number, lock: string): string => `${DIRECTORY} ${epoch} ${lock}`;

export type LockLabel = {
  readonly epoch: number;
  readonly lock: string;
};

/** What `directoryRole` was made of; `undefined` for every other role. */
export function labelOf(role: string): LockLabel | undefined {
  const [, epoch, lock] = /^directory (\d+) (.*)$/s.exec(role) ?? [];
  return epoch === undefined ? undefined : { epoch: Number(epoch), lock: lock! };
}

/** A lock in use at the node that speaks, with the fence of its grant. */
export interface Held {
  readonly lock: string;
  readonly fence: number;
}

/**
 * How a lock is held, as in Web Locks: `exclusive`, by one writer alone, or `shared`, by readers together.
 *
 * @public
 */
export type LockMode = 'exclusive' | 'shared';

/** One in whose mode it is held, `exclusive` where it says nothing. */
export interface HeldIn extends Held {
  readonly mode?: 'shared';
}

/** One that a voter may use for a client. */
export interface HeldFor extends HeldIn {
  /** The client; without it the voter uses the lock itself. */
  readonly client?: NodeId;
}

/** Of a client's lock: the attachment in which it was asked for, and in no later one can it be granted. */
export interface AskedIn {
  readonly number?: number;
}

/** What is recorded of a client's lock, at others than the voter that uses it for the client: with `null` it was given back. */
export interface Recorded extends Held, AskedIn {
  readonly client: NodeId | null;
}

/** A lock of a client that is attached here, and for which somebody else used it: the larger the number, the later it came. */
export interface Stranded extends Held {
  readonly client: NodeId;
  readonly number: number;
}

/** A lock that stays with its user as an epoch begins: with the node that uses it, for itself or a client. */
export interface Kept extends HeldFor, AskedIn {
  readonly node: NodeId;
}

/** What one promises to: an epoch, who proposed it, and all who must promise it before it begins. */
export interface Ballot {
  readonly epoch: number;
  readonly proposer: NodeId;
  readonly members: readonly NodeId[];
  /** Who votes once it has begun. */
  readonly next: Membership;
}

/** An epoch as it begins: the tokens of kept locks lie with their users, those of all others where `rootOf` says. */
export interface Beginning {
  readonly epoch: number;
  readonly members: readonly NodeId[];
  readonly kept: readonly Kept[];
  /** Who votes from here on. */
  readonly membership: Membership;
}

/**
 * What a voter remembers of earlier promises: `known` all of them; `new` that there were none; `forgotten` not what they were;
 * `founding` neither, but its application has said that the cluster is new.
 */
export type Memory = 'known' | 'new' | 'forgotten' | 'founding';

/** All messages of the epochs say what their sender knows as decided: a list of an older version learns the newer one (rule 9). */
export interface OfMember {
  readonly membership: Membership;
}

/** Promise this epoch, and say where you stand. */
export interface Prepare extends OfMember {
  readonly type: 'prepare';
  readonly epoch: number;
  /** Who must promise it: voters of `membership` and of `next`. */
  readonly members: readonly NodeId[];
  readonly next: Membership;
  /** The last epoch in which the proposer served: what it proposed later, it never began. */
  readonly served: number;
}

/** The answer: from now on no earlier epoch is served here. */
export interface Promised extends OfMember {
  readonly type: 'promise';
  readonly epoch: number;
  readonly memory: Memory;
  /** The last epoch in which the node served, 0 for none since it forgot, and what that epoch kept. */
  readonly served: number;
  readonly kept: readonly Kept[];
  /** Promises of epochs above `served`, other than this one. */
  readonly pending: readonly Ballot[];
  readonly using: readonly HeldFor[];
  /** Of clients' locks: what is recorded here in the epoch that it served last, and what they hold who have come from elsewhere. */
  readonly records: readonly Recorded[];
  readonly stranded: readonly Stranded[];
  readonly links: readonly NodeId[];
  /** A number that the node's clock gave at its start: above all that it promised before. */
  readonly floor: number;
}

/** Another answer: a later epoch, or this one, was promised before, or the number is beyond reason. */
export interface Refuse extends OfMember {
  readonly type: 'refuse';
  readonly epoch: number;
  readonly promised: number;
  /** The largest number that is known here, where the refused one is beyond reason. */
  readonly known?: number;
}

/** The third answer: somebody is left out whom I still reach; ask again when you do, or when my patience is over. */
export interface Wait extends OfMember {
  readonly type: 'wait';
  readonly epoch: number;
}

/** The epoch begins: to its members. */
export interface Install extends Beginning {
  readonly type: 'install';
}

/** The epoch has begun: to those whom it leaves out. */
export interface Superseding extends OfMember {
  readonly type: 'told';
  readonly epoch: number;
  readonly members: readonly NodeId[];
}

/** To the leader: something has changed here; propose again, unless my promise is still awaited. */
export interface Changed extends OfMember {
  readonly type: 'changed';
}

/** To a peer whose link has come up here: what was said before may have been lost, or have come too early; leader, propose again. */
export interface Hello extends OfMember {
  readonly type: 'hello';
}

/** To a peer with another list of voters: a majority of this one would begin; give way, unless one of yours may begin as well. */
export interface GiveWay extends OfMember {
  readonly type: 'giveWay';
}

/** The answer: nobody can begin by this list with my help, and I end. */
export interface GivenWay extends OfMember {
  readonly type: 'givenWay';
}

/** To the leader: a member was called to change who votes. */
export interface Reconfigure extends OfMember, MembershipChange {
  readonly type: 'reconfigure';
}

/** Of a client: I ask for locks through you from now on. */
export interface AttachRequest extends OfMember {
  readonly type: 'attach';
  /** Each attachment of a client has a larger one; what is said of an earlier one counts for nothing. */
  readonly number: number;
  /** What it holds. */
  readonly holds: readonly Held[];
}

/** The answer: the locks among these that stay with the client, and the epoch that is served here. */
export interface Attached extends OfMember {
  readonly type: 'attached';
  readonly number: number;
  readonly kept: readonly Held[];
  readonly epoch: number;
  readonly members: readonly NodeId[];
}

/** To a client: look for another voter, for none is served here. */
export interface Detached extends OfMember {
  readonly type: 'detached';
  readonly number: number;
}

export type EpochMessage =
  | Prepare
  | Promised
  | Refuse
  | Wait
  | Install
  | Superseding
  | Changed
  | Hello
  | GiveWay
  | GivenWay
  | Reconfigure
  | AttachRequest
  | Attached
  | Detached;

/**
 * A lock that is about to be used here, or given back: to the other voters of its epoch, asked after its request (rule 10). What is said of a
 * client's lock they record (rule 11).
 */
export interface Confirm extends LockLabel, AskedIn {
  readonly type: 'confirm';
  /** Of the grant that is under way: one question, one number. */
  readonly fence: number;
  /** Who asked, a client of it, or nobody, of a lock that a client has given back. */
  readonly user: NodeId | null;
}

/** The answer: this very epoch is served here, and no later one was promised. */
export interface Confirmed extends LockLabel {
  readonly type: 'confirmed';
  readonly fence: number;
  readonly user: NodeId | null;
}

/** To a reader, by the writer that has the token: let me know when you do not read any more. */
export interface Recall extends LockLabel {
  readonly type: 'recall';
  /** Of the grant that is under way: one question, one number. */
  readonly fence: number;
}

/** The answer: here nobody reads, and nobody will in this epoch before the token has come here again. */
export interface Returned extends LockLabel {
  readonly type: 'returned';
  readonly fence: number;
}

/** Of a client, to the voter to which it is attached: it wants the lock; */
export interface Acquire {
  readonly type: 'acquire';
  readonly lock: string;
}

/** it gives it back. */
export interface GiveBack extends Held {
  readonly type: 'giveBack';
}

/** To a client, in this attachment: the lock is granted; or, though the client held it, others have gone on. */
export interface Acquired extends Held {
  readonly type: 'acquired' | 'forfeited';
  readonly number: number;
}

/** To a client, in this attachment: there is no room for the lock beside so many others; it does not wait for it here. */
export interface Full {
  readonly type: 'full';
  readonly number: number;
  readonly lock: string;
  readonly others: number;
}

/** To the other members, of a client that has attached itself here since it asked for this lock: it does not hold it, and never will. */
export interface Disowned extends LockLabel {
  readonly type: 'disowned';
  readonly fence: number;
  readonly client: NodeId;
}

/** Of a lock in an epoch: for its directory, which may not be open, or for the epochs themselves. */
export type LockMessage = (DirectoryMessage & LockLabel) | Confirm | Recall | Disowned;

/** All that nodes say to each other. */
export type LocksMessage = Update | EpochMessage | LockMessage | Confirmed | Returned | Acquire | GiveBack | Acquired | Full;

/** To the locks of this node: an epoch begins, ends here, or nobody can be served here. */
export type EpochTurn =
  /** With how many other voters have to confirm a grant in it, and how many have to record one of a client. */
  | ({ readonly type: 'begun'; readonly others: number; readonly recorders: number } & Beginning)
  | { readonly type: 'over' }
  | { readonly type: 'apart' };

/** To the locks of a client: it is attached, and keeps these; it is not; nobody has taken it for so long that others may have gone on. */
export type AttachmentTurn =
  | { readonly type: 'attached'; readonly host: NodeId; readonly kept: readonly Held[] }
  | { readonly type: 'detached' }
  | { readonly type: 'apart' };

export type LocksNotification =
  | ({ readonly type: 'lock.granted' } & HeldIn)
  | { readonly type: 'lock.released'; readonly lock: string }
  /** A request was given up before anybody had been asked. */
  | { readonly type: 'lock.canceled'; readonly lock: string }
  /** Of a client: its voter has no room for the lock beside so many others; it was never granted. */
  | { readonly type: 'lock.refused'; readonly lock: string; readonly peer: NodeId; readonly others: number }
  /** The node is a member of this epoch from now on, */
  | { readonly type: 'serving'; readonly epoch: number; readonly members: readonly NodeId[] }
  /** or of none: it can be granted nothing. */
  | { readonly type: 'apart' }
  /** Others may have gone on without this node. */
  | { readonly type: 'lock.lost'; readonly lock: string; readonly fence: number }
  /** A client is counted among those who vote, by this one; */
  | { readonly type: 'named'; readonly peer: NodeId }
  /**
   * The number of a peer's epoch and the largest that is `known` here are more than a year of milliseconds apart: one of the two is out of its
   * mind, or its clock was. It is not a peer of this node until the link between them comes up again.
   */
  | { readonly type: 'unreasonable'; readonly peer: NodeId; readonly epoch: number; readonly known: number }
  /** From now on these vote. */
  | { readonly type: 'members'; readonly version: number; readonly voters: readonly NodeId[] }
  /** A peer has another list of voters, and is none of this cluster; */
  | { readonly type: 'differs'; readonly peer: NodeId; readonly own: Membership; readonly theirs: Membership }
  /** its list is that of the cluster, and this node takes part in nothing any more. */
  | { readonly type: 'outvoted'; readonly peer: NodeId; readonly own: Membership; readonly theirs: Membership };
