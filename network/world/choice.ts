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
  /** A message arrives, is lost or is doubled, by its number. */
  (
    | { readonly deliver: number }
    | { readonly drop: number }
    | { readonly duplicate: number }
    | { readonly timer: readonly [node: NodeId, role: string, timer: string] }
    /** The scenario's event at this place of its list. */
    | { readonly event: number }
    /** The application's reaction to what a node announced, by the type of its event, or a command that it is free to give at any time. */
    | { readonly command: readonly [node: NodeId, name: string] }
    /** The first of the commands that wait at a node is taken. */
    | { readonly turn: NodeId }
    /**
     * A node is notified that its channel to a neighbor has come up or gone down, by the scenario's next event for this channel.
     */
    | { readonly notification: readonly [node: NodeId, peer: NodeId] }
  ) & {
    /** The answers to the draws of this step, in order. */
    readonly drawn?: readonly number[];
  };

/** A given state to begin in: what each node knows, its armed timers, and what is in flight, in the order of sending. */
export interface StartState {
  readonly nodes: Readonly<
    Record<NodeId, { readonly roles: NodeView; readonly timers: readonly (readonly [role: string, timer: string])[] }>
  >;
  readonly flights: readonly Flight[];
}
