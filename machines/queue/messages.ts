/** Messages between the nodes of the queue, and between a node's roles (spec 2.2). */
import type { NodeId } from '../effects.js';

/** A request on its way to the end of the queue; one that a guardian injected has no origin. */
export interface QueueFind {
  readonly type: 'find';
  readonly origin: NodeId | null;
}

/** The parent of an edge asks its child where the child's pointer stands … */
export interface ObserverMessage {
  readonly type: 'obs';
}

/** … and this is the answer: 1 if it points across the edge. */
export interface ObserverReturn {
  readonly type: 'obsr';
  readonly x: 0 | 1;
}

export type QueueMessage = QueueFind | ObserverMessage | ObserverReturn;

/** The guardian has counted the finds of its edge; the pointer adds itself and answers with an `estimate`. */
export interface Observed {
  readonly type: 'observed';
  readonly child: NodeId;
  readonly count: number;
}

export interface Estimate {
  readonly type: 'estimate';
  readonly phi: number;
}

/** The pointer has sent a find on the guardian's edge. */
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

/** A find was discarded to repair its edge: a request is lost if it had a requester. */
export interface Dropped {
  readonly type: 'dropped';
  readonly requester: NodeId | null;
}

export const POINTER = 'pointer';
export const GUARDIAN = 'guardian';
export const TREE = 'tree';

/** The role of a node that guards the edge to one of its children. */
export const guardianOf = (child: NodeId): string => `${GUARDIAN}:${child}`;

/** The child whose edge a guardian's role guards. */
export const childOf = (role: string): NodeId => role.slice(GUARDIAN.length + 1);
