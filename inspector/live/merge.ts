/**
 * Merges the reports of many live nodes into one trace: deliveries matched with their sends, vector clocks as in the simulator, and the
 * fate of every message. When the system is quiescent, no message is in flight.
 *
 * A message from an unobserved sender, or from before the observation began, is known only from its arrival. The trace shows it as placed
 * on the wire. A message to an unobserved node is shown as gone out of sight. Messages in flight on a connection are lost when either end
 * reports that the other has gone.
 */
import type { Message, NodeId } from '../../machines/effects.js';
import type { Link, NodeView, Overlay } from '../../machines/protocol.js';
import { viewAfter, type NetworkLine, type StepLine, type TraceLine } from '../../network/trace.js';
import { Flights, type Clock, type LiveFlight } from './flights.js';
import { Hosts } from './hosts.js';
import type { GapReport, GestureReport, PeerReport, LiveReport, StepReport, Sent } from './report.js';

/** The parts of a merger that the marks of a node may depend on. */
export type KnownNodes = Pick<Merger, 'nodes' | 'inFlight' | 'ports'>;

/** The marks of a changed node, or `undefined` if it has none. */
export type OverlayRule = (node: NodeId, view: NodeView, known: KnownNodes) => Overlay | undefined;

/** A message goes out of sight if its receiver does not report within this time. */
const OUT_OF_SIGHT_MS = 2000;

/** The most ended nodes that stay in vector clocks. Every line carries the clocks, and an application may start an actor for each job. */
const ENDED_MAX = 30;

/** The parts of a node's first report that stay true for its whole life. */
type Origin = Pick<StepLine, 'program' | 'parent' | 'logic' | 'group'>;

export class Merger {
  readonly nodes = new Map<NodeId, NodeView>();
  readonly ports = new Map<NodeId, Readonly<Record<NodeId, number>>>();
  private readonly clocks = new Map<NodeId, Clock>();
  private readonly flights = new Flights();
  /** For each sender and receiver: the number of messages that their connection had carried when the sender began to report. */
  private readonly unseen = new Map<string, number>();
  /** Links that came up beyond the topology, and the channels that a failure detector reports as down. */
  private readonly links: (readonly [NodeId, NodeId])[] = [];
  private readonly down = new Set<string>();
  private readonly linked = new Set<string>();
  /** Nodes of a page whose topology has no links: their connections are shown. */
  private readonly meshed = new Set<NodeId>();
  /** For each sender and receiver: the numbers of the messages that a gesture holds up. Others may overtake them. */
  private readonly heldUp = new Map<string, Set<number>>();
  /** The origin of each node, including ended ones, oldest first. */
  private readonly origins = new Map<NodeId, Origin>();
  private readonly ended = new Map<NodeId, Message>();
  private readonly hosts = new Hosts();
  /** The marks that nodes report of themselves, on a page of several protocols. */
  private readonly reported = new Map<NodeId, Overlay>();
  private index = 0;
  private at = 0;

  constructor(
    private readonly began: number,
    private readonly put: (line: TraceLine) => void,
    private readonly marks: OverlayRule = () => undefined,
    /** The links in the header. */
    links: readonly Link[] = [],
  ) {
    for (const [a, b] of links) this.linked.add(channel(a, b)).add(channel(b, a));
  }

  get inFlight(): readonly LiveFlight[] {
    return this.flights.all;
  }

  /** True if the report can follow on the known state: a delivery comes after its sending. */
  isReadyFor(report: LiveReport): boolean {
    if (report.kind === 'peer' || report.kind === 'gap') return true;
    const { node, from, message, number = null, isUnprompted = false } = report;
    if (isUnprompted || from === undefined || from === node || !this.nodes.has(from) || this.ended.has(from)) return true;
    if (number !== null && number <= (this.unseen.get(channel(from, node)) ?? 0)) return true;
    return this.flights.find(from, node, message!, number) !== undefined;
  }

  /** Puts a message that is known only from its arrival in flight, just before it arrives. */
  place(from: NodeId, to: NodeId, message: Message, at: number, number: number | null = null): LiveFlight {
    this.pass(at);
    const flying = this.flights.launch(from, to, message, number, this.clocks.get(from) ?? {}, at);
    const { id, clock } = flying;
    this.network({ kind: 'placed', between: [from, to], message: id, event: message, clock });
    return flying;
  }

  link(a: NodeId, b: NodeId): void {
    if (this.linked.has(channel(a, b))) return;
    for (const between of [[a, b] as const, [b, a] as const]) {
      this.linked.add(channel(...between));
      this.links.push(between);
      this.network({ kind: 'channel', between, up: true, clock: {} });
    }
  }

  /** Lines that describe the present state to a reader who knows only the header. */
  standing(): TraceLine[] {
    const { at } = this;
    const base = { index: -1, at, clock: {} };
    return [
      ...[...this.nodes].map(([node, roles]): TraceLine => {
        const overlay = this.overlayOf(node, roles);
        const end = this.ended.get(node);
        return {
          ...base,
          kind: end === undefined ? 'start' : 'crash',
          node,
          event: end ?? { type: 'stands' },
          sent: [],
          emitted: [],
          roles,
          ...(overlay && { overlay }),
          ...this.origins.get(node),
        };
      }),
      ...this.links.map((between): TraceLine => ({ ...base, kind: 'channel', between, up: true })),
      ...[...this.down].map((key): TraceLine => ({ ...base, kind: 'channel', between: JSON.parse(key), up: false })),
      ...this.inFlight.map(({ id, from, to, message }): TraceLine => ({
        ...base,
        kind: 'placed',
        between: [from, to],
        message: id,
        event: message,
      })),
    ];
  }

  take(report: LiveReport, program?: string): void {
    this.pass(report.at);
    if (report.kind === 'peer') this.receive(report);
    else if (report.kind === 'gap') this.leaveOut(report, program);
    else {
      const step = this.hosts.take(report);
      if (step) this.takeStep(step, program);
    }
  }

  /** Marks a node as gone because its program has sent no report. */
  gone(node: NodeId, at: number): void {
    if (!this.nodes.has(node) || this.ended.has(node)) return;
    this.pass(at);
    this.end(node, { type: 'gone' });
  }

  /** Shows on the page that the inspector refused a program. */
  refuse(why: string, at: number): void {
    this.pass(at);
    this.network({ kind: 'refused', why, clock: {} });
  }

  /** Puts messages to unobserved nodes out of sight. */
  lookAround(at: number): void {
    this.pass(at);
    const isUnseen = ({ to, sentAt }: LiveFlight) => !this.nodes.has(to) && sentAt < at - OUT_OF_SIGHT_MS;
    this.lose(isUnseen, 'its receiver is not observed');
  }

  /** Records a gap. The reports that follow it describe the state of the program after the gap. */
  private leaveOut({ count }: GapReport, program = ''): void {
    const isOfIt = (node: NodeId) => this.origins.get(node)?.program === program;
    this.lose(({ from, to }) => isOfIt(from) || isOfIt(to), 'its outcome was not reported');
    this.network({ kind: 'skipped', why: `${count} reports of ${program}, which were too many or too large`, clock: {} });
    for (const line of this.standing()) this.put(line);
  }

  private takeStep(report: StepReport, program: string | undefined): void {
    const {
      at,
      node,
      kind,
      by,
      role,
      event,
      from,
      message,
      number = null,
      sent,
      emitted,
      timers,
      drawn,
      roles,
      peer,
      ports,
    } = report;
    if (ports) this.ports.set(node, ports);
    if (report.overlay) this.reported.set(node, report.overlay);
    if (kind === 'start') this.begin(report, program);
    if (kind === 'crash') return this.end(node, event.type === 'failed' ? event : { type: 'ended' });
    if (this.ended.delete(node)) this.reportReturn(node);
    if (peer !== undefined && event.type === 'link.down') this.loseBetween(peer, node, at, 'link down');
    const arrived = from === undefined ? undefined : this.arrive(from, node, message!, number, at);
    const clock = this.tick(node, arrived?.clock ?? {});
    const launched = sent.map((one) => ({
      flying: this.flights.launch(node, one.to, one.message, one.number ?? null, clock, at),
      one,
    }));
    const before = this.nodes.get(node) ?? {};
    const closed = kind === 'start' ? Object.keys(before).filter((name) => !(name in roles)) : [];
    const changed = { ...roles, ...Object.fromEntries(closed.map((name) => [name, null])) };
    const overlay = this.change(node, changed);
    const line: StepLine = {
      index: this.index++,
      at: this.at,
      kind,
      node,
      ...(by === undefined ? {} : { by }),
      ...(role === undefined ? {} : { role }),
      event: { ...event, ...(from === undefined ? {} : { from }) },
      ...(peer !== undefined && 'peer' in event && typeof event.peer === 'number' ? { peer } : {}),
      ...(arrived ? { message: arrived.id } : {}),
      sent: launched.map(({ flying: { id, to, message, cost } }) => ({ id, to, message, cost })),
      emitted,
      ...(timers ? { timers } : {}),
      ...(drawn ? { drawn } : {}),
      ...report.selected,
      roles: changed,
      ...(overlay ? { overlay } : {}),
      ...(report.charts ? { charts: report.charts } : {}),
      ...(kind === 'start' ? this.origins.get(node) : {}),
      clock,
    };
    this.put(line);
    this.loseAtOnce(launched);
  }

  private loseAtOnce(launched: readonly { readonly flying: LiveFlight; readonly one: Sent }[]): void {
    const lost = new Set(
      launched.filter(({ flying, one }) => one.number === 0 || this.ended.has(flying.to)).map(({ flying }) => flying),
    );
    if (lost.size > 0) this.lose((flying) => lost.has(flying), 'its receiver is not there');
  }

  /** Adds a node that starts to report: it existed before, starts, or restarts. */
  private begin(
    { node, at, peers = [], links = [], isMesh = false, parent, logic, group }: StepReport,
    program: string | undefined,
  ): void {
    const isRestart = this.nodes.has(node);
    this.ended.delete(node);
    this.origins.set(node, {
      ...(program !== undefined && { program }),
      ...(parent !== undefined && { parent }),
      ...(logic !== undefined && { logic }),
      ...(group !== undefined && { group }),
    });
    for (const key of this.heldUp.keys()) if (JSON.parse(key)[1] === node) this.heldUp.delete(key);
    if (isRestart) this.lose(({ to, sentAt }) => to === node && sentAt < at, 'its receiver restarted');
    for (const peer of links) this.link(node, peer);
    if (isMesh && program !== undefined) this.meshed.add(node);
    for (const { peer, isUp, sent, received } of peers) {
      this.unseen.set(channel(node, peer), sent ?? 0);
      this.loseUpTo(peer, node, received ?? 0, 'it arrived unseen');
      if (isUp) this.connect(node, peer);
      this.mark(node, peer, isUp);
    }
  }

  private end(node: NodeId, how: Message): void {
    this.ended.delete(node);
    this.ended.set(node, how);
    const clock = this.tick(node, {});
    const line = { kind: 'crash', node, event: how, sent: [], emitted: [], roles: {}, clock } as const;
    this.put({ index: this.index++, at: this.at, ...line });
    this.lose(({ to }) => to === node, `its receiver has ${how.type}`);
    if (this.ended.size > ENDED_MAX) this.forget(this.ended.keys().next().value!);
  }

  /** Drops an ended node from vector clocks. Its steps stay in the trace, but later steps no longer refer to them. */
  private forget(node: NodeId): void {
    for (const known of [this.nodes, this.ended, this.origins, this.clocks, this.ports, this.reported, this.meshed])
      known.delete(node);
    for (const clock of this.clocks.values()) delete clock[node];
    this.hosts.forget(node);
    const own = this.links.filter((link) => link.includes(node));
    if (own.length === 0) return;
    const others = this.links.filter((link) => !link.includes(node));
    this.links.splice(0, this.links.length, ...others);
    for (const link of own) for (const keys of [this.linked, this.down, this.unseen, this.heldUp]) keys.delete(channel(...link));
  }

  /** Revokes the suspicion of a node that was only silent for long. */
  private reportReturn(node: NodeId): void {
    const clock = this.tick(node, {});
    const line = { kind: 'restart', node, event: { type: 'back' }, sent: [], emitted: [], roles: {}, clock } as const;
    this.put({ index: this.index++, at: this.at, ...line });
  }

  private receive({ node, at, observation }: PeerReport): void {
    const { peer } = observation;
    if (observation.type === 'dropped') {
      this.heldUp.get(channel(peer, node))?.delete(observation.number);
      return this.loseUpTo(peer, node, observation.number, 'no chart takes it');
    }
    if (observation.type === 'waits') return this.holdUp(peer, node, observation.number);
    if (observation.type === 'lost' || observation.type === 'doubled') return this.touched(node, at, observation);
    if (observation.type === 'down') {
      this.loseBetween(peer, node, at, 'link down');
      this.loseBetween(node, peer, at, 'link down');
      this.heldUp.delete(channel(peer, node));
      this.unseen.delete(channel(node, peer));
    }
    if (observation.type === 'up') this.connect(node, peer);
    this.mark(node, peer, observation.type === 'up');
  }

  private connect(node: NodeId, peer: NodeId): void {
    if (this.meshed.has(node) && this.meshed.has(peer)) this.link(node, peer);
  }

  private holdUp(from: NodeId, to: NodeId, number: number): void {
    const key = channel(from, to);
    if (!this.heldUp.has(key)) this.heldUp.set(key, new Set());
    this.heldUp.get(key)!.add(number);
  }

  /** Records that a message was dropped or duplicated by hand. */
  private touched(
    node: NodeId,
    at: number,
    { type, peer, number, message }: GestureReport & { readonly type: 'lost' | 'doubled' },
  ): void {
    const flying = this.flights.find(peer, node, message, number);
    if (type === 'doubled') {
      // The copy follows messages with higher numbers, so it is matched by its content.
      const { id, clock } = this.flights.launch(peer, node, message, null, flying?.clock ?? {}, at);
      this.network({ kind: 'duplicated', between: [peer, node], message: id, event: message, clock });
    } else if (flying) {
      this.flights.remove(flying);
      this.lost([flying], 'dropped by hand');
    }
  }

  /** Marks a link as the detectors of its ends report it. */
  private mark(node: NodeId, peer: NodeId, up: boolean): void {
    const key = channel(node, peer);
    if (up === !this.down.has(key) || !this.linked.has(key)) return;
    if (up) this.down.delete(key);
    else this.down.add(key);
    this.network({
      kind: 'channel',
      between: [node, peer],
      up,
      ...(up ? {} : { why: `${node} receives nothing from ${peer}` }),
      clock: {},
    });
  }

  private arrive(from: NodeId, node: NodeId, message: Message, number: number | null, at: number): LiveFlight {
    const flying = this.flights.find(from, node, message, number) ?? this.place(from, node, message, at, number);
    this.flights.remove(flying);
    if (number !== null) this.heldUp.get(channel(from, node))?.delete(number);
    // A channel in order: messages sent before have arrived before.
    if (number !== null) this.loseUpTo(from, node, number - 1, 'it arrived unseen');
    return flying;
  }

  /** Loses all messages of a connection up to this number. */
  private loseUpTo(from: NodeId, to: NodeId, last: number, why: string): void {
    const heldUp = this.heldUp.get(channel(from, to));
    this.lost(
      this.flights.takeBetween(from, to, ({ number }) => number !== null && number <= last && heldUp?.has(number) !== true),
      why,
    );
  }

  private loseBetween(from: NodeId, to: NodeId, at: number, why: string): void {
    this.lost(
      this.flights.takeBetween(from, to, ({ sentAt }) => sentAt < at),
      why,
    );
  }

  private lose(which: (one: LiveFlight) => boolean, why: string): void {
    this.lost(this.flights.take(which), why);
  }

  private lost(flights: readonly LiveFlight[], why: string): void {
    for (const { id, from, to, message, clock } of flights)
      this.network({ kind: 'lost', between: [from, to], message: id, event: message, why, clock });
  }

  private network(line: Omit<NetworkLine, 'index' | 'at'>): void {
    this.put({ index: this.index++, at: this.at, ...line });
  }

  private pass(at: number): void {
    this.at = Math.max(this.at, Math.round((at - this.began) * 1000) / 1000);
  }

  private change(node: NodeId, roles: StepReport['roles']): Overlay | undefined {
    const view = viewAfter(this.nodes.get(node) ?? {}, roles);
    this.nodes.set(node, view);
    return this.overlayOf(node, view);
  }

  private overlayOf(node: NodeId, view: NodeView): Overlay | undefined {
    return this.hosts.overlayOf(node) ?? this.marks(node, view, this) ?? this.reported.get(node);
  }

  private tick(node: NodeId, received: Clock): Clock {
    const clock = { ...this.clocks.get(node) };
    for (const [peer, count] of Object.entries(received)) clock[peer] = Math.max(clock[peer] ?? 0, count);
    clock[node] = (clock[node] ?? 0) + 1;
    this.clocks.set(node, clock);
    return clock;
  }
}

const channel = (from: NodeId, to: NodeId): string => JSON.stringify([from, to]);
