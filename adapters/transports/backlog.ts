/**
 * Limit of unconfirmed data at a broker. Without it, a client queues everything that its program sends while the broker is stalled.
 * Messages beyond the limit are dropped with a warning, as on any lossy medium; the link layer sends them again.
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

  /** Counts a text until it is confirmed. Returns false, and drops it, if the limit is reached. */
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
