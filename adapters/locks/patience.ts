/** The time limit of a `close` call. A later call can shorten it but cannot extend it. */
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

  /** Stops the timers. */
  end(): void {
    this.timers.unsubscribe();
  }
}
