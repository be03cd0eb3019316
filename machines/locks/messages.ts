/** Messages between voters, messages between the roles of one node, notifications for the application, and the names of the roles. */
import type { DirectoryMessage } from '../directory/machine.js';
import { DIRECTORY } from '../directory/view.js';
import type { NodeId } from '../effects.js';
import type { Update } from '../election/messages.js';
import type { Membership, MembershipChange } from './membership.js';

/**
 * The role that agrees on epochs; at a client, the role that is attached to a voter. Each wanted lock and each directory of an epoch has
 * its own role.
 */
export const EPOCHS = 'epochs';
export const LOCK = 'lock';
/** The charts of the same roles at a client. */
export const CLIENT = 'client';
export const CLIENT_LOCK = 'client-lock';

/** The storage key of the state that the epochs of a node persist (`Standing`). */
export const STANDING = 'standing';

/** The role of a lock at one node, across epochs. It exists while the lock is wanted here. */
export const lockRole = (lock: string): string => `${LOCK} ${lock}`;
/** A lock's directory in one epoch: the same role on every member. */
export const directoryRole = (epoch: number, lock: string): string => `${DIRECTORY} ${epoch} ${lock}`;

export type LockLabel = { readonly epoch: number; readonly lock: string };

/** The label from which `directoryRole` made the name; `undefined` for every other role. */
export function lockLabelOf(role: string): LockLabel | undefined {
  const [, epoch, lock] = /^directory (\d+) (.*)$/s.exec(role) ?? [];
  return epoch === undefined ? undefined : { epoch: Number(epoch), lock: lock! };
}

/** A lock in use at the sender, with the fence of its grant. */
export interface Held {
  readonly lock: string;
  readonly fence: number;
}

/**
 * The mode of a lock, as in Web Locks: `exclusive` for a single writer, or `shared` for any number of readers.
 *
 * @public
 */
export type LockMode = 'exclusive' | 'shared';

/** A lock in use, with its mode. Without a mode it is `exclusive`. */
export interface HeldIn extends Held {
  readonly mode?: 'shared';
}

/** A lock in use that the voter may use for a client. */
export interface HeldFor extends HeldIn {
  /** The client. Without it, the voter uses the lock itself. */
  readonly client?: NodeId;
}

/** The attachment in which a client requested a lock. The lock cannot be granted in a later one. */
export interface AskedIn {
  readonly number?: number;
}

/** The record of a client's lock, at voters other than the one that uses it for the client. `null` means that the client gave it back. */
export interface Recorded extends Held, AskedIn {
  readonly client: NodeId | null;
}

/** A lock of a client that is attached here, while another voter used the lock for the client. A larger number is a later attachment. */
export interface Stranded extends Held {
  readonly client: NodeId;
  readonly number: number;
}

/** A lock that its holder keeps as an epoch begins: the node that uses it, for itself or for a client. */
export interface Kept extends HeldFor, AskedIn {
  readonly node: NodeId;
}

/** The content of a promise: an epoch, its proposer, and all members that must promise it before it begins. */
export interface Ballot {
  readonly epoch: number;
  readonly proposer: NodeId;
  readonly members: readonly NodeId[];
  /** The membership once the epoch has begun. */
  readonly next: Membership;
}

/** The content of an epoch that begins. The token of a kept lock is at its holder, every other token at the node that `rootOf` returns. */
export interface Beginning {
  readonly epoch: number;
  readonly members: readonly NodeId[];
  readonly kept: readonly Kept[];
  /** The membership from here on. */
  readonly membership: Membership;
}

/**
 * The memory of a voter about its earlier promises.
 *
 * - `known`: all of them.
 * - `new`: there were none.
 * - `forgotten`: the voter may have promised, and does not remember the content.
 * - `founding`: as `forgotten`, and the application has declared that the cluster is new.
 */
export type Memory = 'known' | 'new' | 'forgotten' | 'founding';

/**
 * Every message of the epochs contains the membership that its sender knows as decided, so that a receiver with an older one learns it
 * (rule 9).
 */
export interface OfMember {
  readonly membership: Membership;
}

/** Requests a promise of this epoch, and a report of the receiver's state. */
export interface Prepare extends OfMember {
  readonly type: 'prepare';
  readonly epoch: number;
  /** The members that must promise it: voters of `membership` and of `next`. */
  readonly members: readonly NodeId[];
  readonly next: Membership;
  /** The last epoch in which the proposer served. It never began any epoch that it proposed later. */
  readonly served: number;
}

/** Grants the promise: from now on this node serves no earlier epoch. */
export interface Promised extends OfMember {
  readonly type: 'promise';
  readonly epoch: number;
  readonly memory: Memory;
  /** The last epoch in which the node served, and the locks that it kept. 0: none since the node forgot. */
  readonly served: number;
  readonly kept: readonly Kept[];
  /** Promises of epochs above `served`, other than this one. */
  readonly pending: readonly Ballot[];
  readonly using: readonly HeldFor[];
  /** Clients' locks: the records of the epoch that the node served last, and the locks of clients that came from another voter. */
  readonly records: readonly Recorded[];
  readonly stranded: readonly Stranded[];
  readonly links: readonly NodeId[];
  /** A number from the node's clock at its start, larger than every number that it promised before. */
  readonly floor: number;
}

/** Refuses the promise: this epoch or a later one was promised before, or the number is unreasonably large. */
export interface Refuse extends OfMember {
  readonly type: 'refuse';
  readonly epoch: number;
  readonly promised: number;
  /** The largest number that the receiver knows, if the refused one is unreasonably large. */
  readonly known?: number;
}

/**
 * Postpones the promise: the proposal leaves out a voter that this node still reaches. Prepare again when that changes or patience ends.
 */
export interface Wait extends OfMember {
  readonly type: 'wait';
  readonly epoch: number;
}

/** Leader to members: the epoch begins. */
export interface Install extends Beginning {
  readonly type: 'install';
}

/** Notifies peers outside the epoch that it has begun. */
export interface Superseding extends OfMember {
  readonly type: 'superseded';
  readonly epoch: number;
  readonly members: readonly NodeId[];
}

/** Voter to leader: the voter's state has changed, so the leader proposes again, unless it still waits for this voter's promise. */
export interface Changed extends OfMember {
  readonly type: 'changed';
}

/** Greets a peer whose link has come up here: earlier messages may be lost or may have come too early. A leader proposes again. */
export interface Hello extends OfMember {
  readonly type: 'hello';
}

/** Asks a peer with another list of voters to give way, because a majority of the sender's list would begin an epoch. */
export interface GiveWay extends OfMember {
  readonly type: 'giveWay';
}

/** The reply of a peer that gives way: no epoch of this list can begin with its help, and the peer ends. */
export interface GivenWay extends OfMember {
  readonly type: 'givenWay';
}

/** Requests a change of the voters from the leader. The application of a member has requested it. */
export interface Reconfigure extends OfMember, MembershipChange {
  readonly type: 'reconfigure';
}

/** Withdraws the change of the voters that the sender has requested, or that a node without a link has requested. */
export interface Withdrawal extends OfMember {
  readonly type: 'withdrawal';
}

/** Attaches a client to this voter, through which it requests locks from now on. */
export interface AttachRequest extends OfMember {
  readonly type: 'attach';
  /** Each attachment of a client has a larger number. Messages of an earlier attachment are ignored. */
  readonly number: number;
  /** The locks that the client holds. */
  readonly holds: readonly Held[];
}

/** Accepts an attachment: the locks that the client keeps, and the epoch that is served here. */
export interface Attached extends OfMember {
  readonly type: 'attached';
  readonly number: number;
  readonly kept: readonly Held[];
  readonly epoch: number;
  readonly members: readonly NodeId[];
}

/** Notifies a client that this voter serves no clients. The client attaches to another voter. */
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
  | Withdrawal
  | AttachRequest
  | Attached
  | Detached;

/**
 * A lock is about to be used here, or was given back. The other voters of its epoch confirm it after the request (rule 10), and record it
 * if it is a client's lock (rule 11).
 */
export interface Confirm extends LockLabel, AskedIn {
  readonly type: 'confirm';
  /** The fence of the pending grant, which identifies the request for confirmation. */
  readonly fence: number;
  /** The requester or its client; `null` if a client has given the lock back. */
  readonly user: NodeId | null;
}

/** Confirms that this epoch is served here and that no later one was promised. */
export interface Confirmed extends LockLabel {
  readonly type: 'confirmed';
  readonly fence: number;
  readonly user: NodeId | null;
}

/** The writer that has the token asks a reader to report when it has stopped reading. */
export interface Recall extends LockLabel {
  readonly type: 'recall';
  /** The fence of the pending grant, which identifies the recall. */
  readonly fence: number;
}

/** Confirms that no reads are left here, and that none will begin in this epoch before the token comes here again. */
export interface Returned extends LockLabel {
  readonly type: 'returned';
  readonly fence: number;
}

/** Client to its voter: requests a lock. */
export interface Acquire {
  readonly type: 'acquire';
  readonly lock: string;
}

/** A client gives a lock back to its voter. */
export interface GiveBack extends Held {
  readonly type: 'giveBack';
}

/**
 * Notifies a client, in this attachment, that the lock is granted, or that it is lost because other peers have gone on without the client.
 */
export interface Acquired extends Held {
  readonly type: 'acquired' | 'forfeited';
  readonly number: number;
}

/** Notifies a client, in this attachment, that the voter has no room for the lock. The client does not wait for it here. */
export interface Full {
  readonly type: 'full';
  readonly number: number;
  readonly lock: string;
  readonly others: number;
}

/**
 * Notifies the other members that a client does not hold this lock and never will: it has attached itself here since it requested the lock.
 */
export interface Disowned extends LockLabel {
  readonly type: 'disowned';
  readonly fence: number;
  readonly client: NodeId;
}

/** Messages about a lock in an epoch, for its directory, which may not be open, or for the epochs. */
export type LockMessage = (DirectoryMessage & LockLabel) | Confirm | Recall | Disowned;

/** Any message that one node sends to another. */
export type LocksMessage = Update | EpochMessage | LockMessage | Confirmed | Returned | Acquire | GiveBack | Acquired | Full;

/** Notifies the locks of this node that an epoch begins, that it ends here, or that no requests can be granted here. */
export type EpochTurn =
  /** Also contains how many other voters have to confirm a grant of the epoch, and how many have to record a client's grant. */
  | ({ readonly type: 'begun'; readonly others: number; readonly recorders: number } & Beginning)
  | { readonly type: 'over' }
  | { readonly type: 'apart' };

/**
 * Notifies the locks of a client that it is attached and keeps `kept`; that it is detached; or that it has been detached for so long that
 * other peers may have gone on.
 */
export type AttachmentTurn =
  | { readonly type: 'attached'; readonly host: NodeId; readonly kept: readonly Held[] }
  | { readonly type: 'detached' }
  | { readonly type: 'apart' };

export type LocksNotification =
  | ({ readonly type: 'lock.granted' } & HeldIn)
  | { readonly type: 'lock.released'; readonly lock: string }
  /** A request was canceled before any other peer knew of it. */
  | { readonly type: 'lock.canceled'; readonly lock: string }
  /** At a client: its voter has no room for the lock next to `others` other locks. The lock was never granted. */
  | { readonly type: 'lock.refused'; readonly lock: string; readonly peer: NodeId; readonly others: number }
  /** The node is a member of this epoch from now on. */
  | { readonly type: 'serving'; readonly epoch: number; readonly members: readonly NodeId[] }
  /** The node is not a member of an epoch: it cannot be granted a lock. */
  | { readonly type: 'apart' }
  /** Other peers may have gone on without this node. */
  | { readonly type: 'lock.lost'; readonly lock: string; readonly fence: number }
  /** The peer lists this client as a voter. */
  | { readonly type: 'named'; readonly peer: NodeId }
  /**
   * The number of a peer's epoch and the largest number that is `known` here are more than the milliseconds of a year apart: one of the two
   * nodes is faulty, or its clock was wrong. This node ignores the peer until the link between them comes up again.
   */
  | { readonly type: 'unreasonable'; readonly peer: NodeId; readonly epoch: number; readonly known: number }
  /** These peers vote from now on. */
  | { readonly type: 'members'; readonly version: number; readonly voters: readonly NodeId[] }
  /** The requested change of the voters was withdrawn here. */
  | { readonly type: 'withdrawn' }
  /** A peer has another list of voters and does not belong to this cluster. */
  | { readonly type: 'differs'; readonly peer: NodeId; readonly own: Membership; readonly theirs: Membership }
  /** The peer's list is the list of the cluster. This node has stopped participating. */
  | { readonly type: 'outvoted'; readonly peer: NodeId; readonly own: Membership; readonly theirs: Membership };
