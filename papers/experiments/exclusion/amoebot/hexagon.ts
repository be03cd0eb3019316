/**
 * Hexagon formation, a classic amoebot algorithm: around a seed, a connected set of amoebots becomes a hexagon, one layer after the other
 * in a spiral (Daymude, Richa, Scheideler, "The Canonical Amoebot Model", section 4; restated).
 *
 * Roles. `seed`: the first retired one. `idle`: knows no moving amoebot. `follower`: follows the amoebot that it points to. `root`: touches
 * the retired ones and walks clockwise around them to the end of the spiral. `retired`: in its final place, points to the next place of the
 * spiral. An action depends only on the amoebot and its neighbors, and writes at most the amoebot and one follower that it pulls: a locked
 * neighborhood is enough. A common sense of direction is assumed.
 */
import type { NodeId } from '../../../../machines/effects.js';
import { adjacentTo, directions, isSamePoint, toward, turned, type Direction, type Point } from './lattice.js';
import { Matter, type BondChange } from './matter.js';

/** State of an amoebot of the hexagon formation: its role, and a direction of the lattice. */
interface Cell {
  readonly role: 'seed' | 'idle' | 'follower' | 'root' | 'retired';
  /** For a follower: the direction from its head to its predecessor. For the seed and retired amoebots: the next place of the spiral. */
  readonly points: Direction | null;
}

/** The next action of an amoebot. */
export type Action =
  | { readonly do: 'become'; readonly cell: Cell }
  | { readonly do: 'expand'; readonly direction: Direction }
  | { readonly do: 'contract' }
  | { readonly do: 'pull'; readonly follower: NodeId };

const UNCHANGED: BondChange = { cut: [], joined: [] };

/** Hexagon formation: connected amoebots become a hexagon around the first of them, one action of one amoebot at a time. */
export class Hexagon {
  /** Positions of the amoebots. */
  readonly matter: Matter;
  private readonly cells = new Map<NodeId, Cell>();

  /** The first amoebot is the seed. */
  constructor(places: ReadonlyMap<NodeId, Point>) {
    this.matter = new Matter(places);
    for (const amoebot of places.keys()) {
      const isSeed = this.cells.size === 0;
      this.cells.set(amoebot, isSeed ? { role: 'seed', points: 0 } : { role: 'idle', points: null });
    }
  }

  /** True if all have reached their place. */
  get isFormed(): boolean {
    return [...this.cells.values()].every(isFixed);
  }

  get amoebots(): readonly NodeId[] {
    return [...this.cells.keys()];
  }

  /** State of an amoebot. */
  cell(amoebot: NodeId): Cell {
    return this.cells.get(amoebot)!;
  }

  /** The enabled action of an amoebot, from its own state and these neighbors. */
  enabled(amoebot: NodeId, neighbors: readonly NodeId[]): Action | null {
    const { role } = this.cell(amoebot);
    if (isFixed(this.cell(amoebot))) return null;
    if (this.matter.isExpanded(amoebot)) return this.drawingIn(amoebot, neighbors);
    if (role !== 'root' && neighbors.some((other) => isFixed(this.cell(other)))) return become('root', null);
    if (role === 'root') return this.walking(amoebot, neighbors);
    return role === 'idle' ? this.joining(amoebot, neighbors) : null;
  }

  private drawingIn(amoebot: NodeId, neighbors: readonly NodeId[]): Action | null {
    const { tail } = this.matter.body(amoebot);
    const behind = neighbors.filter((other) => {
      const { role, points } = this.cell(other);
      return role === 'follower' && isSamePoint(adjacentTo(this.matter.body(other).head, points!), tail);
    });
    const follower = behind.find((other) => !this.matter.isExpanded(other));
    if (follower !== undefined) return { do: 'pull', follower };
    const mustWait = behind.length > 0 || neighbors.some((other) => this.cell(other).role === 'idle');
    return mustWait ? null : { do: 'contract' };
  }

  private joining(amoebot: NodeId, neighbors: readonly NodeId[]): Action | null {
    const { head } = this.matter.body(amoebot);
    const points = directions.find((direction) => {
      const other = this.matter.at(adjacentTo(head, direction));
      return other !== undefined && neighbors.includes(other) && ['follower', 'root'].includes(this.cell(other).role);
    });
    return points === undefined ? null : become('follower', points);
  }

  private walking(amoebot: NodeId, neighbors: readonly NodeId[]): Action | null {
    const { head } = this.matter.body(amoebot);
    const isFixedAt = (direction: Direction) => {
      const other = this.matter.at(adjacentTo(head, direction));
      return other !== undefined && neighbors.includes(other) && isFixed(this.cell(other));
    };
    const last = directions.find((direction) => {
      const other = this.matter.at(adjacentTo(head, direction));
      return isFixedAt(direction) && this.cell(other!).points === turned(direction, 3);
    });
    if (last !== undefined) return become('retired', firstFree(last, -1, isFixedAt));
    const direction = firstFree(directions.find(isFixedAt)!, 1, isFixedAt);
    const isFree = this.matter.at(adjacentTo(head, direction)) === undefined;
    return isFree ? { do: 'expand', direction } : null;
  }

  /** Performs an action; `null` if another amoebot occupied its target first. */
  perform(amoebot: NodeId, action: Action): BondChange | null {
    switch (action.do) {
      case 'become':
        this.cells.set(amoebot, action.cell);
        return UNCHANGED;
      case 'expand':
        return this.matter.expand(amoebot, action.direction);
      case 'contract':
        return this.matter.contract(amoebot);
      case 'pull': {
        const { head, tail } = this.matter.body(amoebot);
        this.cells.set(action.follower, { role: 'follower', points: toward(tail, head) });
        return this.matter.pull(amoebot, action.follower);
      }
    }
  }
}

export const isFixed = ({ role }: Cell): boolean => role === 'seed' || role === 'retired';

const become = (role: Cell['role'], points: Direction | null): Action => ({ do: 'become', cell: { role, points } });

/** The first free direction, turning from a blocked one. */
function firstFree(from: Direction, by: 1 | -1, isBlocked: (direction: Direction) => boolean): Direction {
  let direction = from;
  while (isBlocked(direction)) direction = turned(direction, by);
  return direction;
}
