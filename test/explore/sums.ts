/**
 * Totals of facts along a search, for properties that are folds: facts are worked out once for each interned local state and packet, and
 * going from one state to another takes away what is no longer there and adds what is new.
 */
import type { ChannelState, Fold, Totals } from '../../machines/protocol.js';
import type { Model } from './model.js';

interface Sum {
  readonly fold: Fold;
  readonly totals: Totals<unknown, unknown>;
  readonly nodes: unknown[];
  readonly flights: unknown[];
}

export class SearchSums {
  private readonly sums: readonly Sum[];
  /** Those that keep messages in their order. */
  private readonly ordered: readonly Sum[];
  private readonly unordered: readonly Sum[];
  /** Those that look at channels. */
  private readonly linked: readonly Sum[];
  private readonly locals: Int32Array;
  private environment = -1;
  private channels: readonly ChannelState[] = [];
  private packets = new Int32Array(0);
  private inFlight = 0;
  /** How often each packet is in flight more than before; all zero between two states. */
  private readonly more: number[] = [];

  constructor(
    folds: Iterable<Fold>,
    private readonly model: Model,
  ) {
    const { nodes, instance } = model.system;
    this.locals = new Int32Array(nodes.length).fill(-1);
    this.sums = [...new Set(folds)].map((fold) => ({ fold, totals: fold.totals(instance), nodes: [], flights: [] }));
    this.ordered = this.sums.filter(({ fold }) => fold.isOrdered);
    this.unordered = this.sums.filter(({ fold }) => !fold.isOrdered);
    this.linked = this.sums.filter(({ totals }) => totals.channel);
  }

  of(fold: Fold): Totals<unknown, unknown> {
    return this.sums.find((sum) => sum.fold === fold)!.totals;
  }

  /** Goes to a state. */
  goTo(row: Int32Array, begin: number, length: number): void {
    if (this.sums.length === 0) return;
    const { locals } = this;
    if (this.linked.length > 0 && row[begin] !== this.environment) this.turn((this.environment = row[begin]!));
    for (let node = 0; node < locals.length; node++) {
      const local = row[begin + 1 + node]!;
      if (locals[node] === local) continue;
      for (const sum of this.sums) {
        if (locals[node] !== -1) sum.totals.node(this.ofLocal(sum, locals[node]!), -1);
        sum.totals.node(this.ofLocal(sum, local), 1);
      }
      locals[node] = local;
    }
    this.fly(row.subarray(begin + 1 + locals.length, begin + length));
  }

  private turn(environment: number): void {
    const before = this.channels;
    this.channels = this.model.environments.channels(environment);
    if (this.channels === before) return;
    this.channels.forEach((channel, i) => {
      const { up, port } = channel;
      if (before[i]?.up === up && before[i].port === port) return;
      for (const { totals } of this.linked) totals.channel!(channel);
    });
  }

  private fly(packets: Int32Array): void {
    if (this.ordered.length > 0) this.flyInOrder(packets);
    if (this.unordered.length > 0) this.flyInAnyOrder(packets);
    if (this.packets.length < packets.length) this.packets = new Int32Array(2 * packets.length);
    this.packets.set(packets);
    this.inFlight = packets.length;
  }

  private flyInAnyOrder(packets: Int32Array): void {
    const { more, inFlight } = this;
    for (let i = 0; i < inFlight; i++) more[this.packets[i]!] = (more[this.packets[i]!] ?? 0) - 1;
    for (const packet of packets) more[packet] = (more[packet] ?? 0) + 1;
    // What went goes first, so that no total ever holds more than there is.
    for (let i = 0; i < inFlight; i++) this.change(this.packets[i]!, -1);
    for (const packet of packets) this.change(packet, 1);
  }

  private change(packet: number, by: 1 | -1): void {
    for (; this.more[packet]! * by > 0; this.more[packet]! -= by)
      for (const sum of this.unordered) sum.totals.flight(this.ofPacket(sum, packet), by);
  }

  /** Of a channel on which something has changed, all goes and comes anew. */
  private flyInOrder(packets: Int32Array): void {
    const before = this.packets.subarray(0, this.inFlight);
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

/** Whether the same is on a channel, in the same order. */
function isSame(before: Int32Array, after: Int32Array, channelOf: Int32Array, channel: number): boolean {
  for (let i = 0, j = 0; ; i++, j++) {
    while (i < before.length && channelOf[before[i]!] !== channel) i++;
    while (j < after.length && channelOf[after[j]!] !== channel) j++;
    if (i === before.length || j === after.length) return i === before.length && j === after.length;
    if (before[i] !== after[j]) return false;
  }
}
