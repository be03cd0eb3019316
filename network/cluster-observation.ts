/**
 * Observations of a cluster at one process, for an inspector (inspector/live/cluster-report.ts).
 *
 * An actor is observed at the member that hosts it, and only in durable states: steps of a version that was never committed are dropped.
 * Without an observer, nothing is recorded.
 */
import type { AnyMachineSnapshot, AnyStateMachine, EventObject } from 'xstate';
import type { NodeId } from '../machines/effects.js';
import type { Microstep } from './world/selections.js';

/** A step of a cluster actor's machine, for observers: the event with its sender, the transitions and the result. */
export interface ActorStep {
  readonly event: EventObject;
  /** The peer that sent it; null for a change that the actor made by itself. */
  readonly from: NodeId | null;
  readonly microsteps: readonly Microstep[];
  readonly snapshot: AnyMachineSnapshot;
}

/** An actor while this member hosts it. A larger fence belongs to a later activation, here or at another member. */
export interface HostedActor {
  readonly kind: string;
  readonly id: string;
  readonly fence: number;
  readonly machine: AnyStateMachine;
}

export type ClusterObservation =
  /** The first observation: this process. */
  | { readonly type: 'member'; readonly id: NodeId; readonly name: string; readonly members: readonly NodeId[] }
  | { readonly type: 'link'; readonly change: 'up' | 'down'; readonly peer: NodeId }
  /** A version is durable. The first one of a fence reports that this member hosts the actor. */
  | {
      readonly type: 'version';
      readonly actor: HostedActor;
      readonly steps: readonly ActorStep[];
      readonly snapshot: AnyMachineSnapshot;
    }
  /** This member does not host the actor any more. */
  | { readonly type: 'stopped'; readonly actor: HostedActor }
  | { readonly type: 'closed' };

export type ClusterObserver = (observation: ClusterObservation) => void;

/** Marks the machines that run hosted actors: the member reports them, so that no observer of XState's actors does. */
export const HOSTED = Symbol.for('xstate-quiver.hosted');
