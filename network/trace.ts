/**
 * The trace: one NDJSON format that the inspector, the replayer, the transcripts and the trace checker all read.
 *
 * The first line is the header. Then each step has one line, and so does each event of the network itself. Every line has a vector clock.
 * The machine does not affect the content: same seed, same bytes.
 */
import type { Message, NodeId } from '../machines/effects.js';
import type { Flight, Link, NodeView, Overlay, Property, PropertyResult, RoleView, Step } from '../machines/protocol.js';
import type { Verdict } from './report.js';
import type { Choice, StartState } from './world/choice.js';
import type { Selected } from './world/selections.js';

/** The version of the format, in the first line of every trace. */
export const TRACE_VERSION = 1;

export interface TraceHeader {
  readonly quiver: typeof TRACE_VERSION;
  readonly protocol: string;
  /** The scenario as given: running it again with these choices returns the same trace. */
  readonly scenario: unknown;
  readonly seed: number;
  readonly nodes: readonly NodeId[];
  readonly links: readonly Link[];
  /** Each chart's config as JSON, functions by name: enough to draw it. */
  readonly charts: Readonly<Record<string, unknown>>;
  /** The properties that the run is checked against. */
  readonly properties: readonly Pick<Property, 'name' | 'kind' | 'description'>[];
  /** For generated paths: how often each part of each chart was covered, counted by `Coverage` of the tests. */
  readonly coverage?: Readonly<Record<string, Readonly<Record<string, number>>>>;
  /** True while live nodes still write the trace. */
  readonly live?: true;
  /** Options of live nodes that differ from those of the scenario, such as a number from a node's clock. */
  readonly ownOptions?: Readonly<Record<NodeId, Readonly<Record<string, unknown>>>>;
  /** Start of a live trace: its time 0, in milliseconds since the epoch. */
  readonly began?: number;
  /** For a counterexample: the choices of the checker instead of time. */
  readonly choices?: readonly Choice[];
  /** The violated property. A run of choices ends with its last choice, so it cannot show that something never happens. */
  readonly refutes?: Refuted;
  /** Initial state of such a run, if the nodes did not start by themselves. */
  readonly start?: StartState;
}

/** A violated property in a trace, with the place of the violation. */
export interface Refuted {
  readonly property: string;
  /** Nodes that violate it, for a property of single nodes. */
  readonly nodes?: readonly NodeId[];
  /** For a promise on endless runs: index of the choice at which the loop begins; the number of choices if the run rests forever. */
  readonly loop?: number;
}

export interface StepLine extends Omit<Step, 'sent'>, Partial<Selected> {
  /** The sender of a command, where one is known: `inspector` for a viewer of the page. */
  readonly by?: string;
  /** The role that received the event first. */
  readonly role?: string | undefined;
  /** The node at the other end of a link that live nodes know by port. */
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
  /** The kind of a cluster actor. */
  readonly group?: string;
  /** Charts that are missing in the header: those of an actor that started while the trace was written. */
  readonly charts?: Readonly<Record<string, unknown>>;
  /** The number of known steps of each node, including this one. Nodes without known steps are omitted. */
  readonly clock: Readonly<Record<NodeId, number>>;
}

/** A line about the network instead of a node: a lost message, a changed channel, or a partition. */
export interface NetworkLine {
  readonly index: number;
  readonly at: number;
  /**
   * `placed`: a message without a sender, put in flight by a corruption or a given start. `skipped`: live programs were faster
   * than the recorder; the lines after it contain the current state. `endless`: from here the run of a counterexample loops or
   * rests forever. `verdict`: the result of each property at the end of the run.
   */
  readonly kind: 'lost' | 'duplicated' | 'placed' | 'refused' | 'channel' | 'violated' | 'skipped' | 'endless' | 'verdict';
  /** Sender and receiver of the message, or the ends of the channel. */
  readonly between?: readonly [NodeId, NodeId];
  readonly message?: number | undefined;
  readonly up?: boolean;
  readonly why?: string;
  /** For `skipped`: the problem with a line that could be read but not displayed. */
  readonly unshown?: string;
  readonly event?: Message;
  /** The violated property and its nodes. */
  readonly refutes?: Refuted;
  readonly verdict?: Verdict;
  readonly properties?: readonly PropertyResult[];
  readonly clock: Readonly<Record<NodeId, number>>;
}

/**
 * A line of a trace after its header: a step of a node, or an event of the network.
 *
 * @public
 */
export type TraceLine = StepLine | NetworkLine;

export const isStep = (line: TraceLine): line is StepLine => 'node' in line;

/** The roles of a node after a step that changed some and closed others. */
export function viewAfter(view: NodeView, roles: StepLine['roles']): NodeView {
  const all = Object.entries({ ...view, ...roles });
  return Object.fromEntries(all.flatMap(([name, role]) => (role === null ? [] : [[name, role]])));
}
