/** The state of a node's main role: its position in the tree, its past, and the change of the tree in progress. */
import type { LinkEvent, NodeId, Received } from '../../effects.js';
import type { Collect, Controller, Echo, Epoch, Leave, NodePart, Settings, Settled, Severed, Terms } from '../messages.js';
import type { Phase } from './phases.js';

/** Account of a node before it left or was cut off. Totals of a run count it, whether or not the node participates now. */
export interface Past {
  /** Permits given to its application, minus its deposits. */
  readonly issued: number;
  /** Permits that a rejected request had gathered and the node returned; `null` if none was rejected. */
  readonly keptBack: number | null;
  /** Names that its application was given. */
  readonly names: readonly number[];
  /** The parent that it returned its permits to when it left, as long as their link has not gone down. */
  readonly returnedTo: NodeId | null;
  /** True if that link went down: the returned permits may be lost. */
  readonly isCut: boolean;
}

export const NO_PAST: Past = { issued: 0, keptBack: null, names: [], returnedTo: null, isCut: false };

/** The past after one part of the node has returned its permits. */
export function pastWith(past: Past, { part, issued, keptBack, names }: Settled): Past {
  if (part === 'N') return { ...past, names: [...past.names, ...names] };
  const isKnown = past.keptBack !== null || keptBack !== null;
  return { ...past, issued: past.issued + issued, keptBack: isKnown ? (past.keptBack ?? 0) + (keptBack ?? 0) : null };
}

export interface MainInput {
  readonly id: NodeId;
  /** `null` at the root. */
  readonly parent: NodeId | null;
  readonly depth: number;
  readonly name: number | null;
  readonly children: readonly NodeId[];
  /** Neighbors that join under this node first; later children get new names. */
  readonly vacant: readonly NodeId[];
  readonly settings: Settings;
  readonly terms: Terms;
  readonly past: Past;
  /** The root's account of phases; `null` elsewhere, and for kinds without phases. */
  readonly phase: Phase | null;
}

export interface MainContext extends MainInput {
  readonly born: number;
  /** Children that have not echoed. */
  readonly awaiting: readonly NodeId[];
  /** Former children whose link went down; permits below them are lost. */
  readonly lost: readonly NodeId[];
  /** Parts that have not returned their bins. */
  readonly unsettled: readonly NodePart[];
  /** Counts collected so far: participants and permits of the subtree below, and names given to the local application. */
  readonly count: number;
  readonly permits: number;
  readonly members: number;
  readonly departed: number;
  /** The controller that ran out first. */
  readonly cause: Controller | null;
  readonly signaled: boolean;
}

/** Initial knowledge of a member: no change, and only the given children. */
export const memberContext = (input: MainInput): MainContext => ({
  ...input,
  born: 0,
  awaiting: [],
  lost: [],
  unsettled: [],
  count: 0,
  permits: 0,
  members: 0,
  departed: 0,
  cause: null,
  signaled: false,
});

export interface Joined {
  readonly type: 'joined';
  readonly name: number | null;
}

/** Notification that a bin of the root is short. */
export interface Depleted {
  readonly type: 'depleted';
  readonly of: Controller;
}

export type MainEvent =
  | Joined
  | Settled
  | Depleted
  | { type: 'busy' | 'rested' | 'depart' }
  | LinkEvent<NodeId>
  | Received<Collect>
  | Received<Echo>
  | Received<Leave>
  | Received<Epoch>
  | Received<Severed>;

export type MainNotification =
  | { readonly type: 'joined'; readonly child: NodeId; readonly name: number | null }
  | { readonly type: 'left' | 'stayed' }
  /** `permits`: those lost with this node. */
  | { readonly type: 'severed'; readonly permits: number };

/** The next child: a neighbor that is to join, or else a new node with a new name. */
export const newChild = ({ vacant, id, born }: MainContext): NodeId => vacant[0] ?? `${id}.${born + 1}`;
