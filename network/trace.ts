/**
 * The trace: one NDJSON format that the inspector, the replayer, the transcripts and the trace checker all read.
 *
 * The first line is the header; then one line a step, and one for each thing that happened to the network itself. Every line carries
 * a vector clock. Nothing in it comes from the machine it ran on: same seed, same bytes.
 */
import type { Message, NodeId } from '../machines/effects.js';
import type { Flight, Link, Overlay, Property, PropertyResult, RoleView, Step } from '../machines/protocol.js';
import type { Verdict } from './report.js';
import type { Choice, StartState } from './world/choice.js';
import type { Selected } from './world/selections.js';

/** The version of the format, in the first line of every trace. */
export const TRACE_VERSION = 1;

export interface TraceHeader {
  readonly quiver: typeof TRACE_VERSION;
  readonly protocol: string;
  /** The scenario as it was given: running it again with these choices gives this very trace. */
  readonly scenario: unknown;
  readonly seed: number;
  readonly nodes: readonly NodeId[];
  readonly links: readonly Link[];
  /** Each chart's config as JSON, functions by name: enough to draw it. */
  readonly charts: Readonly<Record<string, unknown>>;
  /** What the run is held against. */
  readonly properties: readonly Pick<Property, 'name' | 'kind' | 'description'>[];
  /** For generated paths: how often each part of each chart was covered, as `Coverage` of the tests counts. */
  readonly coverage?: Readonly<Record<string, Readonly<Record<string, number>>>>;
  /** True if it is still being written, by nodes that are alive. */
  readonly live?: true;
  /** Of a live trace: time 0, in milliseconds since the epoch. */
  readonly began?: number;
  /** For a counterexample: the choices of the checker instead of time. */
  readonly choices?: readonly Choice[];
  /** And what they violate: a run of choices ends where it ends, and cannot tell by itself what never comes. */
  readonly refutes?: Refuted;
  /** The state that such a run begins in, where the nodes did not start by themselves. */
  readonly start?: StartState;
}

/** A property that does not hold, and where it does not. */
export interface Refuted {
  readonly property: string;
  /** The nodes for which it does not hold, where it speaks of single nodes. */
  readonly nodes?: readonly NodeId[];
  /**
   * For a promise on endless runs: the place of the choice from which the run goes round forever; as many as there are choices where
   * it rests forever.
   */
  readonly loop?: number;
}

export interface StepLine extends Omit<Step, 'sent'>, Partial<Selected> {
  /** The role that took the event first. */
  readonly role?: string | undefined;
  /** For what a link of live nodes says by port: who is at its other end. */
  readonly peer?: NodeId;
  readonly sent: readonly Omit<Flight, 'from'>[];
  /** Timers armed (ticks left) and disarmed (`null`) by this step. */
  readonly timers?: readonly (readonly [role: string, timer: string, delay: number | null])[];
  readonly drawn?: readonly number[];
  /** The roles whose state this step changed, as they are now; `null` for a role that was closed. */
  readonly roles: Readonly<Record<string, RoleView | null>>;
  readonly overlay?: Overlay;
  /** The program that a live node is part of. */
  readonly program?: string;
  /** The parent of an XState actor, and the kind of its logic: machine, promise, callback, observable, transition or actor. */
  readonly parent?: NodeId;
  readonly logic?: string;
  /** Charts that the header does not have yet: of an actor that came while the trace was written. */
  readonly charts?: Readonly<Record<string, unknown>>;
  /** How many steps of each node are known here, this one included. Nodes not heard of are left out. */
  readonly clock: Readonly<Record<NodeId, number>>;
}

/** Something that happened to the network and to no node: a message lost, a channel changed, a partition. */
export interface NetworkLine {
  readonly index: number;
  readonly at: number;
  /**
   * `placed`: a message that no node sent, put in flight by a corruption or a given start. `skipped`: what was live went faster than
   * it could be recorded; what follows says how everything stands. `endless`: from here the run of a
   * counterexample goes round, or rests, forever. `verdict`: what came of each property, at the end of the run.
   */
  readonly kind: 'lost' | 'duplicated' | 'placed' | 'refused' | 'channel' | 'violated' | 'skipped' | 'endless' | 'verdict';
  /** Whom it concerns: sender and receiver of the message, or the ends of the channel. */
  readonly between?: readonly [NodeId, NodeId];
  readonly message?: number | undefined;
  readonly up?: boolean;
  readonly why?: string;
  /** Of `skipped`, in the place of a line that could be read and not be shown: what is wrong with it. */
  readonly unshown?: string;
  readonly event?: Message;
  /** What is violated, and for which nodes. */
  readonly refutes?: Refuted;
  readonly verdict?: Verdict;
  readonly properties?: readonly PropertyResult[];
  readonly clock: Readonly<Record<NodeId, number>>;
}

/**
 * A line of a trace after its header: a step of a node, or something that happened to the network.
 *
 * @public
 */
export type TraceLine = StepLine | NetworkLine;

export const isStep = (line: TraceLine): line is StepLine => 'node' in line;
