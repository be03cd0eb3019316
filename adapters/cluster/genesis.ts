/**
 * Detects whether members can have forgotten anything. If all of them served first in the same epoch, they began together, and there was
 * nothing before. A member that restarts later without storage, or with an empty one, serves first in a later epoch.
 */
import type { AnyMessage, NodeId } from '../../machines/effects.js';

export class Genesis {
  private since: number | null = null;
  private readonly others = new Map<NodeId, number>();
  private found: (() => void) | null = null;

  constructor(
    private readonly members: readonly NodeId[],
    private readonly id: NodeId,
    private readonly send: (to: NodeId, message: AnyMessage) => void,
  ) {}

  begin(since: number, found: () => void): void {
    this.since = since;
    this.found = found;
    for (const member of this.members) this.met(member);
    this.look();
  }

  met(peer: NodeId): void {
    if (this.since !== null && peer !== this.id && this.members.includes(peer))
      this.send(peer, { type: 'member', since: this.since });
  }

  received(from: NodeId, since: number): void {
    if (this.members.includes(from)) this.others.set(from, since);
    this.look();
  }

  private look(): void {
    if (this.since === null || !this.found) return;
    if (!this.members.every((member) => member === this.id || this.others.get(member) === this.since)) return;
    this.found();
    this.found = null;
  }
}
