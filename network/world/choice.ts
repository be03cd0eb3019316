/**
 * The next choices of a world, as data: counterexamples, walks and manual schedules are lists of these, and a run replays them.
 */
import type { NodeId } from '../../machines/effects.js';
import type { Flight, NodeView } from '../../machines/protocol.js';

/**
 * A possible next event in a world, as data; a `Simulation` accepts a list of them instead of time.
 *
 * @public
 */
export type Choice =
  /** A message arrives, is lost or is duplicated, by its number. */
  (
    | { readonly deliver: number }
    | { readonly drop: number }
    | { readonly duplicate: number }
    | { readonly timer: readonly [node: NodeId, role: string, timer: string] }
    /** The scenario's event at this position of its list. */
    | { readonly event: number }
    /** The application's reaction to a notification of a node, by the type of its event, or a command that it may send at any time. */
    | { readonly command: readonly [node: NodeId, name: string] }
    /** The node takes the first of its waiting commands. */
    | { readonly turn: NodeId }
    /**
     * A node is notified that its channel to a neighbor has come up or gone down, by the scenario's next event for this channel.
     */
    | { readonly notification: readonly [node: NodeId, peer: NodeId] }
  ) & {
    /** Results of the draws of this step, in order. */
    readonly drawn?: readonly number[];
  };

/** A given initial state: the roles of each node, its armed timers, and the messages in flight, in the order of sending. */
export interface StartState {
  readonly nodes: Readonly<
    Record<NodeId, { readonly roles: NodeView; readonly timers: readonly (readonly [role: string, timer: string])[] }>
  >;
  readonly flights: readonly Flight[];
}
