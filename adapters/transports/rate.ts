/** A rate limit per second. Unused capacity accumulates for some seconds; the limit starts with the capacity of one second. */
import { asyncScheduler, type TimestampProvider } from 'rxjs';

export class Rate {
  private saved: number;
  private at: number;

  constructor(
    readonly perSecond: number,
    private readonly clock: TimestampProvider = asyncScheduler,
    /** Seconds for which unused capacity accumulates. */
    private readonly savedSeconds = 1,
  ) {
    this.saved = perSecond;
    this.at = clock.now();
  }

  /** Takes `cost` and returns true while any capacity is left. The capacity may become negative. */
  allows(cost = 1): boolean {
    if (this.isSpent) return false;
    this.saved -= cost;
    return true;
  }

  /** Takes `cost` for something that has already happened, whether capacity is left or not. */
  charge(cost = 1): void {
    this.save();
    this.saved -= cost;
  }

  /** True if no capacity is left. */
  get isSpent(): boolean {
    this.save();
    return this.saved < 1;
  }

  private save(): void {
    const now = this.clock.now();
    // A clock that is set back adds no capacity.
    this.saved = Math.min(this.savedSeconds * this.perSecond, this.saved + (Math.max(0, now - this.at) / 1000) * this.perSecond);
    this.at = now;
  }
}
