/**
 * The contract of a protocol: everything that the rest of Quiver knows about one.
 *
 * A protocol has three parts. Its *core* is what an application loads: charts, requirements on the network, initial roles, messages and
 * commands. Its *checks* contain named properties and the inputs that search for violations: corrupt states, samples, small systems. Its
 * *view* presents a run: an account and marks on a picture. `define.ts` completes and validates a description. Simulator, checker,
 * generated tests, inspector and command line read only the completed record; an application reads only its core.
 */
import type { AnyStateMachine, StateValue } from 'xstate';
import type { Address, Message, NodeId } from './effects.js';
import type { Folded } from './folded.js';
import type { MessageShapes } from './shapes.js';
import type { Stored } from './storage.js';

/** An undirected link and its weight (a length or a cost, at least 0). */
export type Link = readonly [NodeId, NodeId, number];

export interface Topology {
  /** All nodes. The order matters for protocols that order identities. */
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
  /** Length of the shortest path, or `Infinity` if there is none. */
  distance(u: NodeId, v: NodeId): number;
  /** Index of a node in the topology's list, or -1 if the topology does not list it. */
  rank(node: NodeId): number;
  /** Upper bound, in ticks, on the time of a message over a link plus its reply. `Infinity`: no bound. Absent if time is not modeled. */
  readonly roundTrip?: number;
}

/**
 * A problem instance, fixed for one run: the network graph and the checked options of the protocol.
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
 * A message of type `M` in flight. `id` numbers messages in the order of sending; `cost` is the length of the path that it travels.
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

/** A link with its port number at each end. */
export type PortedLink = readonly [u: NodeId, portOfU: number, v: NodeId, portOfV: number];

/** The links that exist now. Each direction is up or down separately. */
export interface LinksView {
  up(from: NodeId, to: NodeId): boolean;
  neighbors(node: NodeId): readonly NodeId[];
  /** The port of `node` that leads to `peer`; 0 if the network has no ports. */
  port(node: NodeId, peer: NodeId): number;
}

/** The status of one direction of a link. The port is the sender's, 0 if the network has no ports. */
export interface ChannelState {
  readonly from: NodeId;
  readonly to: NodeId;
  readonly up: boolean;
  readonly port: number;
}

/**
 * A difference between two configurations: nodes that changed, channels whose status changed, and messages sent (1) or removed (-1), in
 * order.
 */
export interface Changes {
  readonly nodes: readonly NodeId[];
  readonly channels: readonly ChannelState[];
  readonly flights: readonly (readonly [flight: Flight, by: 1 | -1])[];
}

/**
 * A global state between two steps, as the argument of properties.
 *
 * @public
 */
export interface Configuration<O = unknown> {
  readonly instance: Instance<O>;
  readonly nodes: ReadonlyMap<NodeId, NodeView>;
  readonly flights: readonly Flight[];
  /** Messages in flight from one node to another, oldest first. A shortcut over `flights`, present if the network indexes them. */
  between?(from: NodeId, to: NodeId): readonly Flight[];
  /**
   * Starts to follow the configuration. Each call of the result returns the changes since the call before; the first one returns
   * everything.
   */
  follow?(): () => Changes;
  readonly links: LinksView;
  /** Nodes that are down after a crash. */
  readonly crashed?: readonly NodeId[];
  /** Nodes that have crashed at least once, including those that have restarted. */
  readonly everCrashed?: readonly NodeId[];
}

/**
 * A property: a predicate over configurations, shared by the monitor of a run and the checker. It depends only on what it reads of the
 * configuration, because a search calls it once for each combination of these. `always`: holds in every state; `sometimes`:
 * in some state of some run; `eventually`, `closed`, `converges`: see the members.
 *
 * @public
 */
export type Property<O = unknown> = {
  readonly name: string;
  /** One sentence for readers of a report, with its source in the paper. */
  readonly description: string;
} & (
  | {
      readonly kind: 'always' | 'sometimes';
      holds(c: Configuration<O>): boolean;
      /** The same predicate over incremental totals. Its cost depends on the changes of a step, not on the size of the network. */
      readonly folded?: Folded<O>;
      /** The same predicate for one node, its links and neighbors: returns `false` if a step of this node violates the property. */
      holdsAround?(c: Configuration<O>, node: NodeId): boolean;
    }
  /** For each node, on every fair run: each time `when` holds, `holds` follows. */
  | {
      readonly kind: 'eventually';
      when(c: Configuration<O>, node: NodeId): boolean;
      holds(c: Configuration<O>, node: NodeId): boolean;
    }
  /** Once true, stays true until a fault. */
  | { readonly kind: 'closed'; holds(c: Configuration<O>): boolean; readonly folded?: Folded<O> }
  /** From any state, holds at most `within` ticks after the last fault, and from then on. */
  | { readonly kind: 'converges'; holds(c: Configuration<O>): boolean; readonly folded?: Folded<O>; readonly within: number }
);

export interface PropertyResult {
  readonly name: string;
  readonly kind: Property['kind'];
  /** Verdict; `null` if this run could not decide it. */
  readonly holds: boolean | null;
}

/** A measured quantity and the paper's bound on it. `ratio` is measured / bound. */
export interface Meter {
  readonly name: string;
  readonly measured: number;
  readonly bound: number | null;
  readonly ratio: number | null;
}

/**
 * One atomic step of one node, with all its effects. The notifications in `emitted` are of type `N`.
 *
 * @public
 */
export interface Step<N extends Message = Message> {
  readonly index: number;
  readonly at: number;
  /** Cause of the step. Only traces of rehearsals contain `fault` (a fault of the node's process) and `note` (a report of its program). */
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
  /** The event as the chart received it. For faults: a description of the fault. */
  readonly event: Message & Readonly<Record<string, any>>;
  /** Number of the delivered message, if `kind` is `deliver`, and the role that received the event first. */
  readonly message?: number | undefined;
  readonly role?: string | undefined;
  readonly sent: readonly Flight[];
  readonly emitted: readonly N[];
}

/**
 * Follows one run and returns its summary, its meters, and the results of properties that need history.
 *
 * A run that continues from a copied state copies the fields of its observer. Keep counts in ordinary fields, not in private names
 * (`#count`). A run whose observer contains functions is replayed from its start instead.
 *
 * @public
 */
export interface Observer {
  record(step: Step, c: Configuration): void;
  /** Records a disturbance outside of any step: a message was lost or duplicated, or messages are delayed (`null`). */
  disturbed?(at: number, flight: Flight | null): void;
  summary(c: Configuration): Readonly<Record<string, unknown>>;
  meters(c: Configuration): readonly Meter[];
  properties?(): readonly PropertyResult[];
}

/** A command of a scenario (`do`) or an application: its fields, and the event that it becomes. */
export interface Command {
  /** Additional fields of the command. */
  readonly fields?: readonly {
    readonly name: string;
    readonly type: 'integer' | 'node';
    /** Minimum of an integer. */
    readonly min?: number;
    readonly optional?: boolean;
  }[];
  event(fields: Readonly<Record<string, unknown>>): Message;
  /** True if the command waits in a queue at its node while the chart has no transition for it. Otherwise it is rejected. */
  readonly waits: boolean;
  /**
   * Types of the notifications that complete the command. A sequential workload then issues the next one. A notification completes the
   * command of the node that emits it, or of the node in its `requester` field.
   */
  readonly completedBy: readonly string[];
  /** Reason why the command has no meaning under these options or with these fields, and how to fix it; `null` if it is valid. */
  refusal?(options: unknown, fields: Readonly<Record<string, unknown>>): string | null;
}

/** A command as a protocol description defines it. By default, its event has the name and fields of the command, and it does not wait. */
export type CommandDescription = Partial<Command>;

/** Reaction of the simplest application: it replies to the notification `on` with `event`, `after` ticks later. */
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

/** Connections between the roles of a node, for protocols composed of others. All functions depend only on the role's name. */
export interface Wiring {
  /**
   * The role that receives the notifications of this role as events, with the emitting role in `by`. The application also receives them.
   */
  listener?(role: string): string | undefined;
  /** Fields added to every message of this role, so that `route` finds the role of the same name at the receiver. */
  label?(role: string): Readonly<Record<string, unknown>> | undefined;
  /** The role that receives the messages of this role instead of the network: for each send the event `outgoing {to, message, by}`. */
  carrier?(role: string): string | undefined;
  /** True if only the listener receives the notifications of this role, and not the application. @defaultValue `false` */
  isInner?(role: string): boolean;
  /**
   * Prefix of the part that a role belongs to, such as `tree.`; empty for a role outside of all parts. Messages, notifications and roles
   * that the role sends or opens get the prefix. Its received events lose it.
   */
  part?(role: string): string;
  /** All roles that receive an event from outside, for events that concern several parts, such as `link.up`. */
  takers?(event: OutsideEvent, node: { has(role: string): boolean }): readonly string[];
  /** The role that queues commands. Notifications of one part issue them to another part. */
  readonly stack?: {
    readonly role: string;
    /** Commands that a notification issues at a node. The role receives each one as `issue {command}`. */
    issued(notice: Message, node: NodeId): readonly Message[];
    /**
     * Next event of the role within a step, and the command that is taken with it; `null` if none. `accepts` tests whether a chart takes a
     * command.
     */
    next(role: RoleView, accepts: (command: Message) => boolean): { readonly event: Message; readonly command?: Message } | null;
  };
}

/** Returns an integer from 0 to `bound` - 1. The simulator draws it from the seed; the checker tries every value. */
export type Choose = (bound: number) => number;

export interface NodeState {
  readonly roles: NodeView;
  /** Armed timers and the ticks until they expire. */
  readonly timers: readonly { readonly role: string; readonly timer: string; readonly delay: number }[];
}

/** Arbitrary but well-typed states, for fault injection. They test recovery, or show how a protocol without recovery behaves. */
export interface Corruption<O = unknown> {
  /** False if the protocol makes no promise after a corruption; the swarm then injects none. @defaultValue `true` */
  readonly isSurvived?: boolean;
  node(node: NodeId, instance: Instance<O>, choose: Choose): NodeState;
  /** New messages in flight from one node to a neighbor, oldest first. */
  channel(from: NodeId, to: NodeId, instance: Instance<O>, choose: Choose): readonly Message[];
}

/** An input and events for one chart, from which its tests generate paths. */
export interface ChartSamples {
  readonly input: unknown;
  /** Events to try in a state. Types without a sample are not sent. */
  events(context: unknown): readonly Message[];
}

/** A small system: a scenario without `protocol`. Its events may come in any order, but those of one node or link keep their order. */
export interface SystemSample {
  readonly topology: Readonly<Record<string, unknown>>;
  readonly options?: Readonly<Record<string, unknown>>;
  readonly network?: Readonly<Record<string, unknown>>;
  readonly events: readonly Readonly<Record<string, unknown>>[];
  /** Property that a rule as printed in the paper violates here. */
  readonly violates?: string;
}

/** Times in states and messages. `replace` maps each of them; only times of the same kind are compared. */
export interface Times {
  /** Number of kinds, numbered from 0. */
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
  /** Name of a group. Nodes of the same group have the same background, such as the followers of one leader. */
  readonly group?: string;
  /** Fill levels of stores of the node. */
  readonly gauges?: readonly { readonly name: string; readonly value: number; readonly of: number }[];
  /** Label on the link to a neighbor; `wrong` if the link is in an illegal state. */
  readonly edges?: readonly { readonly to: NodeId; readonly label: string; readonly wrong?: boolean }[];
}

/** Requirements of a protocol on its network. */
export interface NetworkNeeds {
  /** `routed`: any node reaches any other over the shortest path. `links`: nodes reach only neighbors, and links notify both ends. */
  readonly reach: 'routed' | 'links';
  /** `ports`: nodes are anonymous. Addresses are port numbers, and `from` is the receiving port. @defaultValue `names` */
  readonly addressing: 'names' | 'ports';
  /** Weakest order of channels under which the paper's promises hold. @defaultValue `unordered` */
  readonly order: 'fifo' | 'unordered';
  /** True if events carry the time in the field `at`. @defaultValue `false` */
  readonly time: boolean;
  /** True if the promises hold on channels that lose and duplicate messages, which none of the five papers claims. @defaultValue `false` */
  readonly isLossy?: boolean;
  /** True if messages are routed and links must not fail: a composition with a part that works on links. @defaultValue `false` */
  readonly keepsLinks?: boolean;
  /** True if nodes outside of the topology may participate: a node then accepts messages from every peer. @defaultValue `false` */
  readonly isOpen?: boolean;
}

/** An event from outside: a message, a command, a link event, or the result of an effect. */
export type OutsideEvent = Message & { readonly from?: Address; readonly peer?: Address };

/** Members of a core that have no defaults. */
interface CommonCore<O> {
  readonly name: string;
  /** Every chart that a role of this protocol may run. */
  readonly charts: Readonly<Record<string, AnyStateMachine>>;
  /** Ports of the initial links, if nodes are anonymous. */
  ports?(options: O): readonly PortedLink[];
  /** Results of the first draws of some nodes, if a scenario fixes them. Later ones come from the seed. */
  draws?(options: O): Readonly<Record<NodeId, readonly number[]>>;
  readonly wiring?: Wiring;
  /** Types of the notifications that its charts emit and a stack may use. @defaultValue those that complete a command */
  readonly notices?: readonly string[];
  /** Fields of each type of message, each with its check. A message of another type or with other fields is malformed. */
  readonly messages?: MessageShapes;
  /**
   * Node that a notification adds to the network. If it does not exist, the network opens it, with a link to the node that emitted the
   * notification.
   */
  newcomer?(notification: Message): NodeId | undefined;
}

/**
 * The completed core of a protocol: all that an application needs of it.
 *
 * @public
 */
export interface Core<O = unknown, N extends string = string> extends CommonCore<O> {
  readonly network: NetworkNeeds;
  /**
   * Checks and completes the options of a scenario.
   *
   * @throws UsageError that names the option, its place and the fix.
   */
  options(raw: Readonly<Record<string, unknown>>, graph: NetworkGraph): O;
  /** Initial roles of a node. */
  roles(node: NodeId, instance: Instance<O>): readonly RoleStart[];
  /**
   * Roles of a node that restarts without links, with its stored data. Its role `storage` exists already. Protocols without this member do
   * not support `reload`.
   */
  reload?(node: NodeId, instance: Instance<O>, stored: Stored): readonly RoleStart[];
  /** The role that receives an event from outside first. An event for a role that is not open is dropped. */
  route(event: OutsideEvent, node: { has(role: string): boolean }): string;
  /** True if a message from the network has the fields that its type requires. A malformed message has no effect. */
  accepts(message: unknown, instance: Instance<O>): boolean;
  readonly commands: Readonly<Record<N, Command>>;
  /** Reactions of the simplest application to notifications. */
  reactions(options: O): readonly Reaction[];
}

/** The core of a protocol as its author describes it, before defaults. */
export interface CoreDescription<O = unknown, N extends string = string> extends CommonCore<O> {
  readonly network: Pick<NetworkNeeds, 'reach'> & Partial<NetworkNeeds>;
  /** Commands of a scenario or an application. @defaultValue none */
  readonly commands?: Readonly<Record<N, CommandDescription>>;
  /** Input of the only role of each node, for protocols with one chart. */
  input?(node: NodeId, instance: Instance<O>): unknown;
  /** Initial roles of a node, for protocols with several charts or several roles of one chart. */
  roles?(node: NodeId, instance: Instance<O>): readonly RoleStart[];
  /** Roles of a node that restarts without links, with its stored data. */
  reload?(node: NodeId, instance: Instance<O>, stored: Stored): readonly RoleStart[];
  /** The role that receives an event from outside first. Required with `roles`. */
  route?(event: OutsideEvent, node: { has(role: string): boolean }): string;
  /** Checks the options of a scenario and adds defaults. @defaultValue no options */
  options?(raw: Readonly<Record<string, unknown>>, graph: NetworkGraph): O;
  /** Check of a message. Use it instead of `messages` if a table of fields is not enough. */
  accepts?(message: unknown, instance: Instance<O>): boolean;
  reactions?(options: O): readonly Reaction[];
}

/**
 * Properties of a protocol, and inputs that search for violations. Every member is optional.
 *
 * @public
 */
export interface Checks<O = unknown> {
  /** Properties of the protocol. `noNodeIsStuck` requires that no node waits forever for a message. @defaultValue only `noNodeIsStuck` */
  properties?(instance: Instance<O>): readonly Property<O>[];
  /** Generator of arbitrary states. */
  readonly corruption?: Corruption<O>;
  /** True if a run may end here. For protocols that always have messages in flight. @defaultValue always false */
  atRest?(c: Configuration<O>): boolean;
  /** True if an armed timer may expire now. The checker has no time, and calls this before it fires a timer. @defaultValue always true */
  mayFire?(c: Configuration<O>, node: NodeId, role: string, timer: string): boolean;
  /** Maps states of a node with the same future to one of them. The checker continues from it, so counters may grow forever. */
  canonical?(view: NodeView): NodeView;
  /** Times in states and messages, if charts keep them. The checker then only compares which of two is later. */
  times?(options: O): Times | null;
  /** Samples that path generation feeds to each chart. @defaultValue `{}` */
  readonly samples?: Readonly<Record<string, readonly ChartSamples[]>>;
  /** Small systems to walk, check and fuzz. @defaultValue a few topologies with every command at every node */
  readonly systems?: readonly SystemSample[];
}

/**
 * Presentation of a run. Every member is optional.
 *
 * @public
 */
export interface View<O = unknown> {
  /** Citation of the paper. @defaultValue `''` */
  readonly paper?: string;
  /** Observer of a run. @defaultValue reports the state of each node */
  observe?(instance: Instance<O>): Observer;
  /** Marks of a node. `links` resolves ports; the configuration contains the messages on links. @defaultValue the state of the node */
  overlay?(node: NodeView, id: NodeId, links: LinksView, c: Configuration): Overlay;
}

/**
 * A completed protocol: core, checks and view in one record.
 *
 * @public
 */
export type Protocol<O = unknown, N extends string = string> = Core<O, N> &
  Checks<O> &
  View<O> &
  Required<Pick<Checks<O>, 'properties' | 'samples'>> &
  Required<Pick<View<O>, 'paper' | 'observe'>>;
