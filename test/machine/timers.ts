/**
 * The clock of a machine under test: time passes when a path says so, and which timer goes off next is a choice among those that can.
 *
 * A virtual clock with one time would show one order of the timers; here all times that fit the path are kept together (see zone.ts).
 */
import type { Scheduled } from '../../network/world/kernel.js';
import { Zone } from './zone.js';

export interface Timer {
  readonly scheduled: Scheduled | null;
  readonly delay: number;
  readonly run: () => void;
}

export class Timers {
  /** In the order in which they were armed. */
  readonly running: Timer[] = [];
  private readonly zone = new Zone();
  /** For whom the next timer is. */
  private scheduled: Scheduled | null = null;

  readonly noted = (scheduled: Scheduled): void => void (this.scheduled = scheduled);

  /** What XState asks a clock for. */
  readonly clock = {
    setTimeout: (run: () => void, delay: number): Timer => {
      const timer = { scheduled: this.scheduled, delay: Math.max(0, delay), run };
      this.scheduled = null;
      this.running.push(timer);
      this.zone.arm(timer.delay);
      return timer;
    },
    clearTimeout: (timer: Timer | undefined): void => {
      const at = this.running.indexOf(timer!);
      if (at < 0) return;
      this.running.splice(at, 1);
      this.zone.remove(at);
    },
  };

  /** Those that can be the next to go off. */
  due(): readonly Timer[] {
    return this.running.filter((_, at) => this.zone.canFire(at));
  }

  fire(timer: Timer): void {
    const at = this.running.indexOf(timer);
    this.zone.fire(at);
    this.running.splice(at, 1);
    timer.run();
  }

  /** A step is over, and any time may pass. */
  elapse(): void {
    this.zone.elapse();
  }

  /** All that the timings of the path leave open. */
  get key(): string {
    return this.zone.key;
  }
}
