/**
 * A network of nodes: performs what their steps ask for, and delivers what was sent.
 *
 * It owns the nodes, the bus, the timers and the links, and nothing else: when things happen is the timing's business, what happens
 * to it from outside the simulation's. Every step of a node is published on `steps$`, so that accounts, monitors and traces stand
 * outside.
 */
import { Subject } from 'rxjs';
import type { Address, Message, NodeId } from '../machines/effects.js';
import type { Choose, Configuration, Flight, Protocol, Instance, Step } from '../machines/protocol.js';
import { Bus, type Conditions } from './bus.js';
import { Channels, type ChannelChange } from './channels.js';
import { channelNumbers } from './channel-numbers.js';
import { ConfigurationView } from './configuration.js';
import { createHost, type Host, type HostKind } from './world/hosts.js';
import { createInspected, type Inspect } from './world/kernel.js';
import { Links } from './world/links.js';
import { Node, type Outcome, type TimerOrder } from './world/node.js';
import { Random } from './random.js';
import { Timers, type ArmedTimer } from './timers.js';
import type { Timing } from './timing.js';
import type { StartState } from './trace.js';
import type { Selected } from './world/selections.js';
import { createMetric, type Metric } from './topology/metric.js';

export interface NetworkOptions {
  readonly protocol: Protocol;
  readonly instance: Instance<any>;
  readonly conditions: Conditions;
  readonly timing: Timing;
  readonly seed: number;
  readonly host: HostKind;
  /** XState's own option, for live actors. */
  readonly inspect?: Inspect | undefined;
}

/** A step with what only the trace wants to know. */
export interface StepTaken extends Step {
  readonly role?: string | undefined;
  readonly timers: readonly TimerOrder[];
  readonly drawn: readonly number[];
  /** Where somebody watches the host's selections. */
  readonly selected: Selected | undefined;
}

export type Refusal = { readonly node?: NodeId; readonly event: Message; readonly why: string };

type Cause = Pick<Step, 'kind' | 'node' | 'event'> & { readonly message?: number };

export class Network {
  /** With what each node's charts selected on their way into their first states, where somebody watches. */
  readonly started$ = new Subject<ReadonlyMap<NodeId, Selected>>();
  readonly steps$ = new Subject<StepTaken>();
  readonly refused$ = new Subject<Refusal>();
  readonly nodes = new Map<NodeId, Node>();
  readonly links: Links;
  readonly channels: Channels;
  readonly bus: Bus;
  readonly timers: Timers;
  readonly view: ConfigurationView;
  /** Answers the next draw of a node; what the scenario fixes and the seed do, unless a schedule of choices takes over. */
  choose: (bound: number, node: NodeId) => number;
  private readonly protocol: Protocol;
  private readonly timing: Timing;
  private readonly host: Host;
  private metric: Metric | null = null;
  private readonly crashed = new Map<NodeId, TimerOrder[]>();
  private steps = 0;
  private drawn: number[] = [];
  private drawing: NodeId = '';

  constructor(private readonly options: NetworkOptions) {
    const { protocol, instance, conditions, timing, seed } = options;
    this.protocol = protocol;
    this.timing = timing;
    const random = new Random(seed, 'draws');
    const fixed = new Map(
      Object.entries(protocol.draws?.(instance.options) ?? {}).map(([node, values]) => [node, values.values()]),
    );
    this.choose = (bound, node) => fixed.get(node)?.next().value ?? random.below(bound);
    this.links = new Links(instance.topology, protocol.ports?.(instance.options));
    this.bus = new Bus(conditions, timing, channelNumbers(instance), (flight) => this.receive(flight), seed);
    this.channels = new Channels(this.links, this.bus, protocol.network.addressing, (change) => this.hear(change));
    this.timers = new Timers(timing, (timer) => this.expire(timer));
    this.view = new ConfigurationView(instance, this.nodes, this.bus, this.links, this.crashed);
    const { host, inspect } = options;
    this.host = createHost(host, protocol, inspect && createInspected(protocol.name, inspect));
    for (const id of instance.topology.nodes) this.nodes.set(id, new Node(id, this.host));
  }

  get configuration(): Configuration {
    return this.view;
  }

  get now(): number {
    return this.timing.now();
  }

  /** Tells with each step which transitions it took, until the returned function is called. */
  watchSelections(): () => void {
    return this.host.selections?.watch() ?? (() => {});
  }

  /** Opens every node's first roles, says so on `started$`, and then performs what their entry actions ask for. */
  start(): void {
    const { protocol, instance } = this.options;
    const selected = new Map<NodeId, Selected>();
    const outcomes = [...this.nodes].map(([id, node]) => {
      const outcome = node.start(protocol.roles(id, instance), this.drawFor(id));
      const own = this.host.selections?.take();
      if (own) selected.set(id, own);
      return { id, outcome };
    });
    this.started$.next(selected);
    for (const { id, outcome } of outcomes) {
      const { sends, timers, emitted } = outcome;
      if (sends.length + timers.length + emitted.length > 0)
        this.settle({ kind: 'start', node: id, event: { type: 'start' } }, outcome);
    }
  }

  /** Begins in a given state, as the checker does when it looks at corrupt ones. No time is left on the timers. */
  startFrom({ nodes, flights }: StartState): void {
    for (const [id, { roles }] of Object.entries(nodes)) this.nodes.get(id)!.restore(roles);
    this.started$.next(new Map());
    for (const [id, { timers }] of Object.entries(nodes)) {
      for (const [role, timer] of timers) this.timers.apply(id, { role, timer, delay: 0 });
    }
    this.bus.restore(flights);
  }

  /** Hands an event from outside to a node: a command, a notice of a link. False when the node cannot take it. */
  dispatch(cause: Cause): boolean {
    const node = this.nodes.get(cause.node)!;
    if (this.crashed.has(cause.node)) return false;
    const role = this.protocol.route(cause.event, node);
    if (!node.has(role)) {
      this.refused$.next({ node: cause.node, event: cause.event, why: `its role "${role}" is not open` });
      return false;
    }
    const timed = this.protocol.network.time ? { ...cause, event: { ...cause.event, at: this.timing.now() } } : cause;
    this.settle(timed, node.step(role, timed.event, this.drawFor(cause.node)), role);
    return true;
  }

  /** Whether the chart that would take this command has a transition for it now. */
  accepts(id: NodeId, event: Message): boolean {
    const node = this.nodes.get(id)!;
    const role = this.protocol.route(event, node);
    return !this.crashed.has(id) && !this.bus.isPaused(id) && node.accepts(role, event);
  }

  private receive(flight: Flight): void {
    if (this.crashed.has(flight.to)) {
      this.bus.lose(flight, 'node down');
      return;
    }
    const from = this.protocol.network.addressing === 'ports' ? this.links.port(flight.to, flight.from) : flight.from;
    const event = { ...flight.message, from };
    this.host.comesFrom?.(flight.from);
    this.dispatch({ kind: 'deliver', node: flight.to, event, message: flight.id });
    this.host.comesFrom?.(null);
  }

  private expire({ node, role, timer }: ArmedTimer): void {
    const event = { type: 'timer', timer, ...(this.protocol.network.time ? { at: this.timing.now() } : {}) };
    this.settle({ kind: 'timer', node, event }, this.nodes.get(node)!.step(role, event, this.drawFor(node)), role);
  }

  /** One function for all nodes, told whose draws come next: a closure a step would cost more than the draws. */
  private drawFor(node: NodeId): Choose {
    this.drawing = node;
    return this.draw;
  }

  private readonly draw: Choose = (bound) => {
    const value = this.choose(bound, this.drawing);
    this.drawn.push(value);
    return value;
  };

  private settle(cause: Cause, outcome: Outcome, role?: string): void {
    const { kind, node, event, message } = cause;
    const sent: Flight[] = [];
    const admitted = outcome.emitted.map((notice) => this.admit(this.protocol.newcomer?.(notice), node));
    for (const { to, message } of outcome.sends) {
      for (const address of Array.isArray(to) ? to : [to as Address]) this.send(node, address, message, sent);
    }
    for (const closed of outcome.closed) this.timers.clear(node, closed);
    for (const order of outcome.timers) this.timers.apply(node, order);
    this.view.touch(node);
    const drawn = this.drawn;
    this.drawn = [];
    const index = this.steps++;
    const { emitted, timers } = outcome;
    const selected = this.host.selections?.take();
    // Written out, not spread: this is the hot path.
    this.steps$.next({ index, at: this.timing.now(), kind, node, event, message, role, sent, emitted, timers, drawn, selected });
    for (const start of admitted) start?.();
  }

  /** Opens a node that is not there yet, with a link to the one that brings it in, and gives what is left to settle of its start. */
  private admit(id: NodeId | undefined, by: NodeId): (() => void) | undefined {
    if (id === undefined || this.nodes.has(id)) return undefined;
    const node = new Node(id, this.host);
    this.nodes.set(id, node);
    this.links.addNode(id, by);
    const outcome = node.start(this.protocol.roles(id, this.options.instance), this.drawFor(id));
    this.view.touch(id);
    return () => this.settle({ kind: 'start', node: id, event: { type: 'start' } }, outcome);
  }

  private send(from: NodeId, address: Address, message: Message, sent: Flight[]): void {
    const { reach } = this.protocol.network;
    const to = typeof address === 'number' ? this.links.peerAt(from, address) : address;
    if (to === undefined || !this.nodes.has(to)) {
      this.refused$.next({ node: from, event: message, why: `it sends to ${JSON.stringify(address)}, where nobody is` });
      return;
    }
    if (reach === 'links' && to !== from && !this.links.up(from, to)) return;
    const cost = this.costOf(from, to);
    if (cost === Infinity) {
      this.bus.lost$.next({ flight: { id: -1, from, to, message, cost }, why: 'no route' });
      return;
    }
    sent.push(this.bus.send(from, to, message, cost));
  }

  private costOf(from: NodeId, to: NodeId): number {
    // A node that writes to itself waits like for a link of weight 1: at no cost, its retries could keep time from passing.
    if (this.protocol.network.reach === 'links') return from === to ? 1 : this.links.weight(from, to);
    return (this.metric ?? this.options.instance).distance(from, to);
  }

  /** A link speaks to its sender; routed messages find their ways anew. */
  private hear({ from, to, up }: ChannelChange): void {
    const { reach, addressing } = this.protocol.network;
    if (reach === 'routed') {
      this.metric = createMetric(this.links.topology(this.options.instance.topology.nodes));
      return;
    }
    const peer: Address = addressing === 'ports' ? this.links.port(from, to) : to;
    this.dispatch({ kind: 'link', node: from, event: { type: up ? 'link.up' : 'link.down', peer } as Message });
  }

  /** Puts a node in a given state and its timers with it: what a corruption or a restart does. */
  putNode(id: NodeId, kind: 'corrupt' | 'restart', state: Parameters<Node['restore']>[0], timers: readonly TimerOrder[]): void {
    this.timers.clear(id);
    this.nodes.get(id)!.restore(state);
    this.settle({ kind, node: id, event: { type: kind } }, { sends: [], timers: [...timers], emitted: [], closed: [] });
  }

  /** The node stops: what arrives is lost, its timers stand still. Its state survives, as on stable storage. */
  crash(id: NodeId): void {
    if (this.crashed.has(id)) return;
    const left = this.timers.of(id).map(({ role, timer, dueAt }) => ({ role, timer, delay: dueAt - this.timing.now() }));
    this.timers.clear(id);
    this.settle({ kind: 'crash', node: id, event: { type: 'crash' } }, { sends: [], timers: [], emitted: [], closed: [] });
    this.crashed.set(id, left);
  }

  /** The node goes on from its last state, with what was left on its timers. */
  restart(id: NodeId): void {
    const timers = this.crashed.get(id);
    if (!timers) return;
    this.crashed.delete(id);
    this.putNode(id, 'restart', this.nodes.get(id)!.view(), timers);
  }

  isDown(id: NodeId): boolean {
    return this.crashed.has(id);
  }

  /** Ends every live actor. */
  stop(): void {
    for (const node of this.nodes.values()) node.stop();
  }
}
