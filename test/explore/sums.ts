/**
 * Totals for properties that are folds. Facts are computed once for each interned local state and packet. Moving from one state to another
 * subtracts the facts that are gone and adds the new ones.
 */
import type { Fold, Totals } from '../../machines/folded.js';
import type { ChannelState } from '../../machines/protocol.js';
import { grown } from './ints.js';
import type { Model } from './model.js';

interface Sum {
  readonly fold: Fold;
  readonly totals: Totals<unknown, unknown>;
  readonly nodes: unknown[];
  readonly flights: unknown[];
}

export class SearchSums {
  private readonly sums: readonly Sum[];
  private readonly totals: ReadonlyMap<Fold, Totals<unknown, unknown>>;
  /** Sums that depend on the order of messages. */
  private readonly ordered: readonly Sum[];
  private readonly unordered: readonly Sum[];
  /** Sums that depend on channels. */
  private readonly linked: readonly Sum[];
  private readonly locals: Int32Array;
  private environment = -1;
  private channels: readonly ChannelState[] = [];
  private packets = new Int32Array(0);
  private inFlight = 0;
  /** For each packet, how many more copies are in flight than before. All entries are zero between two states. */
  private more = new Int32Array(1 << 8);

  constructor(
    folds: Iterable<Fold>,
    private readonly model: Model,
  ) {
    const { nodes, instance } = model.system;
    this.locals = new Int32Array(nodes.length).fill(-1);
    this.sums = [...new Set(folds)].map((fold) => ({ fold, totals: fold.totals(instance), nodes: [], flights: [] }));
    this.totals = new Map(this.sums.map(({ fold, totals }) => [fold, totals]));
    this.ordered = this.sums.filter(({ fold }) => fold.isOrdered);
    this.unordered = this.sums.filter(({ fold }) => !fold.isOrdered);
    this.linked = this.sums.filter(({ totals }) => totals.channel);
  }

  of(fold: Fold): Totals<unknown, unknown> {
    return this.totals.get(fold)!;
  }

  /** Updates all totals to a state. */
  goTo(row: Int32Array, begin: number, length: number): void {
    const { sums, locals } = this;
    if (sums.length === 0) return;
    if (this.linked.length > 0 && row[begin] !== this.environment) this.updateChannels((this.environment = row[begin]!));
    for (let node = 0; node < locals.length; node++) {
      const local = row[begin + 1 + node]!;
      if (locals[node] === local) continue;
      for (let i = 0; i < sums.length; i++) {
        const sum = sums[i]!;
        if (locals[node] !== -1) sum.totals.node(this.ofLocal(sum, locals[node]!), -1);
        sum.totals.node(this.ofLocal(sum, local), 1);
      }
      locals[node] = local;
    }
    this.updateFlights(row, begin + 1 + locals.length, begin + length);
  }

  private updateChannels(environment: number): void {
    const before = this.channels;
    this.channels = this.model.environments.channels(environment);
    if (this.channels === before) return;
    this.channels.forEach((channel, i) => {
      const { up, port } = channel;
      if (before[i]?.up === up && before[i].port === port) return;
      for (const { totals } of this.linked) totals.channel!(channel);
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
    if (this.unordered.length > 0) this.updateUnordered(row, begin, end, first);
    if (this.ordered.length > 0) this.updateOrdered(packets.subarray(0, this.inFlight), row.subarray(begin, end));
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
    const { more, unordered } = this;
    for (; more[packet]! * by > 0; more[packet]! -= by)
      for (let i = 0; i < unordered.length; i++) unordered[i]!.totals.flight(this.ofPacket(unordered[i]!, packet), by);
  }

  /** Removes and adds again all packets of each channel on which something has changed. */
  private updateOrdered(before: Int32Array, packets: Int32Array): void {
    const { data: channelOf } = this.model.packets.channel;
    const isChanged = (packet: number) => !isSame(before, packets, channelOf, channelOf[packet]!);
    for (const packet of before)
      if (isChanged(packet)) for (const sum of this.ordered) sum.totals.flight(this.ofPacket(sum, packet), -1);
    for (const packet of packets)
      if (isChanged(packet)) for (const sum of this.ordered) sum.totals.flight(this.ofPacket(sum, packet), 1);
  }

  private ofLocal({ fold, nodes }: Sum, local: number): unknown {
    if (nodes[local] === undefined) {
      const { system, steps } = this.model;
      const { node, view } = steps.locals.get(local);
      nodes[local] = fold.node(view, system.nodes[node]!, system.instance);
    }
    return nodes[local];
  }

  private ofPacket({ fold, flights }: Sum, packet: number): unknown {
    return (flights[packet] ??= fold.flight(this.model.packets.flight(packet), this.model.system.instance));
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
