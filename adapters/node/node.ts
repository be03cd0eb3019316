/**
 * A node of a protocol in an application: its charts, connected to a transport, in real time.
 *
 * The node does the same for its charts as the simulated network: a `send` goes to the transport, a timer to the clock, a draw to the platform's
 * random numbers, a notification to listeners. A command that the chart does not accept yet waits for its turn. Received messages are
 * checked before a chart processes them. One tick is one millisecond.
 */
import { Subject } from 'rxjs';
import type { Address, Message, NodeId, AnyMessage } from '../../machines/effects.js';
import { UsageError } from '../../machines/errors.js';
import type { RunningCore } from '../../machines/core.js';
import type { Choose, NodeView, RoleView, Instance, Topology } from '../../machines/protocol.js';
import { STORAGE, type StorageContext, type Stored } from '../../machines/storage.js';
import type { Host } from '../../network/world/hosts.js';
import { CommandQueue } from '../../network/world/commands.js';
import { deliverTo, Node, startsOf, type Outcome } from '../../network/world/node.js';
import { NetworkTimers } from '../../network/timers.js';
import { Pending, type ArmedTimer, type TimerWaiter } from '../../network/world/pending.js';
import { timingOn } from '../../network/timing.js';
import type { ReadSelected } from '../../network/world/selections.js';
import { requireAccepted } from '../../network/world/traffic.js';
import { networkGraphOf } from './graph.js';
import { Channels } from './channels.js';
import { Drops } from '../transports/drops.js';
import { ClosedError } from '../transports/errors.js';
import { createNodeHost } from './host.js';
import { actorOf, type NodeActor } from './node-logic.js';
import { drawBelow, environmentOf, type PlatformEnvironment } from '../environment.js';
import { Neighbors } from './neighbors.js';
import { isGreeting } from './presence.js';
import { checkOptions } from '../options.js';
import {
  NODE_CHECKS,
  type Gate,
  type PeerObservation,
  type LiveNodeOptions,
  type LiveStep,
  type NodeOptions,
  type NodePeer,
} from './node-options.js';
import type { PortTable } from './ports.js';
import { refusedText, refuseImpossible, refuseUnsafe, strangerText } from './safety.js';
import { watchers } from './watchers.js';
import { loadStored, save, type PeerStorage } from '../storage/storage.js';
import type { Transport } from '../transports/transport.js';

/**
 * Creates a node of a protocol in an application. It returns immediately and connects the transport in the background. By default, its
 * charts run as snapshots with cached steps. With `inspect`, or in an actor (`nodeLogic`), they are live XState actors.
 *
 * @param options the protocol, the transport, and the participants.
 * @returns the node, which takes commands once its `ready` resolves.
 * @throws UsageError for a missing, invalid or unknown option, if the transport guarantees less than the protocol requires, if the topology
 * does not contain the transport's id, and for `storage` if the protocol stores nothing.
 * @example
 * ```ts
 * import { InProcessBus } from 'xstate-quiver/transports';
 * import { createNode } from 'xstate-quiver/node';
 * import { directory } from 'xstate-quiver/machines';
 *
 * const transport = new InProcessBus().transport('a');
 * const node = createNode({ transport, protocol: directory, topology: { nodes: ['a', 'b'], links: [['a', 'b', 1]] }, options: { hold: null } });
 * node.addEventListener('granted', () => node.command('release'));
 * node.addEventListener('released', () => node.close());
 * node.command('request');
 * ```
 * @public
 */
export function createNode<O, N extends string>(options: NodeOptions<O, N>): LiveNode<O, N> {
  checkOptions('createNode', options, NODE_CHECKS);
  const { protocol, topology, options: given = {} } = options;
  const graph = networkGraphOf(protocol, topology);
  return new LiveNode(options, { ...graph, options: protocol.options(given, graph) });
}

/**
 * A running node; `createNode` creates it. It dispatches each notification of its charts as a `CustomEvent` with the notification in `detail`.
 * @public
 */
export class LiveNode<O = unknown, N extends string = string> extends EventTarget implements AsyncDisposable {
  /** Name of the conversation; only nodes with the same name communicate. */
  readonly name: string;
  /** The protocol of the node. */
  readonly protocol: RunningCore<O>;
  /** Statistics of received messages that were invalid. */
  readonly drops: Drops;
  /** The options of the node, as in a scenario. */
  readonly scenario: {
    readonly protocol: string;
    readonly topology: Topology;
    readonly options: Readonly<Record<string, unknown>>;
  };
  /** The peer at each port, for anonymous nodes. */
  readonly ports: PortTable;
  /** Every atomic step, after it was taken. */
  readonly steps$ = new Subject<LiveStep>();
  /** Notifications of the charts to the application. */
  readonly notifications$ = new Subject<Message>();
  /** Events of peers that are not steps. */
  readonly observations$ = new Subject<PeerObservation>();
  /** Resolves when the node participates; rejects if its transport cannot connect. */
  readonly ready: Promise<void>;
  /** Resolves when the node has closed, with the error that closed it or with `null`. */
  readonly closed: Promise<Error | null>;
  private readonly transport: Transport;
  private readonly channels: Channels;
  /** The protocol's options, complete, with the graph of the topology. */
  readonly instance: Instance<O>;
  private readonly host: Host;
  private readonly node: Node;
  private readonly timers: NetworkTimers;
  private readonly pending = new Pending();
  /** Resolves when what was created for this node is released. `close` waits for it. @internal */
  released: Promise<void> | undefined;
  private readonly waiter: TimerWaiter = {
    armed: (timer, delay) =>
      this.storage && timer.role === STORAGE ? this.write(this.storage, timer) : this.timers.arm(this.id, timer, delay),
    disarmed: (timer) => this.timers.disarm(this.id, timer),
  };
  /** The clock and the random numbers of the node. */
  readonly environment: PlatformEnvironment;
  private readonly neighbors: Neighbors;
  private readonly isNear: (peer: NodeId) => boolean;
  private readonly hasNeighbors: boolean;
  private readonly commands = new CommandQueue();
  /** The save in progress, if any. */
  private saved: Promise<void> = Promise.resolve();
  private isTakingTurns = false;
  /** Messages received between the connection and the start. */
  private readonly receivedBeforeStart: (() => void)[] = [];
  private readonly nextCommand: (() => Message | null) | undefined;
  private readonly storage: PeerStorage | undefined;
  private isStarted = false;
  private isClosed = false;
  private time = 0;
  private sentToSelf = 0;
  /** True if both ends of a connection count its messages alike. */
  private readonly isCounted: boolean;
  /** The sequence number of the message that is being delivered. */
  private arriving: number | null = null;
  private gate: Gate | undefined;
  private asActor: NodeActor | undefined;
  private settleClosed!: (error: Error | null) => void;

  constructor(
    {
      transport,
      protocol,
      topology,
      options = {},
      neighbors,
      name = protocol.name,
      inspect,
      storage,
      resume,
      nextCommand,
      ...environment
    }: LiveNodeOptions<O>,
    instance: Instance<O>,
  ) {
    super();
    refuseUnsafe(protocol, transport.guarantees);
    refuseImpossible(name, protocol, instance, { id: transport.id, storage });
    this.name = name;
    this.protocol = protocol;
    this.scenario = { protocol: protocol.name, topology, options };
    this.transport = transport;
    this.environment = environmentOf(environment);
    const { clock } = this.environment;
    this.nextCommand = nextCommand;
    this.instance = instance;
    this.host = createNodeHost(protocol, name, inspect);
    this.node = new Node(transport.id, this.host);
    this.timers = new NetworkTimers(timingOn(clock), (_, timer) => this.goOff(timer));
    this.drops = new Drops(`node "${transport.id}" of "${name}"`, clock);
    this.closed = new Promise((resolve) => (this.settleClosed = resolve));
    this.channels = Channels.of(transport);
    this.isCounted = this.channels.isCounted;
    this.hasNeighbors = neighbors !== undefined;
    this.isNear = (peer) => instance.rank(peer) >= 0 && neighbors?.includes(peer) !== false;
    this.neighbors = new Neighbors(
      transport.id,
      protocol,
      (to, message) => this.transmit(to, message),
      (event) => this.step(event),
    );
    this.ports = this.neighbors.ports;
    this.channels.open(name, {
      message: (from, message, number) => this.come(from, message, number),
      peer: (type, peer) => this.handlePeer(type, peer),
      closed: (error) => this.end(error ?? new ClosedError(`the transport of "${this.id}" was closed`)),
    });
    this.storage = storage;
    const loaded = storage && loadStored(storage, { peer: this.id, key: name, clock });
    loaded?.catch(() => {});
    const start = (stored?: Stored) => this.start(resume, stored);
    this.ready = transport.connect().then(() => (loaded ? loaded.then(start) : start()));
    this.ready.catch((error: Error) => this.end(error));
    for (const watch of watchers()) watch(this);
  }

  /** The id of the node, which is the id of its transport. */
  get id(): NodeId {
    return this.transport.id;
  }

  /**
   * The node as an XState actor, created when it is first used. It emits notifications, contains the charts in its snapshot, and
   * takes commands; stopping it closes the node.
   */
  get actor(): NodeActor {
    return (this.asActor ??= actorOf(this));
  }

  /** The states of the charts by role; empty before the node has started. */
  view(): NodeView {
    this.flushCommands();
    return this.node.view();
  }

  /** Passes pending commands to the charts. */
  flushCommands(): void {
    const event = this.isClosed ? null : this.nextCommand?.();
    if (event) this.stepNow(event);
  }

  /** A role, if it is open. */
  role(name: string): RoleView | undefined {
    return this.node.role(name);
  }

  /**
   * Issues a command of the protocol. It takes effect immediately or, for commands that wait, when the chart accepts it.
   *
   * @param name the name of the command.
   * @param fields the fields of the command, as defined in `protocol.commands`.
   * @throws UsageError for an unknown command, or one that the chart cannot accept now; ClosedError if the node is closed.
   */
  command(name: N, fields: Readonly<Record<string, unknown>> = {}): void {
    const command = this.protocol.commands[name];
    if (!command)
      throw new UsageError(
        `${this.protocol.name} has no command "${name}". Use one of: ${Object.keys(this.protocol.commands).join(', ')}.`,
      );
    if (this.isClosed) throw new ClosedError(`node "${this.id}" of "${this.name}" is closed`);
    if (!this.attempt(name, fields))
      throw new UsageError(
        `node "${this.id}" of "${this.name}" cannot accept the command "${name}" in its current state. Nothing has changed. Repeat it after the next notification.`,
      );
  }

  /** Like `command`, but returns false instead of throwing an error. */
  attempt(name: N, fields: Readonly<Record<string, unknown>> = {}): boolean {
    const command = this.protocol.commands[name];
    if (!command || this.isClosed) return false;
    const event = command.event(fields);
    if (command.waits || !this.isStarted) {
      this.commands.add({ event, waits: command.waits, name });
      this.takeTurns();
    } else if (this.accepts(event)) this.step(event);
    else return false;
    return true;
  }

  /** Notifies the application. Objects on top of a node may emit their own notifications. */
  notify(notification: AnyMessage): void {
    this.notifications$.next(notification);
    this.dispatchEvent(new CustomEvent(notification.type, { detail: notification }));
  }

  /** Stops participating; the transport stays open. Resolves when the last save is complete, so that a restart finds its values. */
  async close(): Promise<void> {
    this.flushCommands();
    this.end(null);
    await this.saved;
    await this.released;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** Closes the node because it cannot continue; `closed` resolves with the error. @internal */
  fail(error: Error): void {
    this.flushCommands();
    this.end(error);
  }

  private start(resume: NodeView | undefined, stored?: Stored): void {
    if (this.isClosed) return;
    this.isStarted = true;
    if (resume) this.node.restore(resume);
    else
      this.take((choose) => ({
        event: { type: 'start' },
        outcome: this.node.start(startsOf(this.protocol, this.id, this.instance, stored), choose),
      }));
    for (const peer of this.transport.peers) this.handlePeer('up', peer);
    for (const take of this.receivedBeforeStart.splice(0)) take();
    this.takeTurns();
  }

  /**
   * Installs a gate between the transport and the charts, or removes it. Call it again when commands need no longer wait, and release held
   * messages before removing the gate.
   */
  guard(gate?: Gate): void {
    this.gate = gate;
    this.takeTurns();
  }

  private come(from: NodeId, message: Message, number: number): void {
    const take = () => this.receive(from, message, number);
    if (this.gate) this.gate.comes({ from, message, number }, take);
    else take();
  }

  private receive(from: NodeId, message: Message, number: number): void {
    if (!this.isStarted) this.receivedBeforeStart.push(() => this.receive(from, message, number));
    else if (from !== this.id && !this.isNear(from)) {
      // All peers greet each other, including those that communicate only with their neighbors.
      if (this.hasNeighbors && isGreeting(message)) return;
      this.drops.drop(strangerText(from));
    } else {
      this.arriving = this.isCounted ? number : null;
      this.deliver(from, message);
      // No step has taken the message.
      if (this.arriving !== null) this.observations$.next({ type: 'dropped', peer: from, number });
      this.arriving = null;
    }
  }

  /** Sends a message. One to an absent peer is dropped if the protocol tolerates losses, because it repeats its messages. */
  private transmit(to: NodeId, message: Message): number {
    const { guarantees, peers } = this.transport;
    const isAway = this.protocol.network.isLossy === true && guarantees.presence === 'reported' && !peers.has(to);
    return isAway ? 0 : this.channels.send(this.name, to, message);
  }

  private deliver(from: NodeId, message: Message): void {
    const address = this.neighbors.receive(from, message);
    if (address === null) return;
    if (this.protocol.accepts(message, this.instance)) {
      this.host.comesFrom?.(from);
      this.step({ ...message, from: address });
      this.host.comesFrom?.(null);
    } else this.drops.drop(refusedText(from, message.type, this.protocol.refusal?.(message) ?? null));
  }

  /**
   * Records with each step the transitions that it took, until the returned function is called. `read` extracts them from
   * XState's microsteps.
   */
  watchSelections(read: ReadSelected): () => void {
    return this.host.selections?.watch(read) ?? (() => {});
  }

  /**
   * The other nodes of the topology, each with the numbers of messages in both directions on this connection, and whether it is
   * up.
   */
  peers(): readonly NodePeer[] {
    const others = this.instance.topology.nodes.filter((peer) => peer !== this.id && this.isNear(peer));
    return others.map((peer) => ({
      peer,
      isUp: this.transport.peers.has(peer),
      sent: this.isCounted ? this.channels.sentTo(peer, this.name) : null,
      received: this.isCounted ? this.channels.receivedFrom(peer, this.name) : null,
    }));
  }

  private handlePeer(type: 'up' | 'down', peer: NodeId): void {
    if (!this.isStarted || !this.isNear(peer)) return;
    if (type === 'down') this.gate?.parted(peer);
    this.observations$.next({ type, peer });
    this.neighbors.handle(type, peer);
  }

  private accepts(event: Message): boolean {
    this.flushCommands();
    return this.node.accepts(this.protocol.route(event, this.node), event);
  }

  private step(event: AnyMessage, role?: string): void {
    if (!this.isStarted || this.isClosed) return;
    this.flushCommands();
    this.stepNow(event, role);
    this.takeTurns();
  }

  /** Saves the write of the storage chart, which continues when it is safe. If saving fails, the node ends. */
  private write(storage: PeerStorage, written: ArmedTimer): void {
    const { stored, writes }: StorageContext = this.node.role(STORAGE)!.context;
    const { key, value } = writes[0]!;
    const saved = save(storage, { peer: this.id, key: this.name, clock: this.environment.clock }, { ...stored, [key]: value });
    this.saved = saved.then(
      () => this.goOff(written),
      (error: Error) => this.end(error),
    );
  }

  private goOff(armed: ArmedTimer): void {
    const { role, timer } = armed;
    if (this.pending.take(armed)) this.step({ type: 'timer', timer }, role);
  }

  /** Takes the commands whose turn has come. A command that is taken calls this again; the running loop handles that. */
  private takeTurns(): void {
    if (this.isTakingTurns) return;
    this.isTakingTurns = true;
    const isTaken = (event: Message) => this.isStarted && !this.isClosed && !this.gate?.isShut && this.accepts(event);
    for (let next = this.commands.take(isTaken); next; next = this.commands.take(isTaken)) this.step(next.event);
    this.isTakingTurns = false;
  }

  /** Takes a step. A timer goes to the role that armed it; the protocol routes every other event. */
  private stepNow(event: Message, role?: string): void {
    const { network, route } = this.protocol;
    const rules = { network, route: role === undefined ? route : () => role };
    this.take((choose) => {
      const received = deliverTo(rules, this.node, event, () => this.tick(), choose);
      return 'closed' in received ? null : received;
    });
  }

  /** Takes a step and publishes it. An error of a chart or the transport ends this node, not the program. */
  private take(
    step: (choose: Choose) => { readonly event: Message; readonly outcome: Outcome; readonly role?: string } | null,
  ): void {
    const drawn: number[] = [];
    const choose = (bound: number) => {
      const value = drawBelow(this.environment.crypto, bound);
      drawn.push(value);
      return value;
    };
    try {
      const taken = step(choose);
      if (!taken) return;
      const { event, outcome } = taken;
      const number = 'from' in event ? this.arriving : null;
      if (number !== null) this.arriving = null;
      const numbers = this.perform(outcome);
      const selected = this.host.selections?.take();
      this.steps$.next({ ...taken, drawn, numbers, ...(number !== null && { number }), ...(selected && { selected }) });
      for (const notification of outcome.emitted) this.notify(notification);
    } catch (error) {
      this.end(error as Error);
    }
  }

  /** Performs the effects of a step. Returns the sequence numbers of the messages sent. */
  private perform({ closed, timers, sends }: Outcome): readonly (number | null)[] {
    this.pending.follow({ closed, timers }, this.waiter);
    return sends.flatMap(({ to, message }) =>
      typeof to === 'object' ? to.map((address) => this.send(address, message)) : this.send(to, message),
    );
  }

  private send(to: Address, message: Message): number | null {
    requireAccepted(this.protocol, this.instance, this.id, message);
    const number = to === this.id || to === 0 ? ++this.sentToSelf : null;
    if (to === this.id) queueMicrotask(() => this.come(this.id, message, number!));
    // A macrotask, because a node that keeps retrying in microtasks would block everything else.
    else if (to === 0) this.environment.clock.schedule(() => this.come(this.id, message, number!));
    else {
      const sent = this.neighbors.send(to, message);
      return this.isCounted || sent === 0 ? sent : null;
    }
    return this.isCounted ? number : null;
  }

  /** The current time, which increases with every step and is never less than the clock. */
  private tick(): number {
    return (this.time = Math.max(this.time + 1, this.environment.clock.now()));
  }

  private leave(): void {
    if (this.transport.isClosed) return;
    try {
      this.neighbors.leave();
    } catch {
      // The transport has gone, or is about to, which notifies the others as well.
    }
  }

  /** Ends the node and notifies the others, which would otherwise wait for a reachable but silent peer. */
  private end(error: Error | null): void {
    if (this.isClosed) return;
    this.isClosed = true;
    this.leave();
    this.channels.close(this.name);
    this.pending.clear(this.waiter);
    this.commands.clear();
    this.node.stop();
    this.steps$.complete();
    this.observations$.complete();
    this.notifications$.complete();
    this.settleClosed(error);
  }
}
