/**
 * Arrival times of messages: the world's messages in flight, in time.
 *
 * A message arrives after the latency of its channel. In a `fifo` channel no message overtakes another; `reorder` is the probability that
 * one still does. A message waits where it is delayed: on a clogged channel, at a paused node, or by hand.
 */
import type { Work } from './clock.js';
import { createLatency, longestLatency } from './latency.js';
import type { SchedulerLike } from 'rxjs';
import { Media, type Medium } from './medium.js';
import { Random } from './random.js';
import type { ScenarioNetwork } from './scenario/types.js';
import { FIRST_IN_TICK, type Cancelable, type Timing } from './timing.js';
import type { Packet } from './world/flights.js';
import type { Fate } from './world/driver.js';

export const calm: ScenarioNetwork = { latency: 1, order: 'unordered', loss: 0, duplicate: 0, reorder: 0 };

/** The receiver of messages when they arrive: a world, or the input of a live node. */
export interface Destination {
  readonly flights: { get(id: number): Packet | undefined };
  readonly traffic: { isHeldUp(packet: Packet): boolean; readonly held: ReadonlySet<number> };
  deliver(packet: Packet): void;
}

export class Arrivals {
  private readonly due = new Map<number, Cancelable>();
  private readonly lastArrival = new Map<number, number>();
  /** Messages that have arrived and are delayed, oldest first. */
  private readonly parked = new Set<Packet>();
  /** Those of them that are released in this tick. */
  private readonly released = new Set<Packet>();
  /** Additional latency in ticks, by channel. */
  private readonly slowed = new Map<number, number>();
  private readonly media: Media | undefined;
  private readonly latency: (random: Random, cost: number) => number;
  private readonly latencyRandom: Random;
  private readonly faultRandom: Random;

  constructor(
    private readonly conditions: ScenarioNetwork,
    private readonly timing: Timing,
    private readonly world: () => Destination,
    seed: number,
    medium?: { readonly of: Medium; readonly clock: SchedulerLike },
  ) {
    this.media = medium && new Media(medium.of, medium.clock, this.passOn, this.fail);
    this.latency = createLatency(conditions.latency);
    this.latencyRandom = new Random(seed, 'latency');
    this.faultRandom = new Random(seed, 'faults');
  }

  fate(): Fate {
    const { loss, duplicate } = this.conditions;
    if (this.faultRandom.chance(loss)) return 'lost';
    return this.faultRandom.chance(duplicate) ? 'doubled' : 'kept';
  }

  launched(packet: Packet, placedOn?: 'its way'): void {
    if (!placedOn && this.media?.takes(packet)) return;
    const latency = (placedOn && this.wayLeft(packet)) ?? this.latency(this.latencyRandom, packet.cost);
    this.wait(packet, this.delayOf(latency, packet.channel));
  }

  /** Called when the message has arrived or was lost. */
  landed(packet: Packet): void {
    this.due.get(packet.id)?.cancel();
    this.due.delete(packet.id);
    this.parked.delete(packet);
    this.released.delete(packet);
  }

  /** Forgets the last arrival time of a channel that goes down. */
  emptied(channel: number): void {
    this.lastArrival.delete(channel);
  }

  slow(channel: number, by: number): void {
    this.slowed.set(channel, by);
  }

  /** Releases the messages that no longer have to wait. */
  release(): void {
    for (const packet of this.parked) {
      this.parked.delete(packet);
      this.released.add(packet);
      this.wait(packet, 0);
    }
  }

  /** Takes over the messages in flight of another network without media; `entries` replace the clock entries of that network. */
  takeOver(from: Arrivals, entries: ReadonlyMap<unknown, Cancelable>): void {
    for (const [id, entry] of from.due) this.due.set(id, entries.get(entry)!);
    for (const [channel, at] of from.lastArrival) this.lastArrival.set(channel, at);
    for (const [channel, by] of from.slowed) this.slowed.set(channel, by);
    for (const packet of from.parked) this.parked.add(packet);
    for (const packet of from.released) this.released.add(packet);
    this.latencyRandom.takeOver(from.latencyRandom);
    this.faultRandom.takeOver(from.faultRandom);
  }

  /** Translates an entry of the other network to this one; undefined if it is not an arrival. */
  translate(from: Arrivals, { run, arg }: Work): Work | undefined {
    return run === from.arrive ? { run: this.arrive, arg } : undefined;
  }

  /** A medium emits a message of its channel: it arrives in this tick, unless it has been lost or emitted before. */
  private readonly passOn = (id: number, channel: number): void => {
    const packet = this.world().flights.get(id);
    if (packet?.channel !== channel || this.due.has(id) || this.parked.has(packet)) return;
    this.wait(packet, this.delayOf(0, channel));
  };

  /** The clock throws the error, so the code that drives the clock receives it. */
  private readonly fail = (error: Error): void => {
    this.timing.after(0, FIRST_IN_TICK, rethrow, error);
  };

  private wait(packet: Packet, delay: number): void {
    this.due.set(packet.id, this.timing.after(delay, packet.channel, this.arrive, packet));
  }

  /** The remaining latency; a message that a corruption put in flight may be anywhere on its way. */
  private wayLeft({ cost }: Packet): number | undefined {
    const longest = longestLatency(this.conditions.latency, cost);
    return longest === Infinity ? undefined : Math.ceil(longest * this.latencyRandom.unit());
  }

  private delayOf(least: number, channel: number): number {
    const latency = least + (this.slowed.get(channel) ?? 0);
    if (this.conditions.order === 'unordered' || this.faultRandom.chance(this.conditions.reorder)) return latency;
    const now = this.timing.now();
    const arrival = Math.max(now + latency, this.lastArrival.get(channel) ?? 0);
    this.lastArrival.set(channel, arrival);
    return arrival - now;
  }

  private readonly arrive = (packet: Packet): void => {
    this.due.delete(packet.id);
    const world = this.world();
    if (world.traffic.isHeldUp(packet)) {
      this.released.delete(packet);
      if (!world.traffic.held.has(packet.id)) this.parked.add(packet);
    } else if (this.released.size > 0 && this.wouldOvertake(packet)) this.wait(packet, 0);
    else world.deliver(packet);
  };

  /** True if a delayed message that was sent before it arrives in this tick. */
  private wouldOvertake({ id, channel }: Packet): boolean {
    if (this.conditions.order === 'unordered') return false;
    return [...this.released].some((other) => other.id < id && other.channel === channel);
  }
}

function rethrow(error: Error): never {
  throw error;
}
