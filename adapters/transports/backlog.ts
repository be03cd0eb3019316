/**
 * A bound on what a broker has been given and has not confirmed: without one, a client keeps for a broker that stands still whatever
 * its program sends. What is beyond it is dropped and warned of, as may be on a medium that loses; the link layer sends it again.
 */
import type { TimestampProvider } from 'rxjs';
import type { NodeId } from '../../machines/effects.js';
import { Drops } from './drops.js';

export const BACKLOG_BYTES_MAX = 2 ** 24;

export class Backlog {
  private readonly drops: Drops;
  private chars = 0;

  constructor(id: NodeId, clock: TimestampProvider) {
    this.drops = new Drops(`transport "${id}"`, clock);
  }

  /** True if there is room for a text; it counts then, until it is confirmed. */
  takes({ length }: string): boolean {
    const isTaken = this.chars + length <= BACKLOG_BYTES_MAX;
    if (isTaken) this.chars += length;
    else this.drops.drop(`the broker has not confirmed ${this.chars} characters that it was sent`);
    return isTaken;
  }

  confirmed(chars: number): void {
    this.chars -= chars;
  }
}
