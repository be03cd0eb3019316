/** Messages between nodes, messages between the roles of one node, and notifications to the application. */
import type { Message, NodeId } from '../effects.js';
import type { Height, Identity } from './height.js';
import type { LinkTable } from './links.js';

/** Name of the role that elects. The levels of the hierarchy, if any, are roles next to it. */
export const ELECTION = 'election';
export const LEVEL = 'level';

/** Name of the role of a level, counted from 1. */
export const levelRole = (level: number): string => `${LEVEL} ${level}`;

/** Entry for the leader of a level, as known at a distance of `distance` hops. */
export interface PresenceEntry {
  /** Clock at which it first led this level. */
  readonly birth: number;
  readonly id: Identity;
  readonly distance: number;
}

/** Leaders of one level nearby, by seniority, each once. */
export type PresenceTable = readonly PresenceEntry[];

/** The protocol's only message: a node sends its height to its neighbors whenever it changes. */
export interface Update {
  readonly type: 'update';
  readonly height: Height;
  /** True for the first Update over a channel that has come up: it requests an answer. */
  readonly hello: boolean;
  /** The sender's logical clock; `null` for perfect clocks. */
  readonly stamp: number | null;
  /** The presence tables of all levels, lowest first. */
  readonly tables: readonly PresenceTable[];
}

/**
 * An event of the node, on its way through the levels. Each level adds its table to the Update that the node is about to send. If that
 * table has changed, it extends the receivers to all neighbors. The last level returns it.
 */
export interface Turn {
  readonly type: 'turn';
  readonly now: number;
  readonly links: LinkTable;
  /** Tables of an Update, one per level. */
  readonly received: { readonly peer: NodeId; readonly tables: readonly PresenceTable[] } | null;
  readonly to: readonly NodeId[];
  readonly update: Update;
}

/** Notification that the node follows another leader, or the same one elected again. A later term is larger. */
export interface LeaderChange {
  readonly type: 'leader';
  readonly leader: NodeId;
  readonly term: number;
}

export const isLeaderChange = (notification: Message): notification is LeaderChange => notification.type === 'leader';

/** Notification that the node follows another leader of this level. */
export interface DistrictChange {
  readonly type: 'district';
  readonly level: number;
  readonly leader: NodeId;
}
