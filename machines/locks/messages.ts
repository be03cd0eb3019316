/** What stewards say to each other, what they tell the application, and the names of the roles of a node. */
import type { Message, NodeId } from '../effects.js';

export const STEWARD = 'steward';
export const DIRECTORY = 'directory';

/** A lock's directory in one epoch: the same role on every member. */
export const lockRole = (epoch: number, lock: string): string => `lock ${epoch} ${lock}`;

export interface LockLabel {
  readonly epoch: number;
  readonly lock: string;
}

/** What `lockRole` was made of; `undefined` for every other role. */
export function labelOf(role: string): LockLabel | undefined {
  const [, epoch, lock] = /^lock (\d+) (.*)$/s.exec(role) ?? [];
  return epoch === undefined ? undefined : { epoch: Number(epoch), lock: lock! };
}

/** A lock in use: by whom is plain from where it is said. */
export interface Held {
  readonly lock: string;
  readonly fence: number;
}

/** Stop serving, and say what you hold: a new epoch is to begin. */
export interface Prepare {
  readonly type: 'prepare';
  readonly epoch: number;
}

/** The answer: from now on no earlier epoch is served here. */
export interface Promised {
  readonly type: 'promise';
  readonly epoch: number;
  readonly using: readonly Held[];
  /** The last epoch in which the node served. */
  readonly served: number;
  readonly links: readonly NodeId[];
  /** How often links of this node have come or gone. */
  readonly changes: number;
}

/** The other answer: that epoch, or a later one, was promised to somebody before. */
export interface Refuse {
  readonly type: 'refuse';
  readonly epoch: number;
}

/** The epoch begins. */
export interface Install {
  readonly type: 'install';
  readonly epoch: number;
  readonly members: readonly NodeId[];
  /** Locks that were in use, and who goes on using them; the tokens of all others lie where `rootOf` says. */
  readonly holders: readonly (readonly [lock: string, node: NodeId])[];
}

/** To the leader: links of mine have come or gone, perhaps since I promised, and what was under way on them is lost. */
export interface Changed {
  readonly type: 'changed';
  readonly changes: number;
}

export type StewardMessage = Prepare | Promised | Refuse | Install | Changed;

/** A message of a lock's directory, for a role that is not open. */
export interface LockMessage extends Message, LockLabel {
  readonly type: 'find' | 'token';
}

export type LockNotice =
  | { readonly type: 'lock.granted'; readonly lock: string; readonly fence: number }
  | { readonly type: 'lock.released'; readonly lock: string }
  /** The node is a member of this epoch from now on, */
  | { readonly type: 'serving'; readonly epoch: number; readonly members: readonly NodeId[] }
  /** or of none: it can be granted nothing. */
  | { readonly type: 'apart' }
  /** Others may have gone on without this node. */
  | { readonly type: 'lock.lost'; readonly lock: string; readonly fence: number };
