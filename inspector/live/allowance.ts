/**
 * The share of time that watching may take from what is watched, whatever comes: what it has spent is earned again as time passes.
 *
 * A burst after a quiet time is recorded whole. A program that goes faster than it can be recorded for longer is recorded in windows:
 * each ends when nothing is left, and the next begins when enough has been earned for it to be worth while.
 */

/** Of the time that passes. What is recorded is written and forgotten, too, which costs about twice as much again. */
const SHARE = 1 / 24;
/** So much may be spent at once. */
const SAVED_MAX_MS = 25;
/** So much is earned before a new window. */
const WINDOW_MS = 10;

export class Allowance {
  private saved = SAVED_MAX_MS;
  private counted: number;

  constructor(readonly now: () => number = () => performance.now()) {
    this.counted = now();
  }

  spend(milliseconds: number): void {
    this.saved -= milliseconds;
  }

  /** Whether it is time to stop, while recording. */
  get isSpent(): boolean {
    return this.saved <= 0 && this.earn() <= 0;
  }

  /** Whether it is time to begin again. */
  get isEnough(): boolean {
    return this.earn() >= WINDOW_MS;
  }

  private earn(): number {
    const now = this.now();
    this.saved = Math.min(this.saved + (now - this.counted) * SHARE, SAVED_MAX_MS);
    this.counted = now;
    return this.saved;
  }
}
