/**
 * The message bus: what is in flight, when it arrives, and what the faults make of it.
 *
 * Channels are directed. In a `fifo` channel no message overtakes another; `reorder` is the chance that one does all the same. A
 * message is lost or doubled when it is sent, so that the trace tells it apart from one that a cut link swallowed.
 */
import { Subject } from 'rxjs';
import type { Message, NodeId } from '../machines/effects.js';
import type { Flight } from '../machines/protocol.js';
import { createLatency, longestLatency, type LatencySpec } from './latency.js';
import { Random } from './random.js';
import type { Cancellable, Timing } from './timing.js';

export interface Conditions {
  readonly latency: LatencySpec;
  readonly order: 'fifo' | 'unordered';
  /** Chances, 0 to 1, drawn for each message. */
  readonly loss: number;
  readonly duplicate: number;
  readonly reorder: number;
}

export const calm: Conditions = { latency: 1, order: 'unordered', loss: 0, duplicate: 0, reorder: 0 };

export interface Lost {
  readonly flight: Flight;
  readonly why: 'loss' | 'link down' | 'no route' | 'node down';
}

interface Packet extends Flight {
  readonly channel: number;
  arrival: Cancellable | null;
}

export class Bus {
  readonly lost$ = new Subject<Lost>();
  readonly duplicated$ = new Subject<Flight>();
  /** Messages that no node sent: a corruption or a given start put them in flight. */
  readonly placed$ = new Subject<Flight>();
  private readonly inFlight = new Map<number, Packet>();
  /** The same, by channel and in the order of sending. */
  private readonly onChannel = new Map<number, Set<Packet>>();
  private readonly lastArrival = new Map<number, number>();
  /** Messages that have arrived at a clogged channel or a paused node, oldest first. */
  private readonly parked = new Set<Packet>();
  /** Those of them that are let go in this tick. */
  private readonly released = new Set<Packet>();
  private readonly clogged = new Set<number>();
  /** By channel: ticks on top of its latency. */
  private readonly slowed = new Map<number, number>();
  /** Messages kept back by hand. */
  private readonly held = new Set<Packet>();
  private readonly paused = new Set<NodeId>();
  private readonly latency: (random: Random, cost: number) => number;
  private readonly latencyRandom: Random;
  private readonly faultRandom: Random;
  private sent = 0;

  constructor(
    private readonly conditions: Conditions,
    private readonly timing: Timing,
    /** A number for each channel, which is also its place in the order of one tick: by receiver, then by sender. */
    private readonly channelOf: (from: NodeId, to: NodeId) => number,
    private readonly receive: (flight: Flight) => void,
    seed: number,
  ) {
    this.latency = createLatency(conditions.latency);
    this.latencyRandom = new Random(seed, 'latency');
    this.faultRandom = new Random(seed, 'faults');
  }

  /** How many messages are in flight. */
  get size(): number {
    return this.inFlight.size;
  }

  /** Everything in flight, in the order of sending. */
  get flights(): readonly Flight[] {
    return [...this.inFlight.values()];
  }

  /** What is in flight from one node to another, in the order of sending. */
  between(from: NodeId, to: NodeId): readonly Flight[] {
    return [...(this.onChannel.get(this.channelOf(from, to)) ?? [])];
  }

  send(from: NodeId, to: NodeId, message: Message, cost: number): Flight {
    const { loss, duplicate } = this.conditions;
    const packet = this.launch(from, to, message, cost);
    if (this.faultRandom.chance(loss)) {
      this.lose(packet, 'loss');
    } else if (this.faultRandom.chance(duplicate)) {
      this.duplicated$.next(this.launch(from, to, message, cost));
    }
    return packet;
  }

  /** Puts messages in flight, in this order, and nothing else is numbered before them. */
  restore(flights: readonly Flight[]): void {
    for (const { from, to, message, cost } of flights) this.placed$.next(this.launch(from, to, message, cost));
  }

  private launch(
    from: NodeId,
    to: NodeId,
    message: Message,
    cost: number,
    latency = this.latency(this.latencyRandom, cost),
  ): Packet {
    const channel = this.channelOf(from, to);
    const packet: Packet = { id: this.sent++, from, to, message, cost, channel, arrival: null };
    this.inFlight.set(packet.id, packet);
    const others = this.onChannel.get(channel);
    if (others) others.add(packet);
    else this.onChannel.set(channel, new Set([packet]));
    packet.arrival = this.timing.after(this.delayOf(latency, channel), channel, this.arrive, packet);
    return packet;
  }

  private delayOf(least: number, channel: number): number {
    const latency = least + (this.slowed.get(channel) ?? 0);
    if (this.conditions.order === 'unordered' || this.faultRandom.chance(this.conditions.reorder)) return latency;
    const now = this.timing.now();
    const arrival = Math.max(now + latency, this.lastArrival.get(channel) ?? 0);
    this.lastArrival.set(channel, arrival);
    return arrival - now;
  }

  /** Delivers a message of the given number now; the checker's schedules do. */
  deliver(id: number): boolean {
    const packet = this.inFlight.get(id);
    if (!packet) return false;
    packet.arrival?.cancel();
    this.parked.delete(packet);
    this.arrive(packet);
    return true;
  }

  drop(id: number): boolean {
    const packet = this.inFlight.get(id);
    if (packet) this.lose(packet, 'loss');
    return packet !== undefined;
  }

  /** Keeps a message back until it is delivered by hand. */
  hold(id: number): boolean {
    const packet = this.inFlight.get(id);
    packet?.arrival?.cancel();
    if (packet) {
      this.parked.delete(packet);
      this.held.add(packet);
    }
    return packet !== undefined;
  }

  duplicate(id: number): boolean {
    const packet = this.inFlight.get(id);
    if (packet) this.duplicated$.next(this.launch(packet.from, packet.to, packet.message, packet.cost));
    return packet !== undefined;
  }

  private readonly arrive = (packet: Packet): void => {
    if (this.isHeldUp(packet)) {
      this.released.delete(packet);
      this.parked.add(packet);
      return;
    }
    if (this.released.size > 0 && this.wouldOvertake(packet)) {
      packet.arrival = this.timing.after(0, packet.channel, this.arrive, packet);
      return;
    }
    this.takeOff(packet);
    this.receive(packet);
  };

  /** Whether one that was sent before it and held up is to arrive in this very tick. */
  private wouldOvertake({ id, channel }: Packet): boolean {
    if (this.conditions.order === 'unordered') return false;
    return [...this.released].some((other) => other.id < id && other.channel === channel);
  }

  private takeOff(packet: Packet): void {
    this.inFlight.delete(packet.id);
    this.released.delete(packet);
    this.held.delete(packet);
    const others = this.onChannel.get(packet.channel)!;
    others.delete(packet);
    if (others.size === 0) this.onChannel.delete(packet.channel);
  }

  /** Whether some channel is clogged, some node paused or some message kept back. */
  get holdsUp(): boolean {
    return this.paused.size + this.clogged.size + this.held.size > 0;
  }

  private isHeldUp({ to, channel }: Packet): boolean {
    return (this.paused.size > 0 && this.paused.has(to)) || (this.clogged.size > 0 && this.clogged.has(channel));
  }

  lose(flight: Flight, why: Lost['why']): void {
    const packet = this.inFlight.get(flight.id);
    if (packet) {
      packet.arrival?.cancel();
      this.parked.delete(packet);
      this.takeOff(packet);
    }
    this.lost$.next({ flight, why });
  }

  /** Loses everything that is in flight from one node to another. */
  empty(from: NodeId, to: NodeId): void {
    for (const packet of this.between(from, to)) this.lose(packet, 'link down');
    this.lastArrival.delete(this.channelOf(from, to));
  }

  /** Puts messages in flight in place of what was there, oldest first, each anywhere on its way. */
  replace(from: NodeId, to: NodeId, messages: readonly Message[], cost: number): void {
    this.empty(from, to);
    const longest = longestLatency(this.conditions.latency, cost);
    const wayLeft = () => (longest === Infinity ? undefined : Math.ceil(longest * this.latencyRandom.unit()));
    for (const message of messages) this.placed$.next(this.launch(from, to, message, cost, wayLeft()));
  }

  /** Every message sent from now on takes so many ticks longer. */
  slow(from: NodeId, to: NodeId, by: number): void {
    this.slowed.set(this.channelOf(from, to), by);
  }

  setClogged(from: NodeId, to: NodeId, clogged: boolean): void {
    if (clogged) this.clogged.add(this.channelOf(from, to));
    else if (this.clogged.delete(this.channelOf(from, to))) this.releaseParked();
  }

  setPaused(node: NodeId, paused: boolean): void {
    if (paused) this.paused.add(node);
    else if (this.paused.delete(node)) this.releaseParked();
  }

  isPaused(node: NodeId): boolean {
    return this.paused.has(node);
  }

  private releaseParked(): void {
    for (const packet of this.parked) {
      this.parked.delete(packet);
      this.released.add(packet);
      packet.arrival = this.timing.after(0, packet.channel, this.arrive, packet);
    }
  }
}
