/**
 * Environments as interned ids. The environment is the part of a state that is neither in a node nor in flight: links, crashes, the
 * remaining script, workload and faults. `network/world/environment.ts` defines what can happen next in an environment and what follows;
 * here each answer is computed once and cached.
 */
import type { Message, NodeId } from '../../machines/effects.js';
import type { ChannelState, LinksView } from '../../machines/protocol.js';
import { Environment, type Made, type EnvironmentMove, type EnvironmentPlan } from '../../network/world/environment.js';
import type { Choice } from '../../network/world/choice.js';
import type { Fused } from '../../network/world/script.js';
import type { LocalEvents } from './events.js';
import { PairMap } from './ints.js';
import { Interner } from './interner.js';
import type { OutgoingMessages } from './outgoing-messages.js';
import type { Numbering } from './numbering.js';
import type { SearchedSystem } from './system.js';

/**
 * A possible next step from outside of the nodes and messages: a command, a fault or a change of a link. It contains the numbers that the
 * search gives to nodes, events and environments.
 */
export interface Move {
  readonly kind: 'command' | 'notification' | 'link' | 'crash' | 'restart' | 'reload' | 'corrupt';
  readonly choice: Choice;
  /** The node concerned: it receives the command or notification, crashes, restarts, or is one end of the link. */
  readonly node: number;
  /** The nodes that receive an event, in this order. Empty if the node has crashed, or if the command only starts to wait. */
  readonly notified: readonly { readonly node: number; readonly event: number }[];
  /**
   * The event that decides whether the move is possible: the node's chart must, or must not, have a transition for it
   * (`accepted`). -1 if there is no such condition.
   */
  readonly ifAccepted: number;
  readonly accepted: boolean;
  /** True if the move waits until no message is in flight. */
  readonly atRest: boolean;
  /** The nodes that are corrupted. */
  readonly nodes: readonly number[];
  readonly next: number;
  /** The channels that go down. */
  readonly purged: readonly number[];
}

/** A move of which only the fields that differ from the defaults are given. */
type Sketch = Pick<Move, 'kind' | 'choice' | 'node' | 'next'> & Partial<Move>;

// All moves have the same shape, because the hot loop of the search reads them.
const moveOf = (move: Sketch): Move => ({
  kind: move.kind,
  choice: move.choice,
  node: move.node,
  notified: move.notified ?? [],
  ifAccepted: move.ifAccepted ?? -1,
  accepted: move.accepted ?? true,
  atRest: move.atRest ?? false,
  nodes: move.nodes ?? [],
  next: move.next,
  purged: move.purged ?? [],
});

interface Known {
  readonly environment: Environment;
  /** For each node, 1 if it has crashed. */
  readonly crashed: Uint8Array;
}

export class Environments {
  readonly initial: number;
  /** True if the environment never changes, so that there is only one. */
  readonly still: boolean;
  /** True if a workload waits for the completion of its commands. */
  readonly isDemanding: boolean;
  /** True if every message reaches its receiver, because no channel is ever down. */
  readonly isRouted: boolean;
  private readonly mayCrash: boolean;
  private readonly interned: Interner<Known>;
  private readonly movesIn: (readonly Move[] | undefined)[] = [];
  private readonly channelsIn: (readonly ChannelState[] | undefined)[] = [];
  private readonly knownChannels = new Map<string, readonly ChannelState[]>();
  private readonly served = new PairMap();
  private readonly posted = new PairMap();

  constructor(
    private readonly system: SearchedSystem,
    readonly plan: EnvironmentPlan,
    private readonly fused: Fused,
    private readonly events: LocalEvents,
    private readonly outgoing: OutgoingMessages,
    numbering: Numbering,
  ) {
    this.interned = new Interner(numbering);
    const { script, workload, budget } = plan;
    const { loss = 0, duplicate = 0 } = budget;
    this.isDemanding = workload !== undefined;
    this.isRouted = outgoing.isRouted;
    this.mayCrash = script.hasCrashes;
    const first = Environment.of(plan);
    // A corruption before all other events is already part of the first states.
    script.lanes.forEach((lane, i) => {
      first.places[i] = lane.findIndex(({ kind, place }) => kind !== 'corrupt' || !script.standsFirst(place));
      if (first.places[i] === -1) first.places[i] = lane.length;
    });
    this.still = script.lanes.every((lane, i) => first.places[i] === lane.length) && loss + duplicate === 0 && !workload;
    this.initial = this.intern(first);
  }

  get size(): number {
    return this.interned.size;
  }

  moves(id: number): readonly Move[] {
    return (this.movesIn[id] ??= this.findMoves(this.get(id)));
  }

  private findMoves(environment: Environment): readonly Move[] {
    return environment
      .moves()
      .flatMap((move) => this.movesOf(environment, move))
      .map(moveOf);
  }

  /** Nodes that have crashed: messages to them are lost, and their timers do not fire. */
  crashed(id: number): readonly NodeId[] {
    return [...this.get(id).crashed];
  }

  /** Nodes that have crashed at any time, including those that have restarted. */
  everCrashed(id: number): readonly NodeId[] {
    return [...this.get(id).everCrashed];
  }

  isCrashed(id: number, node: number): boolean {
    return this.mayCrash && this.interned.all[id]!.crashed[node] === 1;
  }

  /** The packet that an outgoing message becomes in this environment, or -1 if its channel is down. */
  packet(id: number, outgoingMessage: number): number {
    if (this.isRouted) return outgoingMessage;
    const known = this.posted.get(id, outgoingMessage);
    if (known !== -1) return known - 1;
    const packet = this.outgoing.route(outgoingMessage, this.get(id).links);
    this.posted.set(id, outgoingMessage, packet + 1);
    return packet;
  }

  /** The environment after a node has emitted these notifications, which may complete a command of the workload. */
  after(id: number, node: number, announced: readonly Message[]): number {
    let next = id;
    for (const notification of announced) {
      const done = this.get(next).doneBy(this.system.nodes[node]!, notification);
      if (done !== undefined) next = this.without(next, done);
    }
    return next;
  }

  private without(id: number, done: NodeId): number {
    const place = this.system.instance.rank(done);
    const known = this.served.get(id, place);
    if (known !== -1) return known;
    const next = this.changed(id, (environment) => environment.underWay.delete(done));
    this.served.set(id, place, next);
    return next;
  }

  /** The environment with one message loss less left, or -1 if no message may be lost. */
  afterLoss(id: number): number {
    return this.get(id).loss === 0 ? -1 : this.changed(id, (environment) => environment.loss--);
  }

  afterDouble(id: number): number {
    return this.get(id).duplicate === 0 ? -1 : this.changed(id, (environment) => environment.duplicate--);
  }

  links(id: number): LinksView {
    return this.get(id).links;
  }

  /** The state of every channel, by sender and receiver. Environments with equal channels share one list. */
  channels(id: number): readonly ChannelState[] {
    return (this.channelsIn[id] ??= this.channelsOf(this.get(id).links));
  }

  private channelsOf(links: LinksView): readonly ChannelState[] {
    const { nodes } = this.system;
    const channels = nodes.flatMap((from) =>
      nodes.map((to) => ({ from, to, up: links.up(from, to), port: links.port(from, to) })),
    );
    const key = channels.map(({ up, port }) => `${up ? '' : '-'}${port}`).join();
    const known = this.knownChannels.get(key) ?? channels;
    this.knownChannels.set(key, known);
    return known;
  }

  /** The ends of the links that the rest of the script can change. */
  changing(id: number): readonly (readonly [number, number])[] {
    const { rank } = this.system.instance;
    const { places } = this.get(id);
    const left = this.plan.script.lanes.flatMap((lane, i) => lane.slice(places[i]));
    return left.flatMap((entry) => {
      if (entry.kind === 'link') return [[rank(entry.event.link[0]), rank(entry.event.link[1])] as const];
      return entry.kind === 'channel' ? [[rank(entry.from), rank(entry.to)] as const] : [];
    });
  }

  /** True if a step of one node can influence what the network or the workload does next. */
  isUnsettled(id: number): boolean {
    const environment = this.get(id);
    const mayCorrupt = this.plan.script.lanes.some((_, lane) => environment.next(lane)?.kind === 'corrupt');
    return mayCorrupt || environment.loss + environment.duplicate > 0 || environment.issued < environment.total;
  }

  /** True if the script or the workload fixes an order between nodes. */
  get takesTurns(): boolean {
    const { workload, oneByOne } = this.plan;
    return oneByOne === true || (workload !== undefined && 'sequential' in workload);
  }

  /** True if some node may restart from storage. */
  get reloads(): boolean {
    return this.plan.script.events.some((event) => event.do === 'reload');
  }

  /** The environment after nodes have been permuted, together with the lanes of the script. */
  image(id: number, to: readonly number[], toLane: readonly number[]): number {
    const { nodes, instance } = this.system;
    return this.intern(this.get(id).renamed((node) => nodes[to[instance.rank(node)]!]!, toLane));
  }

  /** True if every command of the script and the workload has been issued and completed. */
  isOver(id: number): boolean {
    return this.get(id).isOver;
  }

  private get(id: number): Environment {
    return this.interned.all[id]!.environment;
  }

  private intern(environment: Environment): number {
    const { nodes } = this.system;
    return this.interned.intern(environment.key(nodes), () => ({
      environment,
      crashed: Uint8Array.from(nodes, (node) => (environment.crashed.has(node) ? 1 : 0)),
    }));
  }

  private changed(id: number, change: (environment: Environment) => unknown): number {
    const next = this.get(id).copy();
    change(next);
    return this.intern(next);
  }

  private movesOf(environment: Environment, move: EnvironmentMove): readonly Sketch[] {
    const next = environment.copy();
    const made = next.make(move);
    const { place } = move.kind === 'entry' ? move.entry : { place: -1 };
    const atRest = this.plan.oneByOne === true && move.kind === 'entry' && !environment.hasBegun(move.entry);
    const base = { choice: { event: place }, atRest };
    if (made.given) return this.movesOfCommand(environment, next, move, made.given, base);
    const stopped = made.crashed ?? made.restarted;
    if (stopped !== undefined) {
      const kind = made.crashed === undefined ? 'restart' : 'crash';
      return [{ ...base, kind, node: this.rank(stopped), next: this.intern(next) }];
    }
    if (made.reloaded !== undefined) return [{ ...base, ...this.reloadOf(made), next: this.intern(next) }];
    if (made.corrupted) return [{ ...base, ...this.corruption(made.corrupted), next: this.intern(next) }];
    if (made.changes) return [{ ...base, ...this.changeOf(move, made, next), next: this.intern(next) }];
    // Crashing a crashed node, or restarting or reloading a running one, changes nothing.
    const entry = move.kind === 'entry' ? move.entry : undefined;
    if (entry?.kind !== 'crash' && entry?.kind !== 'restart' && entry?.kind !== 'reload') return [];
    return [{ ...base, kind: entry.kind, node: this.rank(entry.node), next: this.intern(next) }];
  }

  /** The process restarts. It is not notified of its channels, which went down with it. */
  private reloadOf({ reloaded, changes = [] }: Made): Pick<Move, 'kind' | 'node' | 'notified' | 'purged'> {
    const node = this.rank(reloaded!);
    const event = this.events.intern({ node, kind: 'reload', event: { type: 'reload' } });
    const purged = changes.map(({ to }) => node * this.system.nodes.length + this.rank(to));
    return { kind: 'reload', node, notified: [{ node, event }], purged };
  }

  private rank(node: NodeId): number {
    return this.system.instance.rank(node);
  }

  private corruption(struck: readonly NodeId[]): Pick<Move, 'kind' | 'node' | 'nodes' | 'purged'> {
    const size = this.system.nodes.length;
    const nodes = struck.map((node) => this.rank(node));
    return { kind: 'corrupt', node: 0, nodes, purged: nodes.flatMap((from) => nodes.map((to) => from * size + to)) };
  }

  private changeOf(
    move: EnvironmentMove,
    { changes = [] }: Made,
    next: Environment,
  ): Pick<Move, 'kind' | 'node' | 'notified' | 'purged'> & { choice?: Choice } {
    const size = this.system.nodes.length;
    const notified = changes
      .filter(({ from }) => !next.crashed.has(from))
      .map((change) => {
        const node = this.rank(change.from);
        return { node, event: this.events.intern({ node, kind: 'link', event: next.linkEvent(change) }) };
      });
    const purged = changes.filter(({ up }) => !up).map(({ from, to }) => this.rank(from) * size + this.rank(to));
    const channel = move.kind === 'entry' ? move.entry : move;
    const node = this.rank(changes[0]!.from);
    if (channel.kind !== 'channel') return { kind: 'link', node, notified, purged };
    return { kind: 'notification', choice: { notification: [channel.from, channel.to] }, node, notified, purged };
  }

  /**
   * The moves of a command that arrives at its node. If waiting commands are fused with their turn, the command arrives when the chart
   * accepts it. Otherwise the chart accepts it immediately, or the command waits until its turn comes.
   */
  private movesOfCommand(
    environment: Environment,
    next: Environment,
    move: EnvironmentMove,
    { node: id, command }: NonNullable<Made['given']>,
    base: Pick<Move, 'choice' | 'atRest'>,
  ): readonly Sketch[] {
    const node = this.rank(id);
    const isDown = environment.crashed.has(id);
    const event = this.events.intern({ node, kind: 'command', event: command.event, name: command.name });
    const choice: Choice =
      move.kind === 'turn' ? { turn: id } : move.kind === 'workload' ? { command: [id, command.name] } : base.choice;
    const taken: Sketch = {
      ...base,
      kind: 'command',
      choice,
      node,
      notified: isDown ? [] : [{ node, event }],
      next: this.intern(next),
      ifAccepted: command.waits ? event : -1,
    };
    if (move.kind === 'turn' || this.fused.turns(id)) return isDown && command.waits ? [] : [taken];
    if (!command.waits) return [taken];
    const waiting = next.copy();
    waiting.enqueue(id, command);
    const waits: Sketch = { ...base, kind: 'command', choice, node, next: this.intern(waiting) };
    const isBehind = environment.head(id) !== undefined;
    return isBehind || isDown ? [waits] : [taken, { ...waits, ifAccepted: event, accepted: false }];
  }
}
