/** Messages about one actor between the peers of a cluster, the notices of its charts, and the names of its roles. */
import type { Message, NodeId, Received } from '../effects.js';

/** The role of a member that keeps a copy, the role that activates the actor, and the role that sends events to it. */
export const REPLICA = 'replica';
export const HOST = 'host';
export const SENDER = 'sender';

/** An event of the application that could not be applied: the number that its sender gave it, and why. */
export interface FailedEvent {
  readonly number: number;
  readonly error: unknown;
}

/** The memory of a copy about one sender: its last applied event, and the failures that it may not have received yet. */
export interface Seen {
  readonly sender: string;
  readonly number: number;
  readonly failures: readonly FailedEvent[];
}

/** One version of an actor, as replicas keep it. Versions are ordered by fence, then by sequence number. */
export interface ActorCopy {
  /** The fence of the activation that wrote it. */
  readonly fence: number;
  /** Grows with every commit. */
  readonly seq: number;
  /** The persisted snapshot, and what else the application keeps with it. */
  readonly state: unknown;
  /** True if the actor has work without an event: a delayed transition, an action that has not finished, or a child that runs. */
  readonly isAwake: boolean;
  /** Least recently used first, at most `sendersMax`. */
  readonly seen: readonly Seen[];
  /** True if a sender was forgotten to make room in `seen`. */
  readonly hasForgotten: boolean;
}

/** An event for the actor, with its number among those of its sender. */
export interface NumberedEvent {
  readonly number: number;
  readonly event: unknown;
}

/** How an actor that does not exist yet is created; `isAllowed` is false for a sender that refers to an existing actor only. */
export interface Creation {
  readonly isAllowed: boolean;
  readonly input: unknown;
}

/** Candidate to majority: promise this fence, and send your copy. */
export interface Read extends Message {
  readonly type: 'read';
  readonly fence: number;
}
/**
 * Replica to candidate: its copy of the actor. It may have lost versions that were written under a fence below `since`. No version was
 * written below `genesis`.
 */
export interface CopyMessage extends Message {
  readonly type: 'copy';
  readonly fence: number;
  readonly copy: ActorCopy | null;
  readonly since: number;
  readonly genesis: number;
}
/** Host to replicas: store this version. */
export interface WriteVersion extends Message {
  readonly type: 'write';
  readonly copy: ActorCopy;
}
/** Replica to host: the version is stored. */
export interface KeptVersion extends Message {
  readonly type: 'kept';
  readonly fence: number;
  readonly seq: number;
}
/** Replica to candidate or host: a larger fence was promised. */
export interface Late extends Message {
  readonly type: 'late';
  readonly fence: number;
}
/** Sender to a member: host the actor, or reply who does. The host with fence `tried` has not answered (0 for none). */
export interface WantActor extends Message {
  readonly type: 'want';
  readonly creation: Creation;
  readonly tried: number;
}
/** Candidate to all members: reply if you host the actor. */
export interface FindHost extends Message {
  readonly type: 'find';
}
/** The receiver's host does not host the actor any more. */
export interface Gone extends Message {
  readonly type: 'gone';
}
/** The host of the actor, with the fence of its activation. */
export interface Hosted extends Message {
  readonly type: 'hosted';
  readonly host: NodeId;
  readonly fence: number;
}
/** Sender to host, oldest first. Events before `base` are settled at the sender. `isRepeated`: they may have been sent before. */
export interface EventsMessage extends Message {
  readonly type: 'events';
  readonly sender: string;
  readonly base: number;
  readonly isRepeated: boolean;
  readonly events: readonly NumberedEvent[];
}
/** The events of a sender up to this number are applied and durable, but for the failures. */
export interface Settlement {
  readonly sender: string;
  readonly upTo: number;
  readonly failures: readonly FailedEvent[];
}
/** Host to senders: how far each of them is settled, in which version. */
export interface Acked extends Message {
  readonly type: 'acked';
  readonly fence: number;
  readonly seq: number;
  readonly settlements: readonly Settlement[];
}
/** Sender to host: send committed versions, or stop sending them. */
export interface WatchActor extends Message {
  readonly type: 'watch' | 'unwatch';
}
/** Host to watchers: a committed version, and what the actor emitted with it. */
export interface Committed extends Message {
  readonly type: 'committed';
  readonly fence: number;
  readonly seq: number;
  readonly state: unknown;
  readonly emitted: unknown;
}
/** A member to a sender: the actor cannot be activated. */
export interface Refused extends Message {
  readonly type: 'refused';
  readonly error: unknown;
}
/** A member to a sender: it has no machine for this actor. Another member may have one. */
export interface Unfit extends Message {
  readonly type: 'unfit';
}
/** Host to the member that takes over: acquire the lock, it is being released. */
export interface Come extends Message {
  readonly type: 'come';
}

export type ClusterMessage =
  | Read
  | CopyMessage
  | WriteVersion
  | KeptVersion
  | Late
  | WantActor
  | FindHost
  | Gone
  | Hosted
  | EventsMessage
  | Acked
  | WatchActor
  | Committed
  | Refused
  | Unfit
  | Come;

/** A message of this type as its receiver sees it, with the field `from`. */
export type ReceivedOf<T extends ClusterMessage['type']> = Received<Extract<ClusterMessage, { readonly type: T }>>;

/** An event in the host's queue; `from` is null for a change that the actor made by itself. */
export interface Entry extends NumberedEvent {
  readonly from: NodeId | null;
  readonly sender: string;
  readonly base: number;
}

/** A notice of the charts, which the application answers or performs. */
export type ClusterNotice =
  /** Acquire the lock of this actor: answered by `granted`, `lost` or `unavailable`. */
  | { readonly type: 'acquire' }
  /** Give up the request, or the lock. */
  | { readonly type: 'release' }
  /** Restore the actor from this copy, or create it: answered by `applied` or `failed`. */
  | { readonly type: 'restore'; readonly fence: number; readonly copy: ActorCopy | null; readonly creation: Creation | null }
  /** Apply these events in order: answered by `applied`. */
  | { readonly type: 'apply'; readonly fence: number; readonly seq: number; readonly entries: readonly Entry[] }
  /** The last applied version is durable: its actions may run. */
  | { readonly type: 'durable'; readonly fence: number; readonly seq: number }
  /** The activation has ended here. */
  | { readonly type: 'stopped' }
  /** Events of this peer are applied and durable up to this number, but for the failures. */
  | { readonly type: 'settled'; readonly upTo: number; readonly failures: readonly FailedEvent[] }
  /** The events that wait here cannot be sent. */
  | { readonly type: 'failed'; readonly error: unknown }
  /** A committed version, for subscribers of this peer. */
  | {
      readonly type: 'version';
      readonly fence: number;
      readonly seq: number;
      readonly state: unknown;
      readonly emitted: unknown;
    };
