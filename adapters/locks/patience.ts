/** How long somebody waits for others: as long as the shortest time that was said, from when it was said. */
import { Subscription, type SchedulerLike } from 'rxjs';
import { later } from '../transports/later.js';

export class ClosePatience {
  private readonly timers = new Subscription();
  private resolve!: () => void;
  readonly over = new Promise<void>((resolve) => (this.resolve = resolve));

  constructor(private readonly clock: SchedulerLike) {}

  atMost(ms: number): void {
    later(this.timers, this.clock, this.resolve, ms);
  }

  /** Nobody is waited for any more. */
  end(): void {
    this.timers.unsubscribe();
  }
}
