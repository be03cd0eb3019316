/**
 * The totals of a fold. A fact is computed once for each interned local state and packet. Moving from one state to another subtracts the
 * facts that are gone and adds the new ones.
 */
import type { Fold, Totals } from '../../machines/folded.js';
import type { ChannelState } from '../../machines/protocol.js';
import { grown } from './ints.js';
import type { Model } from './model.js';

export class SearchSum {
  readonly totals: Totals<unknown, unknown>;
  /** The state of the totals: local states, channels and packets. */
  private readonly locals: Int32Array;
  private channels: readonly ChannelState[] = [];
  private packets = new Int32Array(0);
  private inFlight = 0;
  private readonly nodeFacts: unknown[] = [];
  private readonly flightFacts: unknown[] = [];
  /** For each packet, how many more copies are in flight than before. All entries are zero between two states. */
  private more = new Int32Array(1 << 8);

  constructor(
    private readonly fold: Fold,
    private readonly model: Model,
  ) {
    const { nodes, instance } = model.system;
    this.totals = fold.totals(instance);
    this.locals = new Int32Array(nodes.length).fill(-1);
  }

  /** Updates the totals to a state. */
  goTo(row: Int32Array, begin: number, length: number): void {
    const { locals, totals } = this;
    if (totals.channel) this.updateChannels(this.model.environments.channels(row[begin]!));
    for (let node = 0; node < locals.length; node++) {
      const local = row[begin + 1 + node]!;
      if (locals[node] === local) continue;
      if (locals[node] !== -1) totals.node(this.ofLocal(locals[node]!), -1);
      totals.node(this.ofLocal(local), 1);
      locals[node] = local;
    }
    this.updateFlights(row, begin + 1 + locals.length, begin + length);
  }

  ofLocal(local: number): unknown {
    const { nodeFacts, fold } = this;
    if (nodeFacts[local] === undefined) {
      const { system, steps } = this.model;
      const { node, view } = steps.locals.get(local);
      nodeFacts[local] = fold.node(view, system.nodes[node]!, system.instance);
    }
    return nodeFacts[local];
  }

  ofPacket(packet: number): unknown {
    const { packets, system } = this.model;
    return (this.flightFacts[packet] ??= this.fold.flight(packets.flight(packet), system.instance));
  }

  private updateChannels(channels: readonly ChannelState[]): void {
    const before = this.channels;
    if (channels === before) return;
    this.channels = channels;
    channels.forEach((channel, i) => {
      if (before[i]?.up !== channel.up || before[i].port !== channel.port) this.totals.channel!(channel);
    });
  }

  private updateFlights(row: Int32Array, begin: number, end: number): void {
    const inFlight = end - begin;
    if (this.packets.length < inFlight) this.packets = grown(this.packets, inFlight);
    const { packets } = this;
    // Most packets stay the same, and the changed ones are adjacent.
    let first = 0;
    while (first < inFlight && first < this.inFlight && packets[first] === row[begin + first]) first++;
    if (first === inFlight && first === this.inFlight) return;
    if (this.fold.isOrdered) this.updateOrdered(packets.subarray(0, this.inFlight), row.subarray(begin, end));
    else this.updateUnordered(row, begin, end, first);
    for (let i = first; i < inFlight; i++) packets[i] = row[begin + i]!;
    this.inFlight = inFlight;
  }

  /** The packets before `first` are unchanged. */
  private updateUnordered(row: Int32Array, begin: number, end: number, first: number): void {
    const { packets } = this;
    let last = this.inFlight;
    let until = end;
    // The packets after these are unchanged as well.
    for (; last > first && until > begin + first && packets[last - 1] === row[until - 1]; last--) until--;
    let most = 0;
    for (let i = first; i < last; i++) if (packets[i]! > most) most = packets[i]!;
    for (let i = begin + first; i < until; i++) if (row[i]! > most) most = row[i]!;
    if (most >= this.more.length) this.more = grown(this.more, most + 1);
    const { more } = this;
    for (let i = first; i < last; i++) more[packets[i]!]!--;
    for (let i = begin + first; i < until; i++) more[row[i]!]!++;
    // Subtract first, so that no total ever counts more than there is.
    for (let i = first; i < last; i++) if (more[packets[i]!]! < 0) this.change(packets[i]!, -1);
    for (let i = begin + first; i < until; i++) if (more[row[i]!]! > 0) this.change(row[i]!, 1);
  }

  private change(packet: number, by: 1 | -1): void {
    for (const { more } = this; more[packet]! * by > 0; more[packet]! -= by) this.totals.flight(this.ofPacket(packet), by);
  }

  /** Removes and adds again all packets of each channel on which something has changed. */
  private updateOrdered(before: Int32Array, packets: Int32Array): void {
    const { data: channelOf } = this.model.packets.channel;
    const isChanged = (packet: number) => !isSame(before, packets, channelOf, channelOf[packet]!);
    for (const packet of before) if (isChanged(packet)) this.totals.flight(this.ofPacket(packet), -1);
    for (const packet of packets) if (isChanged(packet)) this.totals.flight(this.ofPacket(packet), 1);
  }
}

/** True if a channel contains the same packets in the same order. */
function isSame(before: Int32Array, after: Int32Array, channelOf: Int32Array, channel: number): boolean {
  for (let i = 0, j = 0; ; i++, j++) {
    while (i < before.length && channelOf[before[i]!] !== channel) i++;
    while (j < after.length && channelOf[after[j]!] !== channel) j++;
    if (i === before.length || j === after.length) return i === before.length && j === after.length;
    if (before[i] !== after[j]) return false;
  }
}
