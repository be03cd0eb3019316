/**
 * Gestures on one live node: every message from its transport passes through this gate before its charts take it.
 *
 * The gestures and their rules are those of simulated runs. A paused node, a clogged channel and a message kept back by hand follow the
 * rules of network/arrivals.ts and network/world/traffic.ts. Without a gesture, messages pass without delay. `letGo` ends every gesture,
 * and the node takes waiting messages in the order of their arrival.
 */
import { UsageError } from '../../machines/errors.js';
import type { Message, NodeId } from '../../machines/effects.js';
import type { Core } from '../../machines/protocol.js';
import { Arrivals, calm } from '../../network/arrivals.js';
import { readEvents, type EventScope } from '../../network/scenario/events.js';
import { timingOn } from '../../network/timing.js';
import { channelNumbers, FlightTable, type Packet } from '../../network/world/flights.js';
import type { CommandEvent, MessageEvent } from '../../network/world/script.js';
import { isHeldUp } from '../../network/world/traffic.js';
import { offeredBy, type Offer } from '../offers.js';
import type { Reached } from './reached.js';
import { now, type GestureReport, type Inspectable, type PeerReport, type StepReport } from './report.js';

/**
 * The gestures that are possible on a live node. Links belong to its transport and the process to the program, so neither can be changed.
 */
export const LIVE_GESTURES = ['pause', 'resume', 'clog', 'unclog', 'slow', 'drop', 'duplicate', 'hold', 'deliver'] as const;

interface Arrival {
  readonly from: NodeId;
  readonly message: Message;
  readonly number: number | null;
}

/** The parts of a node that gestures use. */
export type Reachable = Pick<Inspectable, 'id' | 'protocol' | 'instance' | 'environment' | 'attempt' | 'guard'>;

/** The message that a gesture concerns: its number on its connection or, on channels without order, its content. */
export type MessageMeant = Arrival;

/** Receives the effects of gestures on a message or on the node as a whole. */
export interface GateListener {
  message(observation: GestureReport): void;
  node(what: string): void;
}

type Waiting = Arrival & { readonly take: () => void };

export class NodeGate {
  private readonly paused = new Set<NodeId>();
  private readonly clogged = new Set<string>();
  private readonly held = new Set<number>();
  private readonly slowed = new Set<NodeId>();
  private readonly flights: FlightTable;
  private readonly waiting = new Map<number, Waiting>();
  private readonly arrivals: Arrivals;

  constructor(
    private readonly node: Reachable,
    private readonly listener: GateListener,
  ) {
    this.flights = new FlightTable(channelNumbers(node.instance));
    const { flights, paused, clogged, held } = this;
    const traffic = { held, isHeldUp: (packet: Packet) => isHeldUp({ paused, clogged, held }, packet) };
    const destination = { flights, traffic, deliver: (packet: Packet) => this.arrive(packet) };
    const conditions = { ...calm, latency: 0, order: 'fifo' as const };
    this.arrivals = new Arrivals(conditions, timingOn(node.environment.clock), () => destination, 0);
    node.guard(this);
  }

  get isShut(): boolean {
    return this.paused.size > 0;
  }

  comes({ from, message, number }: Arrival & { readonly number: number }, take: () => void): void {
    const isOpen = this.paused.size + this.clogged.size + this.slowed.size + this.waiting.size === 0;
    if (isOpen) take();
    else this.launch({ from, message, number: number === 0 ? null : number, take });
  }

  parted(peer: NodeId): void {
    for (const packet of this.flights.between(peer, this.node.id)) this.land(packet);
    this.arrivals.emptied(this.flights.channelOf(peer, this.node.id));
  }

  /** The gestures that are possible, and those in effect. */
  offer(): Offer {
    const { protocol, instance } = this.node;
    const standing = [
      ...(this.isShut ? ['paused'] : []),
      ...[...this.clogged].map((channel) => `clogged from ${channel.split('\n')[0]}`),
      ...[...this.slowed].map((peer) => `slow from ${peer}`),
      ...this.flights.all
        .filter(({ id }) => this.held.has(id))
        .map(({ message, from }) => `${message.type} of ${from} kept back`),
    ];
    return { commands: offeredBy(protocol, instance.options), does: LIVE_GESTURES, standing };
  }

  /**
   * Performs a gesture, an event as in a scenario; `of` selects the message.
   *
   * @throws UsageError if the event is invalid or not possible on a live node. Nothing changes then.
   */
  do(asked: Readonly<Record<string, unknown>>, of?: MessageMeant): void {
    const event = readEvents([{ at: 0, ...asked, ...(of && { message: this.meant(of).id }) }], 'gesture', this.scope())[0]!;
    switch (event.do) {
      case 'command':
        return this.command(event);
      case 'pause':
      case 'resume':
        return this.pause(event.do === 'pause');
      case 'clog':
      case 'unclog':
        return this.clog(this.peerOf(event.channel), event.do === 'clog');
      case 'slow':
        return this.slow(this.peerOf(event.channel), event.by);
      case 'drop':
      case 'duplicate':
      case 'hold':
      case 'deliver':
        return this.touch(event);
      default:
        throw new UsageError(
          `"${event.do}" is not possible on a live node. Use ${LIVE_GESTURES.join(', ')} or a command of its protocol.`,
        );
    }
  }

  /** Ends all gestures. The node takes all waiting messages now. */
  letGo(): void {
    const { length } = this.offer().standing ?? [];
    for (const set of [this.paused, this.clogged, this.held]) set.clear();
    for (const peer of this.slowed) this.arrivals.slow(this.flights.channelOf(peer, this.node.id), 0);
    this.slowed.clear();
    for (const packet of this.flights.all) this.pass(packet);
    this.node.guard(this);
    if (length > 0) this.listener.node('was let go');
  }

  /** Removes the gate and all its effects. */
  remove(): void {
    this.letGo();
    this.node.guard();
  }

  private scope(): EventScope {
    const { protocol, instance } = this.node;
    return { protocol: protocol as Core & EventScope['protocol'], options: instance.options, graph: instance, contacts: [] };
  }

  private command({ name, fields }: CommandEvent): void {
    if (!this.node.attempt(name, fields))
      throw new UsageError(
        `Node "${this.node.id}" cannot accept the command "${name}" in its current state. Nothing has changed.`,
      );
    this.listener.node(`was given the command ${name} by hand`);
  }

  private pause(on: boolean): void {
    if (on) this.paused.add(this.node.id);
    else this.paused.delete(this.node.id);
    this.listener.node(on ? 'was paused by hand' : 'was resumed by hand');
    if (on) return;
    this.arrivals.release();
    this.node.guard(this);
  }

  private clog(peer: NodeId, on: boolean): void {
    const key = `${peer}\n${this.node.id}`;
    if (on) this.clogged.add(key);
    else this.clogged.delete(key);
    this.listener.node(`receives ${on ? 'nothing' : 'again'} from ${peer}, by hand`);
    if (!on) this.arrivals.release();
  }

  private slow(peer: NodeId, by: number): void {
    this.arrivals.slow(this.flights.channelOf(peer, this.node.id), by);
    if (by > 0) this.slowed.add(peer);
    else this.slowed.delete(peer);
    this.listener.node(`receives from ${peer} ${by} ms later, by hand`);
  }

  private touch({ do: what, message }: MessageEvent): void {
    const packet = this.flights.get(message)!;
    const { from: peer, number, take, message: content } = this.waiting.get(message)!;
    switch (what) {
      case 'deliver':
        return this.pass(packet);
      case 'hold':
        return void this.held.add(packet.id);
      case 'drop':
        this.land(packet);
        return this.listener.message({ type: 'lost', peer, number, message: content });
      case 'duplicate':
        this.listener.message({ type: 'doubled', peer, number, message: content });
        return this.launch({ from: peer, message: content, number, take });
    }
  }

  private launch(arrival: Waiting): void {
    const { from, message, number } = arrival;
    const packet = this.flights.launch(from, this.node.id, message, 0);
    this.waiting.set(packet.id, arrival);
    if (number !== null) this.listener.message({ type: 'waits', peer: from, number });
    this.arrivals.launched(packet);
  }

  /** Takes earlier messages of the channel first, except those kept back: the timers of a platform fire in any order. */
  private arrive({ id, from, to }: Packet): void {
    for (const packet of this.flights.between(from, to)) if (packet.id <= id && !this.held.has(packet.id)) this.pass(packet);
  }

  private pass(packet: Packet): void {
    const arrival = this.waiting.get(packet.id);
    this.land(packet);
    arrival?.take();
  }

  private land(packet: Packet): void {
    this.flights.remove(packet);
    this.waiting.delete(packet.id);
    this.held.delete(packet.id);
    this.arrivals.landed(packet);
  }

  private meant({ from, number, message }: MessageMeant): Packet {
    const text = JSON.stringify(message);
    const isMeant = (one: Waiting) => (number === null ? JSON.stringify(one.message) === text : one.number === number);
    const packet = this.flights.between(from, this.node.id).find(({ id }) => isMeant(this.waiting.get(id)!));
    if (packet) return packet;
    throw new UsageError(
      `The message "${message.type}" from "${from}" has already arrived. ` +
        'To hold back the next one, pause the node or clog the channel first.',
    );
  }

  private peerOf([from, to]: readonly [NodeId, NodeId]): NodeId {
    if (to === this.node.id) return from;
    throw new UsageError(
      `Node "${this.node.id}" does not hold back messages from "${from}" to "${to}", which "${to}" receives. Send the command to "${to}".`,
    );
  }
}

/** Accepts gestures for a node under its reported name; `to` and `of` convert an id to that name and back. */
export function reachNode(
  node: Reachable,
  reached: Reached,
  report: (report: StepReport | PeerReport) => void,
  { to = unchanged, of = unchanged }: { to?(id: string): string; of?(name: string): string } = {},
): () => void {
  const name = to(node.id);
  const listener: GateListener = {
    message: (observation) =>
      report({ at: now(), node: name, kind: 'peer', observation: { ...observation, peer: to(observation.peer) } }),
    node: (type) => report({ at: now(), node: name, kind: 'note', event: { type }, sent: [], emitted: [], roles: {} }),
  };
  const gate = new NodeGate(node, listener);
  const remove = reached.add(name, {
    offer: () => gate.offer(),
    do: ({ node: named, channel, ...rest }, meant) =>
      gate.do(
        {
          ...rest,
          ...(typeof named === 'string' && { node: of(named) }),
          ...(Array.isArray(channel) && { channel: channel.map((end) => of(String(end))) }),
        },
        meant && { ...meant, from: of(meant.from) },
      ),
    letGo: () => gate.letGo(),
  });
  return () => {
    remove();
    gate.remove();
  };
}

const unchanged = (name: string): string => name;
