/**
 * Totals of facts along a search, for properties that are folds: facts are worked out once for each interned local state and packet, and
 * going from one state to another takes away what is no longer there and adds what is new.
 */
import type { Fold, Totals } from '../../machines/protocol.js';
import type { Model } from './model.js';

interface Sum {
  readonly fold: Fold;
  readonly totals: Totals<unknown, unknown>;
  readonly nodes: unknown[];
  readonly flights: unknown[];
}

export class SearchSums {
  private readonly sums: readonly Sum[];
  private readonly locals: Int32Array;
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
  }

  of(fold: Fold): Totals<unknown, unknown> {
    return this.sums.find((sum) => sum.fold === fold)!.totals;
  }

  /** Goes to a state. */
  goTo(row: Int32Array, begin: number, length: number): void {
    if (this.sums.length === 0) return;
    const { locals } = this;
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

  private fly(packets: Int32Array): void {
    const { more, inFlight } = this;
    for (let i = 0; i < inFlight; i++) more[this.packets[i]!] = (more[this.packets[i]!] ?? 0) - 1;
    for (const packet of packets) more[packet] = (more[packet] ?? 0) + 1;
    // What went goes first, so that no total ever holds more than there is.
    for (let i = 0; i < inFlight; i++) this.change(this.packets[i]!, -1);
    for (const packet of packets) this.change(packet, 1);
    if (this.packets.length < packets.length) this.packets = new Int32Array(2 * packets.length);
    this.packets.set(packets);
    this.inFlight = packets.length;
  }

  private change(packet: number, by: 1 | -1): void {
    for (; this.more[packet]! * by > 0; this.more[packet]! -= by)
      for (const sum of this.sums) sum.totals.flight(this.ofPacket(sum, packet), by);
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
