/** A bound on how fast something may come: so many a second, of which what is not used is saved up for a while. It begins with those of one second. */
import { asyncScheduler, type TimestampProvider } from 'rxjs';

export class Rate {
  private saved: number;
  private at: number;

  constructor(
    readonly perSecond: number,
    private readonly clock: TimestampProvider = asyncScheduler,
    /** For so many seconds at most. */
    private readonly savedSeconds = 1,
  ) {
    this.saved = perSecond;
    this.at = clock.now();
  }

  /** True if more is within the bound, which it is while anything is saved; it counts then, and what it costs beyond is owed. */
  allows(cost = 1): boolean {
    if (this.isSpent) return false;
    this.saved -= cost;
    return true;
  }

  /** For what has come already, whether it is within the bound or not. */
  charge(cost = 1): void {
    this.save();
    this.saved -= cost;
  }

  /** True if nothing is saved now. */
  get isSpent(): boolean {
    this.save();
    return this.saved < 1;
  }

  private save(): void {
    const now = this.clock.now();
    // A clock that is set back gives nothing.
    this.saved = Math.min(this.savedSeconds * this.perSecond, this.saved + (Math.max(0, now - this.at) / 1000) * this.perSecond);
    this.at = now;
  }
}
