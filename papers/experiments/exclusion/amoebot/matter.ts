/**
 * Programmable matter in the canonical amoebot model (Daymude, Richa, Scheideler 2021): amoebots that occupy one node of the lattice, or
 * two while expanded, and have links to all adjacent amoebots.
 *
 * A movement reports the links that it cuts and adds. Links that stay keep their ports: at most 6 while contracted, 8 while expanded.
 */
import type { NodeId } from '../../../../machines/effects.js';
import { around, adjacentTo, isSamePoint, pointKey, type Direction, type Point } from './lattice.js';

/** The nodes of the lattice that an amoebot occupies: one while contracted, two while expanded. */
export interface Body {
  readonly head: Point;
  /** Equals the head while contracted. */
  readonly tail: Point;
}

export type Bond = readonly [NodeId, NodeId];

export interface BondChange {
  readonly cut: readonly Bond[];
  readonly joined: readonly Bond[];
}

/** Programmable matter in the canonical amoebot model: the amoebots on the nodes of the lattice, and the possible movements. */
export class Matter {
  private readonly bodies = new Map<NodeId, Body>();
  private readonly occupants = new Map<string, NodeId>();

  constructor(places: ReadonlyMap<NodeId, Point>) {
    for (const [amoebot, point] of places) this.place(amoebot, { head: point, tail: point });
  }

  private place(amoebot: NodeId, body: Body): void {
    this.bodies.set(amoebot, body);
    for (const point of [body.head, body.tail]) this.occupants.set(pointKey(point), amoebot);
  }

  /** Position of an amoebot. */
  body(amoebot: NodeId): Body {
    return this.bodies.get(amoebot)!;
  }

  isExpanded(amoebot: NodeId): boolean {
    const { head, tail } = this.body(amoebot);
    return !isSamePoint(head, tail);
  }

  /** Amoebot that occupies a node, if any. */
  at(point: Point): NodeId | undefined {
    return this.occupants.get(pointKey(point));
  }

  /** True if this point is adjacent to the head of an amoebot in this direction. */
  isAdjacent(amoebot: NodeId, direction: Direction, point: Point): boolean {
    return isSamePoint(adjacentTo(this.body(amoebot).head, direction), point);
  }

  /** All occupied nodes, as text, sorted. */
  get shape(): readonly string[] {
    return [...this.occupants.keys()].sort();
  }

  /** Amoebots adjacent to an amoebot. */
  neighbors(amoebot: NodeId): NodeId[] {
    const { head, tail } = this.body(amoebot);
    const adjacentTo = [...around(head), ...around(tail)].map((point) => this.at(point));
    return [...new Set(adjacentTo)].filter((other) => other !== undefined).filter((other) => other !== amoebot);
  }

  /** All adjacent pairs, each once. */
  bonds(): Bond[] {
    return [...this.bodies.keys()].flatMap((u) => this.neighbors(u).flatMap((v) => (u < v ? [[u, v] as const] : [])));
  }

  /** Expands a contracted amoebot into a free adjacent node; `null` if it is occupied. */
  expand(amoebot: NodeId, direction: Direction): BondChange | null {
    const { head } = this.body(amoebot);
    const target = adjacentTo(head, direction);
    if (this.at(target) !== undefined) return null;
    return this.move([amoebot], () => this.place(amoebot, { head: target, tail: head }));
  }

  /** Contracts an expanded amoebot into its head. */
  contract(amoebot: NodeId): BondChange {
    return this.move([amoebot], () => this.drawIn(amoebot));
  }

  /** A handover: an expanded amoebot contracts, and a contracted neighbor expands into the node that it leaves. */
  pull(amoebot: NodeId, follower: NodeId): BondChange {
    return this.move([amoebot, follower], () => {
      const { tail } = this.body(amoebot);
      this.drawIn(amoebot);
      this.place(follower, { head: tail, tail: this.body(follower).head });
    });
  }

  /** The other handover: a contracted amoebot expands into the tail of an expanded neighbor, which contracts. */
  push(amoebot: NodeId, leader: NodeId): BondChange {
    return this.pull(leader, amoebot);
  }

  private drawIn(amoebot: NodeId): void {
    const { head, tail } = this.body(amoebot);
    this.occupants.delete(pointKey(tail));
    this.place(amoebot, { head, tail: head });
  }

  private move(movers: readonly NodeId[], movement: () => void): BondChange {
    const bonds = () =>
      movers.flatMap((mover) => this.neighbors(mover).map((other): Bond => (mover < other ? [mover, other] : [other, mover])));
    const before = bonds();
    movement();
    const after = bonds();
    return { cut: missing(before, after), joined: missing(after, before) };
  }
}

/** The bonds of the first list that are not in the other, each once. */
function missing(bonds: readonly Bond[], others: readonly Bond[]): Bond[] {
  const known = new Set(others.map(String));
  return bonds.filter((bond) => !known.has(String(bond)) && known.add(String(bond)));
}
