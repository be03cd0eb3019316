/**
 * The effect vocabulary: everything a chart can request of its host, as typed, parameterized actions that do nothing by themselves.
 *
 * A chart lists `...effects<Messages>()` among the actions of its `setup` and writes `send(ownFind)` in its config, where `ownFind` is a
 * small named function from context and event to the parameters. Hosts read the resulting action objects and perform them. Notifications to
 * the application are not effects, but XState's `emit`.
 */

/**
 * Name of a node. For protocols that order identities, the order is the position in the topology's node list.
 *
 * @public
 */
export type NodeId = string;

/** Destination of a message: a node, or, in an anonymous protocol, one of the sender's ports (0 is the sender itself). */
export type Address = NodeId | number;

/**
 * A message, which is an event of the receiving chart. The host adds `from` (and `at`, if the protocol reads the time).
 *
 * @public
 */
export interface Message {
  readonly type: string;
}

/** A message with any fields, which its receiver knows. An object literal with fields has this type, but not the type `Message`. */
export type AnyMessage = Message | (Message & Readonly<Record<string, unknown>>);

/** A message at its receiver, with the node that it came from, or the port in an anonymous protocol. */
export type Received<M, A extends Address = NodeId> = M & { readonly from: A };

export const addressesOf = <A extends Address>(to: A | readonly A[]): readonly A[] => (typeof to === 'object' ? to : [to]);

export interface Send<M extends Message = Message> {
  /** One address or several, in the order of sending. An empty list sends nothing. */
  readonly to: Address | readonly Address[];
  readonly message: M;
}

export interface Arm {
  readonly timer: string;
  /** Ticks until the event `{ type: 'timer', timer }`. Arming the same timer again replaces it. */
  readonly delay: number;
}

export interface Disarm {
  readonly timer: string;
}

export interface Draw {
  /** Exclusive upper bound. The host answers with the event `{ type: 'drawn', value }`, a uniform integer with `0 <= value < bound`. */
  readonly bound: number;
}

/** Request to store a value persistently. The host answers with the event `{ type: 'stored', key }` once the value is safe. */
export interface Store {
  readonly key: string;
  /** Plain JSON. */
  readonly value: unknown;
}

/** An event for another role of the same node, delivered before the node takes its next event. */
export interface Tell {
  /** One role or several. An empty list sends nothing. */
  readonly role: string | readonly string[];
  readonly message: Message;
}

/** Opens a role of the same node: an instance `role` of the protocol's chart `chart`. */
export interface Open {
  readonly role: string;
  readonly chart: string;
  readonly input?: unknown;
}

export interface Close {
  /** One role or several. An empty list closes nothing. */
  readonly role: string | readonly string[];
}

export interface TimerEvent {
  readonly type: 'timer';
  readonly timer: string;
}

export interface DrawnEvent {
  readonly type: 'drawn';
  readonly value: number;
}

export interface StoredEvent {
  readonly type: 'stored';
  readonly key: string;
}

/** Notification that a channel to `peer` (a node, or a port of an anonymous node) came up or went down. */
export interface LinkEvent<A extends Address = Address> {
  readonly type: 'link.up' | 'link.down';
  readonly peer: A;
}

/**
 * Actions of the effects, for a chart's `setup`. They do nothing by themselves: a host reads and performs them. The type parameter is the
 * union of messages that the chart may send.
 *
 * @example
 * ```ts
 * import { setup } from 'xstate';
 * import { arm, close, disarm, draw, effects, open, send, store, tell } from 'xstate-quiver';
 *
 * type Drawn = { type: 'drawn'; value: number };
 * const events = {} as Drawn | { type: 'timer' | 'rest' | 'stored' };
 * const beacon = setup({ types: { events }, actions: effects() }).createMachine({
 *   initial: 'resting',
 *   states: {
 *     resting: {
 *       entry: draw(() => ({ bound: 10 })),
 *       on: { drawn: { target: 'waiting', actions: arm(({ event }) => ({ timer: 'beat', delay: 5 + event.value })) } },
 *     },
 *     waiting: {
 *       on: {
 *         timer: { actions: [send(() => ({ to: 'n1', message: { type: 'beat' } })), store(() => ({ key: 'sent', value: true }))] },
 *         stored: { actions: tell(() => ({ role: 'log', message: { type: 'beaten' } })) },
 *         rest: { target: 'resting', actions: disarm(() => ({ timer: 'beat' })) },
 *       },
 *     },
 *   },
 *   entry: open(() => ({ role: 'log', chart: 'log' })),
 *   exit: close(() => ({ role: 'log' })),
 * });
 * console.log(beacon.id);
 * ```
 * @public
 */
export const effects = <M extends Message = Message>() => ({
  send: (_: unknown, _effect: Send<M>) => {},
  arm: (_: unknown, _effect: Arm) => {},
  disarm: (_: unknown, _effect: Disarm) => {},
  draw: (_: unknown, _effect: Draw) => {},
  store: (_: unknown, _effect: Store) => {},
  tell: (_: unknown, _effect: Tell) => {},
  open: (_: unknown, _effect: Open) => {},
  close: (_: unknown, _effect: Close) => {},
});

/** One performed effect, as a host receives it. `emit` contains a notification to the application. */
export type Effect =
  | ({ readonly type: 'send' } & Send)
  | ({ readonly type: 'arm' } & Arm)
  | ({ readonly type: 'disarm' } & Disarm)
  | ({ readonly type: 'draw' } & Draw)
  | ({ readonly type: 'store' } & Store)
  | ({ readonly type: 'tell' } & Tell)
  | ({ readonly type: 'open' } & Open)
  | ({ readonly type: 'close' } & Close)
  | { readonly type: 'emit'; readonly event: Message };

type From<A, P> = (args: A) => P;

/**
 * Sends a message, in a chart's config. `params` returns it from context and event.
 *
 * @public
 */
export const send = <A, M extends Message>(params: From<A, Send<M>>) => ({ type: 'send' as const, params });
/**
 * Arms the timer `timer` of a role: after `delay` ticks (milliseconds on a live node), the role receives `{ type: 'timer', timer }`. Arming
 * the same timer again replaces it. The host throws a ProtocolError unless `delay` is finite and at least 0.
 *
 * @public
 */
export const arm = <A>(params: From<A, Arm>) => ({ type: 'arm' as const, params });
/**
 * Cancels the timer `timer` of a role. Nothing happens if it is not armed.
 *
 * @public
 */
export const disarm = <A>(params: From<A, Disarm>) => ({ type: 'disarm' as const, params });
/**
 * Draws a uniform integer with `0 <= value < bound`, which arrives as the event `drawn`.
 *
 * @public
 */
export const draw = <A>(params: From<A, Draw>) => ({ type: 'draw' as const, params });
/**
 * Stores a value persistently. The event `stored` arrives once it is safe.
 *
 * @public
 */
export const store = <A>(params: From<A, Store>) => ({ type: 'store' as const, params });
/**
 * Sends an event to other roles of the same node, delivered before the node takes its next event.
 *
 * @public
 */
export const tell = <A>(params: From<A, Tell>) => ({ type: 'tell' as const, params });
/**
 * Opens a role of the same node: an instance of one of the protocol's charts.
 *
 * @public
 */
export const open = <A>(params: From<A, Open>) => ({ type: 'open' as const, params });
/**
 * Closes roles of the same node.
 *
 * @public
 */
export const close = <A>(params: From<A, Close>) => ({ type: 'close' as const, params });

/** The types of a chart, for `setup`. They exist only at compile time, and XState ignores the value. */
export const chartTypes = <T>(): T => ({}) as T;

/** The parameter of `withEvent`; inspectors show its name. */
const event = <E>(args: { readonly event: E }): E => args.event;

/**
 * Named action or guard whose parameter is the event of its transition. The event must have all fields that it declares; on a transition
 * for another event it does not compile.
 *
 * @example
 * ```ts
 * import { assign, setup } from 'xstate';
 * import { withEvent } from 'xstate-quiver';
 *
 * const sum = setup({
 *   types: { context: {} as { total: number }, events: {} as { type: 'add'; amount: number } | { type: 'clear' } },
 *   actions: { add: assign({ total: ({ context }, { amount }: { amount: number }) => context.total + amount }) },
 * }).createMachine({ context: { total: 0 }, on: { add: { actions: withEvent('add') } } });
 * ```
 * @public
 */
export const withEvent = <T extends string>(type: T) => ({ type, params: event });
