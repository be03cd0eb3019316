/**
 * The contract that every protocol fills in, and the only thing the rest of Quiver knows of one.
 *
 * A protocol is more than its charts. Its *core* is what ships: charts, what the network must give, what a node starts with, messages
 * and commands. Its *checks* say what is promised and where to look for a violation: named properties, corrupt states, samples, small
 * systems. Its *view* is what people see of a run: an account and marks on a picture. `define.ts` completes and validates a
 * description; simulation, checking, walking, the inspector and the command read the completed record alone, and an application the
 * core of it.
 */
import type { AnyStateMachine, StateValue } from 'xstate';
import type { Address, Message, NodeId } from './effects.js';
import type { Folded } from './folded.js';
import type { MessageShapes } from './shapes.js';
import type { Stored } from './storage.js';

/** An undirected link and its weight (a length or a cost, at least 0). */
export type Link = readonly [NodeId, NodeId, number];

export interface Topology {
  /** The order matters where a paper orders identities. */
  readonly nodes: readonly NodeId[];
  readonly links: readonly Link[];
}

/**
 * The network as a weighted graph: the topology at the start of a run, with its metric and its order of nodes.
 *
 * @public
 */
export interface NetworkGraph {
  readonly topology: Topology;
  /** Length of the shortest path, `Infinity` when there is none. */
  distance(u: NodeId, v: NodeId): number;
  /** The index of a node in the topology's list, -1 for a stranger. */
  rank(node: NodeId): number;
  /** The most ticks that a message over a link and the answer to it take together, `Infinity` for no bound; absent where time is left out. */
  readonly roundTrip?: number;
}

/**
 * An instance of the problem, fixed for one run: the network's graph and the protocol's checked options.
 *
 * @public
 */
export interface Instance<O = unknown> extends NetworkGraph {
  readonly options: O;
}

/**
 * One role (a chart instance) of a node, as seen between two steps.
 *
 * @public
 */
export interface RoleView<C = any> {
  readonly chart: string;
  readonly value: StateValue;
  readonly context: C;
}

/**
 * The roles of a node by name, as seen between two steps.
 *
 * @public
 */
export type NodeView = Readonly<Record<string, RoleView>>;

/**
 * A message on its way, one of `M`. `id` numbers messages in the order of sending; `cost` is the length of the path it travels.
 *
 * @public
 */
export interface Flight<M extends Message = Message> {
  readonly id: number;
  readonly from: NodeId;
  readonly to: NodeId;
  readonly message: M;
  readonly cost: number;
}

/** A link with the port that it takes at each end. */
export type PortedLink = readonly [u: NodeId, portOfU: number, v: NodeId, portOfV: number];

/** The links as they stand: each direction has its own status. */
export interface LinksView {
  up(from: NodeId, to: NodeId): boolean;
  neighbors(node: NodeId): readonly NodeId[];
  /** The port of `node` that leads to `peer`; 0 where ports are not used. */
  port(node: NodeId, peer: NodeId): number;
}

/** How one direction of a link stands; the port is the sender's, 0 where ports are not used. */
export interface ChannelState {
  readonly from: NodeId;
  readonly to: NodeId;
  readonly up: boolean;
  readonly port: number;
}

/** The nodes that moved, how the channels stand that changed, and the messages that came and went, in order. */
export interface Changes {
  readonly nodes: readonly NodeId[];
  readonly channels: readonly ChannelState[];
  readonly flights: readonly (readonly [flight: Flight, by: 1 | -1])[];
}

/**
 * A global state between two steps, as properties see it.
 *
 * @public
 */
export interface Configuration<O = unknown> {
  readonly instance: Instance<O>;
  readonly nodes: ReadonlyMap<NodeId, NodeView>;
  readonly flights: readonly Flight[];
  /** What is in flight from one node to another, oldest first; a network has it at hand. */
  between?(from: NodeId, to: NodeId): readonly Flight[];
  /** Tells whenever it is asked what has changed since then, the first time everything; a network has it at hand. */
  follow?(): () => Changes;
  readonly links: LinksView;
  /** Nodes that have crashed and not come back. */
  readonly crashed?: readonly NodeId[];
  /** Nodes that have crashed at some time, those included that have come back: what was lost meanwhile stays lost. */
  readonly everCrashed?: readonly NodeId[];
}

/**
 * What a protocol promises, as a predicate over configurations that the monitor of a run and the checker share. `always`: in every
 * state; `sometimes`: in some state of some run; `eventually`, `closed` and `converges`: as their members say.
 *
 * @public
 */
export type Property<O = unknown> = {
  readonly name: string;
  /** One sentence for people, with the source. */
  readonly description: string;
} & (
  | {
      readonly kind: 'always' | 'sometimes';
      holds(c: Configuration<O>): boolean;
      /** The same judgment from what nodes and messages add up to: it costs what changes, and not what there is. */
      readonly folded?: Folded<O>;
      /** Where every node can be judged by itself, its links and neighbors: whether a step of this node has left it true. */
      holdsAround?(c: Configuration<O>, node: NodeId): boolean;
    }
  /** For each node: whenever `when` holds, `holds` follows, on every fair run. */
  | {
      readonly kind: 'eventually';
      when(c: Configuration<O>, node: NodeId): boolean;
      holds(c: Configuration<O>, node: NodeId): boolean;
      /** The same two answers, where both follow from the state of the node alone. */
      ofNode?(view: NodeView): { readonly when: boolean; readonly holds: boolean };
    }
  /** Once true, true forever, faults apart. */
  | { readonly kind: 'closed'; holds(c: Configuration<O>): boolean; readonly folded?: Folded<O> }
  /** From any state, at most `within` ticks after the last fault, true for good. */
  | {
      readonly kind: 'converges';
      holds(c: Configuration<O>): boolean;
      readonly folded?: Folded<O>;
      readonly within: number;
    }
);

export interface PropertyResult {
  readonly name: string;
  readonly kind: Property['kind'];
  /** `null`: this run could not tell. */
  readonly holds: boolean | null;
}

/** What was measured, held against the paper's bound; `ratio` is measured / bound. */
export interface Meter {
  readonly name: string;
  readonly measured: number;
  readonly bound: number | null;
  readonly ratio: number | null;
}

/**
 * One atomic step of one node, with all that came of it; what the application hears is one of `N`.
 *
 * @public
 */
export interface Step<N extends Message = Message> {
  readonly index: number;
  readonly at: number;
  /** In the trace of a rehearsal alone: a `fault` of the node's process, and in a `note` what its program did. */
  readonly kind:
    | 'start'
    | 'deliver'
    | 'timer'
    | 'command'
    | 'link'
    | 'corrupt'
    | 'crash'
    | 'restart'
    | 'reload'
    | 'fault'
    | 'note';
  readonly node: NodeId;
  /** The event as the chart received it; for faults, a description of what was done. */
  readonly event: Message & Readonly<Record<string, any>>;
  /** The delivered message, when `kind` is `deliver`, and the role that took the event first. */
  readonly message?: number | undefined;
  readonly role?: string | undefined;
  readonly sent: readonly Flight[];
  readonly emitted: readonly N[];
}

/**
 * Follows one run and accounts for it: summary, meters, and properties that need history. A run that goes on from the middle takes a copy
 * of its fields, so what it counts belongs into ordinary ones, not private names (`#count`); one that keeps functions is made from its start.
 *
 * @public
 */
export interface Observer {
  record(step: Step, c: Configuration): void;
  /** Something went wrong that no node takes a step for: a message was lost or doubled, or (`null`) messages are held up. */
  disturbed?(at: number, flight: Flight | null): void;
  summary(c: Configuration): Readonly<Record<string, unknown>>;
  meters(c: Configuration): readonly Meter[];
  properties?(): readonly PropertyResult[];
}

/** What a scenario's `do` means for a node. */
export interface Command {
  /** Further fields that the scenario event carries. */
  readonly fields?: readonly {
    readonly name: string;
    readonly type: 'integer' | 'node';
    /** The least integer. */
    readonly min?: number;
    readonly optional?: boolean;
  }[];
  event(fields: Readonly<Record<string, any>>): Message;
  /** While the chart has no transition for it, the command waits its turn at its node; otherwise it is refused. */
  readonly waits: boolean;
  /**
   * The notifications that say it is done: the next one of a sequential workload is issued then. A notification speaks for the node
   * that gives it, or for the one that it names as its `requester`.
   */
  readonly completedBy: readonly string[];
  /** Why the command means nothing under these options, or with these fields, and the cure; `null` when it means something. */
  refusal?(options: any, fields: Readonly<Record<string, any>>): string | null;
}

/** A command as a description says it. Unless told, its event is of the command's name and carries its fields, and it does not wait. */
export type CommandDescription = Partial<Command>;

/** The simplest application: it answers the notification `on` with `event`, `after` ticks later. */
export interface Reaction {
  readonly on: string;
  readonly event: Message;
  readonly after: number;
}

export interface RoleStart {
  readonly role: string;
  readonly chart: string;
  readonly input: unknown;
}

/** How the roles of a node hang together, where a protocol is made of others. All functions look at the role's name alone. */
export interface Wiring {
  /** The role that hears what this one announces, as an event with the announcing role in `by`; the application hears it as well. */
  listener?(role: string): string | undefined;
  /** What every message of this role carries, so that `route` finds the role of the same name where it arrives. */
  label?(role: string): Readonly<Record<string, unknown>> | undefined;
  /** The role that takes what this one sends, instead of the network: for each send the event `outgoing {to, message, by}`. */
  carrier?(role: string): string | undefined;
  /** True if what this role announces is for its listener alone; the application does not hear it. */
  isInner?(role: string): boolean;
  /**
   * The part of a composition that a role belongs to, as the prefix of its names, such as `tree.`; empty for a role of no part. What the
   * role sends, announces, tells and opens gets the prefix, and what it receives loses it.
   */
  part?(role: string): string;
  /** All roles that take an event from outside, where one event concerns several parts, such as `link.up`. */
  takers?(event: OutsideEvent, node: { has(role: string): boolean }): readonly string[];
  /** The role that keeps the commands which notices of one part issue to another. */
  readonly stack?: {
    readonly role: string;
    /** The commands that a notice issues at a node: each goes to the role as `issue {command}`. */
    issued(notice: Message, node: NodeId): readonly Message[];
    /** What the role does next within a step, by whether charts accept its commands: an event for it, and the command that is taken with it. */
    next(role: RoleView, accepts: (command: Message) => boolean): { readonly event: Message; readonly command?: Message } | null;
  };
}

/** A uniform integer below `bound`: drawn from the seed by the simulator, branched on by the checker. */
export type Choose = (bound: number) => number;

export interface NodeState {
  readonly roles: NodeView;
  /** Armed timers and the ticks left. */
  readonly timers: readonly { readonly role: string; readonly timer: string; readonly delay: number }[];
}

/** Typed arbitrary states: of protocols that promise to recover from them, and of others, to show what becomes of them. */
export interface Corruption<O = unknown> {
  /** False for a protocol that promises nothing after them: the swarm leaves them out. True unless told. */
  readonly isSurvived?: boolean;
  node(node: NodeId, instance: Instance<O>, choose: Choose): NodeState;
  /** Replaces what is in flight from one node to a neighbor, oldest first. */
  channel(from: NodeId, to: NodeId, instance: Instance<O>, choose: Choose): readonly Message[];
}

/** Samples that path generation feeds to one chart. */
export interface ChartSamples {
  readonly input: unknown;
  /** Events worth trying in a state; types without a sample are not fired. */
  events(context: any): readonly Message[];
}

/** A small system: a scenario without `protocol`, whose events may come in any order, those of one node or link in theirs. */
export interface SystemSample {
  readonly topology: Readonly<Record<string, unknown>>;
  readonly options?: Readonly<Record<string, unknown>>;
  readonly network?: Readonly<Record<string, unknown>>;
  readonly events: readonly Readonly<Record<string, unknown>>[];
  /** The property that a rule as printed is known to violate here. */
  readonly violates?: string;
}

/** The times that states and messages hold, each replaced by what `replace` gives; only times of one kind are ever compared. */
export interface Times {
  /** How many kinds there are; they are numbered from 0. */
  readonly kinds: number;
  node(view: NodeView, replace: (time: number, kind: number) => number): NodeView;
  message(message: Message, replace: (time: number, kind: number) => number): Message;
}

/** A node's marks on the inspector's picture of the network. */
export interface Overlay {
  readonly pointers?: readonly { readonly to: NodeId; readonly kind?: string }[];
  /** A word or symbol on the node. */
  readonly badge?: string;
  readonly tone?: 'plain' | 'waiting' | 'active' | 'held' | 'wrong';
  /** Nodes of the same word stand on the same ground: those that follow one leader, or that one search has reached. */
  readonly group?: string;
  /** How full what the node keeps is. */
  readonly gauges?: readonly { readonly name: string; readonly value: number; readonly of: number }[];
  /** A label on the link to a neighbor, `wrong` when the link is in an illegal state. */
  readonly edges?: readonly { readonly to: NodeId; readonly label: string; readonly wrong?: boolean }[];
}

/** What a protocol assumes of the network under it. */
export interface NetworkNeeds {
  /** `routed`: any node reaches any other over the shortest path. `links`: neighbors only, and links speak. */
  readonly reach: 'routed' | 'links';
  /** `ports`: nodes are anonymous; addresses are port numbers and `from` is the receiving port. `names` by default. */
  readonly addressing: 'names' | 'ports';
  /** The weakest order of channels under which the paper's promises hold. @defaultValue `unordered` */
  readonly order: 'fifo' | 'unordered';
  /** True if events carry the time `at`; not unless told. */
  readonly time: boolean;
  /** True if the promises hold on channels that lose and double messages; no paper of ours says so of its protocol. */
  readonly isLossy?: boolean;
  /** True if messages are routed and links must not fail all the same: a composition with a part that works on links. */
  readonly keepsLinks?: boolean;
  /** True if nodes that the topology does not list may take part: an application's node then hears everybody. */
  readonly isOpen?: boolean;
}

/** An event from outside: a message, a command, word of a link, or what came of an effect. */
export type OutsideEvent = Message & { readonly from?: Address; readonly peer?: Address };

/** The part of a core that has nothing to complete. */
interface CommonCore<O> {
  readonly name: string;
  /** Every chart that a role of this protocol may run. */
  readonly charts: Readonly<Record<string, AnyStateMachine>>;
  /** The ports of the links at the start, where nodes are anonymous. */
  ports?(options: O): readonly PortedLink[];
  /** The answers to the first draws of some nodes, where a scenario fixes them; later ones come from the seed. */
  draws?(options: O): Readonly<Record<NodeId, readonly number[]>>;
  readonly wiring?: Wiring;
  /** The types of the notices that its charts emit, which a stack can use; unless given, those that complete a command. */
  readonly notices?: readonly string[];
  /** The fields of each type of message, each with its check; a message with other fields, or of another type, is malformed. */
  readonly messages?: MessageShapes;
  /** The node that a notification brings in: where it is not there yet, the network opens it, linked to the node that announced it. */
  newcomer?(notification: Message): NodeId | undefined;
}

/**
 * The core of a protocol, completed: all that an application carries of it.
 *
 * @public
 */
export interface Core<O = any> extends CommonCore<O> {
  readonly network: NetworkNeeds;
  /** Checks and completes a scenario's options; throws a `UsageError` that names thing, place and cure. */
  options(raw: Readonly<Record<string, unknown>>, graph: NetworkGraph): O;
  /** The roles that a node starts with. */
  roles(node: NodeId, instance: Instance<O>): readonly RoleStart[];
  /**
   * The roles of a node that starts again, linked to nobody, with what it had stored; its role `storage` is there already. Protocols
   * without it cannot be told to reload.
   */
  reload?(node: NodeId, instance: Instance<O>, stored: Stored): readonly RoleStart[];
  /** The role that takes an event from outside first; an event for a role that is not open is dropped. */
  route(event: OutsideEvent, node: { has(role: string): boolean }): string;
  /** True if a message from the network has the shape that its type demands; a malformed one changes nothing. */
  accepts(message: unknown, instance: Instance<O>): boolean;
  readonly commands: Readonly<Record<string, Command>>;
  /** What the simplest application answers to notifications. */
  reactions(options: O): readonly Reaction[];
}

/** The core of a protocol, as its author says it. */
export interface CoreDescription<O = any> extends CommonCore<O> {
  readonly network: Pick<NetworkNeeds, 'reach'> & Partial<NetworkNeeds>;
  /** What the commands of a scenario or an application mean; none unless told. */
  readonly commands?: Readonly<Record<string, CommandDescription>>;
  /** With one chart: the input of the one role that each node runs. */
  input?(node: NodeId, instance: Instance<O>): unknown;
  /** With several charts, or several roles of one: the roles that a node starts with. */
  roles?(node: NodeId, instance: Instance<O>): readonly RoleStart[];
  /** The roles of a node that starts again, linked to nobody, with what it had stored. */
  reload?(node: NodeId, instance: Instance<O>, stored: Stored): readonly RoleStart[];
  /** Where `roles` is given: the role that takes an event from outside first. */
  route?(event: OutsideEvent, node: { has(role: string): boolean }): string;
  /** Checks and completes a scenario's options; unless told there are none. */
  options?(raw: Readonly<Record<string, unknown>>, graph: NetworkGraph): O;
  /** Instead of `messages`, where their shapes do not say it all. */
  accepts?(message: unknown, instance: Instance<O>): boolean;
  reactions?(options: O): readonly Reaction[];
}

/**
 * What a protocol promises, and where to look for a violation. Everything in it may be left out.
 *
 * @public
 */
export interface Checks<O = any> {
  /** Unless told, that nobody waits forever for a message: `nobodyIsStuck`. */
  properties?(instance: Instance<O>): readonly Property<O>[];
  /** What any state at all may be. */
  readonly corruption?: Corruption<O>;
  /** For a protocol that never falls silent: whether a run that waits for rest may end here. */
  atRest?(c: Configuration<O>): boolean;
  /**
   * True if an armed timer may be due, where the paper bounds delays against it: the checker, which has no time, asks before it fires
   * one. Without it any armed timer may be next.
   */
  mayFire?(c: Configuration<O>, node: NodeId, role: string, timer: string): boolean;
  /** Where a count may grow forever: of the states of a node from which the same follows, the one that the checker goes on from. */
  canonical?(view: NodeView): NodeView;
  /** Where events carry the time and charts keep it: of two times the checker then knows only which is the later one. */
  times?(options: O): Times | null;
  /** What path generation feeds each chart. */
  readonly samples?: Readonly<Record<string, readonly ChartSamples[]>>;
  /** Small systems worth walking, checking and shaking; unless there are some, a few topologies with every command at every node. */
  readonly systems?: readonly SystemSample[];
}

/**
 * What people see of a run. Everything in it may be left out.
 *
 * @public
 */
export interface View<O = any> {
  /** The paper, as one would cite it. */
  readonly paper?: string;
  /** The account of a run; unless told, the state in which each node is. */
  observe?(instance: Instance<O>): Observer;
  /** A node's marks; the links say who is behind a port, the configuration what is on an edge. Unless told, its state. */
  overlay?(node: NodeView, id: NodeId, links: LinksView, c: Configuration): Overlay;
}

/**
 * A protocol, completed: core, checks and view in one flat record.
 *
 * @public
 */
export type Protocol<O = any> = Core<O> &
  Checks<O> &
  View<O> &
  Required<Pick<Checks<O>, 'properties' | 'samples'>> &
  Required<Pick<View<O>, 'paper' | 'observe'>>;
