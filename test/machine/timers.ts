/**
 * The clock of a machine under test. Time passes when a path defines it, and the next timer is a choice among those that can fire first.
 *
 * A virtual clock with one time would show one order of the timers. Here all times that fit the path are kept together (see zone.ts).
 */
import type { ScheduledEvent } from './stage.js';
import { Zone } from './zone.js';

/** The longest delay of `setTimeout`. A longer or invalid delay fires immediately. */
const DELAY_MAX = 2 ** 31 - 1;

/** A deadline is over just after its last moment, so that what comes in that moment is in time. */
const AFTER = 1e-6;

export interface Timer {
  readonly scheduled: ScheduledEvent | null;
  readonly delay: number;
  /** When it was armed. */
  readonly armed: Pick<Timers, 'now' | 'passed'>;
  /** The requested delay, if no timer can have it. */
  readonly asked?: number;
  readonly run: () => void;
}

export class Timers {
  /** In the order in which they were armed. */
  readonly running: Timer[] = [];
  /** Milliseconds since the start of the path, as its clock shows them. */
  now = 0;
  /** The time without the milliseconds that make readings of the clock distinct. */
  passed = 0;
  private zone = new Zone();
  private deadline: Timer | null = null;
  /** The owner of the next timer. */
  private scheduled: ScheduledEvent | null = null;

  /** @param before The timers of a path that continues here, with their time. */
  constructor(before?: Pick<Timers, 'now' | 'passed'>) {
    if (before) Object.assign(this, { now: before.now, passed: before.passed });
  }

  readonly noted = (scheduled: ScheduledEvent): void => void (this.scheduled = scheduled);

  /** The clock in XState's format. */
  readonly clock = {
    setTimeout: (run: () => void, delay: number): Timer => {
      const isKept = delay <= DELAY_MAX;
      const { scheduled, now, passed } = this;
      const timer = {
        scheduled,
        delay: isKept ? Math.max(0, delay) : 0,
        armed: { now, passed },
        run,
        ...(!isKept && { asked: delay }),
      };
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

  /** Starts the deadline: one more timer, from the present step on. */
  startDeadline(ms: number): void {
    this.deadline = this.clock.setTimeout(() => {}, ms + AFTER);
  }

  /** True if the deadline can fire before any other timer. */
  isDeadlineOver(): boolean {
    return this.deadline !== null && this.due().includes(this.deadline);
  }

  isDeadline(timer: Timer): boolean {
    return timer === this.deadline;
  }

  fire(timer: Timer): void {
    const at = this.running.indexOf(timer);
    const { armed, delay } = timer;
    this.now = Math.max(this.now, armed.now + delay + 1);
    this.passed = Math.max(this.passed, armed.passed + delay);
    this.zone.fire(at);
    this.running.splice(at, 1);
    timer.run();
  }

  /** Lets milliseconds pass while no timer runs. */
  pass(ms: number): void {
    this.now += ms;
    this.passed += ms;
  }

  /** A step is over, and any time may pass. */
  elapse(): void {
    this.zone.elapse();
  }

  /** Copies the timers with their remaining time. */
  copy(): Timers {
    const copy = new Timers();
    copy.running.push(...this.running);
    copy.goOnAs(this);
    return copy;
  }

  /** The same timers were armed here again, in the same order: they have as much time left as they had there. */
  goOnAs({ zone, now, passed }: Timers): void {
    this.zone = zone.copy();
    Object.assign(this, { now, passed });
  }

  /** All that the timings of the path leave open. */
  get key(): string {
    return this.zone.key;
  }
}
