/** Messages between the nodes of the queue, and between a node's roles (spec 2.2). */
import type { NodeId } from '../effects.js';

/** A request in flight to the end of the queue. A find that a guardian injected has no origin. */
export interface QueueFind {
  readonly type: 'find';
  readonly origin: NodeId | null;
}

/** Question of a parent to its child: does the child's pointer point across the edge? */
export interface ObserverMessage {
  readonly type: 'obs';
}

/** The answer: 1 if it points across the edge. */
export interface ObserverReturn {
  readonly type: 'obsr';
  readonly x: 0 | 1;
}

export type QueueMessage = QueueFind | ObserverMessage | ObserverReturn;

/** Notification that the guardian has counted the finds of its edge. The pointer adds itself and answers with an `estimate`. */
export interface Observed {
  readonly type: 'observed';
  readonly child: NodeId;
  readonly count: number;
}

export interface Estimate {
  readonly type: 'estimate';
  readonly phi: number;
}

/** Notification that the pointer has sent a find on the guardian's edge. */
export interface FindSent {
  readonly type: 'sent';
}

/**
 * Notification to the application: a request follows the latest one of `predecessor`. `null`: no request is needed.
 *
 * @public
 */
export interface Queued {
  readonly type: 'queued';
  readonly requester: NodeId | null;
  readonly predecessor: NodeId;
}

/** Notification that a find was discarded to repair its edge. If it had a requester, the request is lost. */
export interface Dropped {
  readonly type: 'dropped';
  readonly requester: NodeId | null;
}

export const POINTER = 'pointer';
export const GUARDIAN = 'guardian';
export const TREE = 'tree';

/** Name of the role that guards the edge to one of the node's children. */
export const guardianOf = (child: NodeId): string => `${GUARDIAN}:${child}`;

/** The child in the name of a guardian's role. */
export const childOf = (role: string): NodeId => role.slice(GUARDIAN.length + 1);
