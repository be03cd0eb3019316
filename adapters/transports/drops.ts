/** Counts rejected frames and connections, and prints a warning at most every ten seconds. */
import { asyncScheduler, type TimestampProvider } from 'rxjs';
import { escape } from './reading.js';

const QUIET_MS = 10_000;

export class Drops {
  count = 0;
  private warnedAt = -Infinity;
  private unreported = 0;

  constructor(
    /** Name of the owner in the warning. */
    private readonly who: string,
    private readonly clock: TimestampProvider = asyncScheduler,
    private readonly did = 'dropped a message',
  ) {}

  drop(why: string): void {
    this.count++;
    const now = this.clock.now();
    if (now - this.warnedAt < QUIET_MS) {
      this.unreported++;
      return;
    }
    const others = this.unreported === 0 ? '' : ` (and ${this.unreported} more since the last warning)`;
    this.warnedAt = now;
    this.unreported = 0;
    console.warn(escape(`${this.who} ${this.did}: ${why}${others}`));
  }
}
