/**
 * The operations of the canonical amoebot model (Daymude, Richa, Scheideler 2021, section 2): all that an amoebot can do in one action, to
 * itself and to its locked neighbors.
 *
 * `connected` and `read` look, `write` changes the public memory of a neighbor or of itself, `expand`, `contract`, `pull` and `push` move.
 * A handover is a pull or a push, depending on whether the expanded or the contracted amoebot starts it. A movement is last in an action,
 * because it changes the neighborhood. Lock and Unlock belong to the exclusion protocol, and are complete when an action begins.
 */
import type { NodeId } from '../../../../machines/effects.js';
import { ProtocolError } from '../../../../machines/errors.js';
import { adjacentTo, type Direction } from './lattice.js';
import type { BondChange, Matter } from './matter.js';

/** Operations of one amoebot in one action, within its locked neighborhood. */
export class Operations<Memory extends object> {
  constructor(
    private readonly matter: Matter,
    private readonly memories: Map<NodeId, Memory>,
    /** The acting amoebot. */
    readonly self: NodeId,
    /** Locked neighbors, without the amoebot itself. */
    readonly locked: readonly NodeId[],
  ) {}

  /** Connected: the amoebot adjacent to the head in this direction, if any. */
  connected(direction: Direction): NodeId | undefined {
    return this.matter.at(adjacentTo(this.matter.body(this.self).head, direction));
  }

  /** Read: the public memory of the amoebot or a locked neighbor. */
  read(amoebot: NodeId): Memory {
    this.requireLocked(amoebot, 'read');
    return this.memories.get(amoebot)!;
  }

  /** Write: changes the public memory of the amoebot or a locked neighbor. */
  write(amoebot: NodeId, change: Partial<Memory>): void {
    this.requireLocked(amoebot, 'write');
    this.memories.set(amoebot, { ...this.memories.get(amoebot)!, ...change });
  }

  /** True if the amoebot or a locked neighbor occupies two nodes. */
  isExpanded(amoebot: NodeId): boolean {
    this.requireLocked(amoebot, 'read');
    return this.matter.isExpanded(amoebot);
  }

  /** Expand into a free node; `null` if it is occupied. */
  expand(direction: Direction): BondChange | null {
    return this.matter.expand(this.self, direction);
  }

  /** Contract into the head. */
  contract(): BondChange {
    return this.matter.contract(this.self);
  }

  /** Pull: contracts, and a contracted neighbor expands into the node that it leaves. */
  pull(follower: NodeId): BondChange {
    this.requireLocked(follower, 'pull');
    return this.matter.pull(this.self, follower);
  }

  /** Push: expands into the tail of an expanded neighbor, which contracts. */
  push(leader: NodeId): BondChange {
    this.requireLocked(leader, 'push');
    return this.matter.push(this.self, leader);
  }

  private requireLocked(amoebot: NodeId, operation: string): void {
    if (amoebot !== this.self && !this.locked.includes(amoebot))
      throw new ProtocolError(`Amoebot ${this.self} cannot ${operation} ${amoebot}, which it has not locked. Lock it first.`);
  }
}
