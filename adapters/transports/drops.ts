/** What was refused from the network: counted always, told on the console at most once in a while. */
import { asyncScheduler, type TimestampProvider } from 'rxjs';
import { escape } from './reading.js';

const QUIET_MS = 10_000;

export class Drops {
  count = 0;
  private told = -Infinity;
  private unreported = 0;

  constructor(
    /** Who dropped, as the warning names it. */
    private readonly who: string,
    private readonly clock: TimestampProvider = asyncScheduler,
    private readonly did = 'dropped a message',
  ) {}

  drop(why: string): void {
    this.count++;
    const now = this.clock.now();
    if (now - this.told < QUIET_MS) {
      this.unreported++;
      return;
    }
    const others = this.unreported === 0 ? '' : ` (and ${this.unreported} more since the last warning)`;
    this.told = now;
    this.unreported = 0;
    console.warn(escape(`${this.who} ${this.did}: ${why}${others}`));
  }
}
