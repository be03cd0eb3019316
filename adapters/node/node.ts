/**
 * A node of a protocol in an application: its charts as live XState actors, on a transport, in real time.
 *
 * It does what the simulated network does for its nodes, and nothing else differs: a `send` goes to the transport, a timer to the
 * clock, a draw to the platform's random numbers, a notification to whoever listens. A command that the chart does not accept now
 * waits its turn. What comes from the network is checked before a chart sees it. One tick is one millisecond.
 */
import { Subject } from 'rxjs';
import type { Address, Message, NodeId } from '../../machines/effects.js';
import { UsageError } from '../../machines/errors.js';
import type { RunningCore } from '../../machines/core.js';
import type { Choose, NodeView, RoleView, Instance, Topology } from '../../machines/protocol.js';
import { STORAGE, type StorageContext, type Stored } from '../../machines/storage.js';
import type { Host } from '../../network/world/hosts.js';
import { CommandQueue } from '../../network/world/commands.js';
import { hear, Node, startsOf, type Outcome } from '../../network/world/node.js';
import { NetworkTimers } from '../../network/timers.js';
import { Pending, type ArmedTimer, type TimerWaiter } from '../../network/world/pending.js';
import { timingOn } from '../../network/timing.js';
import type { ReadSelected } from '../../network/world/selections.js';
import { requireAccepted } from '../../network/world/traffic.js';
import { graphOf } from './graph.js';
import { Channels } from './channels.js';
import { Drops } from '../transports/drops.js';
import { ClosedError } from '../transports/errors.js';
import { hostOf } from './host.js';
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
import { refuseUnsafe } from './safety.js';
import { watchers } from './watchers.js';
import { loadStored, save, type PeerStorage } from '../storage/storage.js';
import type { Transport } from '../transports/transport.js';

export type { LiveStep, NodeOptions } from './node-options.js';

/**
 * A node of a protocol in an application, on a transport, in real time. It returns at once and connects the transport. Its charts take
 * the steps that they know from memory; with `inspect`, or in an actor of your own (`nodeLogic`), they are live XState actors.
 *
 * @throws UsageError for options that are missing, wrong or unknown, when the transport promises less than the protocol assumes, when the transport's id is not in the topology,
 * for options that the protocol refuses, and for `storage` where the protocol stores nothing.
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
export function createNode<O>(options: NodeOptions<O>): LiveNode<O> {
  checkOptions('createNode', options, NODE_CHECKS);
  const { protocol, topology, options: given = {} } = options;
  const graph = graphOf(protocol, topology);
  return new LiveNode(options, { ...graph, options: protocol.options(given, graph) });
}

/**
 * A running node; `createNode` makes it. Notices of its charts are dispatched as `CustomEvent`s of their type, with the notice in
 * `detail`.
 *
 * @public
 */
export class LiveNode<O = any> extends EventTarget implements AsyncDisposable {
  /** Nodes of the same name talk to each other. */
  readonly name: string;
  /** What it runs. */
  readonly protocol: RunningCore<O>;
  /** What it could not take from the network is counted there. */
  readonly drops: Drops;
  /** What the node was made of, as a scenario says it. */
  readonly scenario: {
    readonly protocol: string;
    readonly topology: Topology;
    readonly options: Readonly<Record<string, unknown>>;
  };
  /** Who is behind which port, where the protocol's nodes are anonymous. */
  readonly ports: PortTable;
  /** Every atomic step, after it was taken. */
  readonly steps$ = new Subject<LiveStep>();
  /** What the charts tell the application. */
  readonly notifications$ = new Subject<Message>();
  /** What it is notified of its peers next to its steps. */
  readonly heard$ = new Subject<PeerObservation>();
  /** Resolves once the node takes part; rejects if its transport cannot connect. */
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
  private readonly waiter: TimerWaiter = {
    armed: (timer, delay) =>
      this.storage && timer.role === STORAGE ? this.write(this.storage, timer) : this.timers.arm(this.id, timer, delay),
    disarmed: (timer) => this.timers.disarm(this.id, timer),
  };
  /** Its clock and its chance. */
  readonly environment: PlatformEnvironment;
  private readonly neighbors: Neighbors;
  private readonly isNear: (peer: NodeId) => boolean;
  private readonly hasNeighbors: boolean;
  private readonly commands = new CommandQueue();
  /** What is being saved, if anything is. */
  private saved: Promise<void> = Promise.resolve();
  private isTakingTurns = false;
  /** What came between the connection and the start. */
  private readonly receivedBeforeStart: (() => void)[] = [];
  private readonly nextCommand: (() => Message | null) | undefined;
  private readonly storage: PeerStorage | undefined;
  private isStarted = false;
  private isClosed = false;
  private time = 0;
  private sentToSelf = 0;
  /** True if the two ends of a connection count its messages alike. */
  private readonly isCounted: boolean;
  /** The number of the message that is being delivered. */
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
    if (instance.rank(transport.id) < 0) {
      throw new UsageError(
        `node "${transport.id}" is not in the topology of "${name}". List it among ${topology.nodes.join(', ')}`,
      );
    }
    this.name = name;
    this.protocol = protocol;
    this.scenario = { protocol: protocol.name, topology, options };
    this.transport = transport;
    this.environment = environmentOf(environment);
    const { clock } = this.environment;
    this.nextCommand = nextCommand;
    this.instance = instance;
    this.host = hostOf(protocol, name, inspect);
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
      (to, message) => this.say(to, message),
      (event) => this.step(event),
    );
    this.ports = this.neighbors.ports;
    this.channels.open(name, {
      message: (from, message, number) => this.come(from, message, number),
      peer: (type, peer) => this.hear(type, peer),
      closed: (error) => this.end(error ?? new ClosedError(`the transport of "${this.id}" was closed`)),
    });
    if (storage && !protocol.reload)
      throw new UsageError(`protocol ${protocol.name} stores nothing. Remove storage from "${name}"`);
    this.storage = storage;
    const loaded = storage && loadStored(storage, { peer: this.id, key: name, clock });
    loaded?.catch(() => {});
    this.ready = transport
      .connect()
      .then(() => (loaded ? loaded.then((stored) => this.start(resume, stored)) : this.start(resume)));
    this.ready.catch((error: Error) => this.end(error));
    for (const watch of watchers()) watch(this);
  }

  /** Its id, which is that of its transport. */
  get id(): NodeId {
    return this.transport.id;
  }

  /** The node as an XState actor, from its first use on: notices by `on`, charts by `getSnapshot()`, commands by `send`; stopping it closes the node. */
  get actor(): NodeActor {
    return (this.asActor ??= actorOf(this));
  }

  /** The states of its charts, by role; empty before it has started. */
  view(): NodeView {
    this.flushCommands();
    return this.node.view();
  }

  /** Tells the charts what they are owed. */
  flushCommands(): void {
    const event = this.isClosed ? null : this.nextCommand?.();
    if (event) this.stepNow(event);
  }

  /** One of its roles, if it is open. */
  role(name: string): RoleView | undefined {
    return this.node.role(name);
  }

  /**
   * Issues a command of the protocol: at once, or, if it is one that waits, when the chart accepts it.
   *
   * @param fields what the command carries; `protocol.commands` says what it needs.
   * @throws UsageError for a command that the protocol does not know, or that cannot be taken now; ClosedError when the node is closed.
   */
  command(name: string, fields: Readonly<Record<string, unknown>> = {}): void {
    const command = this.protocol.commands[name];
    if (!command)
      throw new UsageError(
        `${this.protocol.name} has no command "${name}". Its commands: ${Object.keys(this.protocol.commands).join(', ')}`,
      );
    if (this.isClosed) throw new ClosedError(`node "${this.id}" of "${this.name}" is closed`);
    if (!this.attempt(name, fields))
      throw new UsageError(`node "${this.id}" of "${this.name}" cannot accept the command "${name}" now. Nothing has changed`);
  }

  /** The same, and false where `command` would throw because the command is not known or not possible now, or the node is closed. */
  attempt(name: string, fields: Readonly<Record<string, unknown>> = {}): boolean {
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

  /** Tells the application; what stands on top of a node may have notices of its own. */
  notify(notification: Message): void {
    this.notifications$.next(notification);
    this.dispatchEvent(new CustomEvent(notification.type, { detail: notification }));
  }

  /**
   * The node stops taking part; its transport stays open. Resolves once nothing is being saved any more: who starts again on the same
   * storage then finds what was saved last.
   */
  async close(): Promise<void> {
    this.flushCommands();
    this.end(null);
    await this.saved;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** As `close`, for who finds that the node cannot go on; `closed` says why. @internal */
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
    for (const peer of this.transport.peers) this.hear('up', peer);
    for (const take of this.receivedBeforeStart.splice(0)) take();
    this.takeTurns();
  }

  /**
   * Puts a gate between its transport and its charts, or takes it away. Whoever puts it there calls this again when commands need wait no
   * more, and lets go what it holds before it takes it away.
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
      // Everybody greets whom it sees, also who speaks with its own neighbors alone.
      if (this.hasNeighbors && isGreeting(message)) return;
      this.drops.drop(
        `it is from "${from}", which is not in the topology; where it is to take part, name it there, as in linked(transport, { peers })`,
      );
    } else {
      this.arriving = this.isCounted ? number : null;
      this.deliver(from, message);
      // No step has taken it.
      if (this.arriving !== null) this.heard$.next({ type: 'dropped', peer: from, number });
      this.arriving = null;
    }
  }

  /** A protocol that stands losses says everything again: what it says to who is not there is not left at a hub, which would keep it. */
  private say(to: NodeId, message: Message): number {
    const { guarantees, peers } = this.transport;
    const isAway = this.protocol.network.isLossy === true && guarantees.presence === 'reported' && !peers.has(to);
    return isAway ? 0 : this.channels.send(this.name, to, message);
  }

  private deliver(from: NodeId, message: Message): void {
    const address = this.neighbors.receive(from, message);
    if (address === null) return;
    if (this.protocol.accepts(message, this.instance)) {
      this.host.comesFrom?.(from);
      this.step({ ...message, from: address } as Message);
      this.host.comesFrom?.(null);
    } else
      this.drops.drop(
        `"${message.type}" from "${from}" is malformed, or names a node that is not in the topology here. Pass the same list of peers everywhere, also to linked`,
      );
  }

  /** Tells with each step which transitions it took, until the returned function is called. `read` makes them out of XState's microsteps. */
  watchSelections(read: ReadSelected): () => void {
    return this.host.selections?.watch(read) ?? (() => {});
  }

  /** The others of its topology, each with the messages that it was sent and has sent on this connection, and whether it is up. */
  peers(): readonly NodePeer[] {
    const others = this.instance.topology.nodes.filter((peer) => peer !== this.id && this.isNear(peer));
    return others.map((peer) => ({
      peer,
      isUp: this.transport.peers.has(peer),
      sent: this.isCounted ? this.channels.sentTo(peer, this.name) : null,
      heard: this.isCounted ? this.channels.receivedFrom(peer, this.name) : null,
    }));
  }

  private hear(type: 'up' | 'down', peer: NodeId): void {
    if (!this.isStarted || !this.isNear(peer)) return;
    if (type === 'down') this.gate?.parted(peer);
    this.heard$.next({ type, peer });
    this.neighbors.told(type, peer);
  }

  private accepts(event: Message): boolean {
    this.flushCommands();
    return this.node.accepts(this.protocol.route(event, this.node), event);
  }

  private step(event: Message, role?: string): void {
    if (!this.isStarted || this.isClosed) return;
    this.flushCommands();
    this.stepNow(event, role);
    this.takeTurns();
  }

  /** What is under way in the storage's chart is written; the chart goes on when that is safe. Who cannot store takes part no more. */
  private write(storage: PeerStorage, written: ArmedTimer): void {
    const { stored, writes } = this.node.role(STORAGE)!.context as StorageContext;
    const { key, value } = writes[0]!;
    const saved = save(storage, { peer: this.id, key: this.name, clock: this.environment.clock }, { ...stored, [key]: value });
    this.saved = saved.then(
      () => this.goOff(written),
      (error: Error) => this.end(error),
    );
  }

  private goOff(armed: ArmedTimer): void {
    const { role, timer } = armed;
    if (this.pending.take(armed)) this.step({ type: 'timer', timer } as Message, role);
  }

  /** Something has changed: takes the commands whose turn has come. One that is taken asks again, and the loop under way answers. */
  private takeTurns(): void {
    if (this.isTakingTurns) return;
    this.isTakingTurns = true;
    const isTaken = (event: Message) => this.isStarted && !this.isClosed && !this.gate?.isShut && this.accepts(event);
    for (let next = this.commands.take(isTaken); next; next = this.commands.take(isTaken)) this.step(next.event);
    this.isTakingTurns = false;
  }

  /** A timer goes to the role that armed it; every other event where the protocol says. */
  private stepNow(event: Message, role?: string): void {
    const { network, route } = this.protocol;
    const rules = { network, route: role === undefined ? route : () => role };
    this.take((choose) => {
      const heard = hear(rules, this.node, event, () => this.tick(), choose);
      return 'closed' in heard ? null : heard;
    });
  }

  /** A chart that breaks its contract, or a transport that went, ends this node and not the program. */
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

  /** Gives the numbers of what was sent. */
  private perform({ closed, timers, sends }: Outcome): readonly (number | null)[] {
    this.pending.follow({ closed, timers }, this.waiter);
    return sends.flatMap(({ to, message }) => [to].flat().map((address) => this.send(address, message)));
  }

  private send(to: Address, message: Message): number | null {
    requireAccepted(this.protocol, this.instance, this.id, message);
    const number = to === this.id || to === 0 ? ++this.sentToSelf : null;
    if (to === this.id) queueMicrotask(() => this.come(this.id, message, number!));
    // Not in a microtask: a node that retries on its own would let nothing else happen.
    else if (to === 0) this.environment.clock.schedule(() => this.come(this.id, message, number!));
    else {
      const sent = this.neighbors.send(to, message);
      return this.isCounted || sent === 0 ? sent : null;
    }
    return this.isCounted ? number : null;
  }

  /** Later with every step, and never earlier than the clock. */
  private tick(): number {
    return (this.time = Math.max(this.time + 1, this.environment.clock.now()));
  }

  private leave(): void {
    if (this.transport.isClosed) return;
    try {
      this.neighbors.leave();
    } catch {
      // A transport that carries no word of leave has gone, or is about to: that tells the others, too.
    }
  }

  /** However it ends, the others are told: who is reached and says no more would be waited for. */
  private end(error: Error | null): void {
    if (this.isClosed) return;
    this.isClosed = true;
    this.leave();
    this.channels.close(this.name);
    this.pending.clear(this.waiter);
    this.commands.clear();
    this.node.stop();
    this.steps$.complete();
    this.heard$.complete();
    this.notifications$.complete();
    this.settleClosed(error);
  }
}
