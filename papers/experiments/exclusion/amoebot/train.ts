/**
 * A train: amoebots in a line follow the first of them along a way, by pushes.
 *
 * Roles. The engine has a way to go; each of the others has a `front`, the amoebot before it. An expanded amoebot waits for a push from
 * behind; the last one contracts by itself. An expanding amoebot writes its direction into the memory of the one behind it. An action
 * depends on the amoebot and its locked neighbors, and writes only those.
 */
import type { NodeId } from '../../../../machines/effects.js';
import { toward, type Direction, type Point } from './lattice.js';
import { Matter, type BondChange } from './matter.js';
import { Operations } from './operations.js';

/** The public memory of a carriage. */
export interface Carriage {
  /** Remaining directions of the engine. */
  readonly way: readonly Direction[];
  /** Direction from the head to the tail of the amoebot before it; `null` for the engine. */
  readonly front: Direction | null;
  /** Direction in which the head of that amoebot went from there, once it has moved. */
  readonly next: Direction | null;
}

/** Next action of a carriage. */
export type Shunting = { readonly do: 'expand' | 'push'; readonly direction: Direction } | { readonly do: 'contract' };

/** The train: amoebots in a line follow the first of them along a way, one action of one amoebot at a time. */
export class Train {
  /** Positions of the amoebots. */
  readonly matter: Matter;
  private readonly memories = new Map<NodeId, Carriage>();

  /** The first amoebot is the engine; each of the others begins next to the one before it. */
  constructor(places: ReadonlyMap<NodeId, Point>, way: readonly Direction[]) {
    this.matter = new Matter(places);
    let before: Point | null = null;
    for (const [amoebot, point] of places) {
      this.memories.set(amoebot, { way: before ? [] : way, front: before && toward(point, before), next: null });
      before = point;
    }
  }

  get amoebots(): readonly NodeId[] {
    return [...this.memories.keys()];
  }

  /** True if the engine has completed its way, and all have followed. */
  get isFormed(): boolean {
    return [...this.memories].every(([amoebot, { way }]) => way.length === 0 && !this.matter.isExpanded(amoebot));
  }

  /** The enabled action of an amoebot, from its own state and these neighbors. */
  enabled(amoebot: NodeId, neighbors: readonly NodeId[]): Shunting | null {
    const here = this.at(amoebot, neighbors);
    const { way, front, next } = here.read(amoebot);
    if (here.isExpanded(amoebot)) return this.behind(here) === undefined ? { do: 'contract' } : null;
    if (front === null) {
      const [direction] = way;
      return direction === undefined || here.connected(direction) !== undefined ? null : { do: 'expand', direction };
    }
    const leader = here.connected(front);
    if (next === null || leader === undefined || !neighbors.includes(leader)) return null;
    return here.isExpanded(leader) ? { do: 'push', direction: front } : null;
  }

  /** Performs an action; `null` if another amoebot occupied its target first. */
  perform(amoebot: NodeId, action: Shunting, neighbors: readonly NodeId[]): BondChange | null {
    const here = this.at(amoebot, neighbors);
    if (action.do === 'contract') return here.contract();
    const { direction } = action;
    const { way, next } = here.read(amoebot);
    const last = this.behind(here);
    if (action.do === 'expand') {
      const moved = here.expand(direction);
      if (moved) this.depart(here, last, { way: way.slice(1) }, direction);
      return moved;
    }
    this.depart(here, last, { front: next, next: null }, direction);
    return here.push(here.connected(direction)!);
  }

  private at(amoebot: NodeId, neighbors: readonly NodeId[]): Operations<Carriage> {
    return new Operations(this.matter, this.memories, amoebot, neighbors);
  }

  /** Writes its direction into the memory of the amoebot behind. */
  private depart(here: Operations<Carriage>, last: NodeId | undefined, change: Partial<Carriage>, direction: Direction): void {
    here.write(here.self, change);
    if (last !== undefined) here.write(last, { next: direction });
  }

  /** The locked neighbor whose front is this one's tail. */
  private behind(here: Operations<Carriage>): NodeId | undefined {
    const { tail } = this.matter.body(here.self);
    return here.locked.find((other) => {
      const { front } = here.read(other);
      return front !== null && this.matter.isAdjacent(other, front, tail);
    });
  }
}
