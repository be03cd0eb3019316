/**
 * Virtual time: RxJS's `SchedulerLike` and XState's `Clock` in one, on a binary heap.
 *
 * Time advances only in `runNext` or `runUntil`, and then exactly to the tick of the entry that runs: a timer due at 10 sees
 * `now() === 10`. Entries run by (time, order, insertion). `order` decides ties within a tick: 0 is for external events (scripted
 * events, timers of RxJS and XState), and the bus gives its deliveries higher ranks.
 *
 * `at` is the hot path: one small object for each delivery and no closure. Canceling marks the entry, and the heap drops it when
 * it reaches the top. When most of the heap is marked it is rebuilt, so a timer that each message arms again cannot fill the
 * memory. RxJS's own VirtualTimeScheduler sorts its whole queue at every insertion, which is too slow for a simulation.
 */
import { Subscription, type SchedulerAction, type SchedulerLike } from 'rxjs';
import TinyQueue from 'tinyqueue';
import { UsageError } from '../machines/errors.js';
import type { Timing } from './timing.js';

/** Order of events from outside the network: the first ones of their tick. */
const OUTSIDE = 0;
/** A heap with fewer marked entries than this is not worth rebuilding. */
const CANCELED_MIN = 1024;

/** A piece of work that waits for its time. */
export class ClockEntry {
  pending = true;

  constructor(
    private readonly clock: VirtualClock,
    readonly time: number,
    readonly order: number,
    readonly sequence: number,
    readonly run: (arg: any) => void,
    readonly arg: unknown,
  ) {}

  /** Does nothing once the entry has run. */
  cancel(): void {
    this.clock.cancel(this);
  }
}

/** The function that a clock calls at a time, and its argument. */
export type Work = Pick<ClockEntry, 'run' | 'arg'>;

const byTurn = (a: ClockEntry, b: ClockEntry): number => a.time - b.time || a.order - b.order || a.sequence - b.sequence;

/**
 * Virtual time in ticks, as a scheduler of RxJS and a clock of XState. It advances only when `runNext` or `runUntil` is called.
 *
 * @example
 * ```ts
 * import { timer } from 'rxjs';
 * import { VirtualClock } from 'xstate-quiver/network';
 *
 * const clock = new VirtualClock();
 * timer(5, clock).subscribe(() => console.log(clock.now())); // 5
 * while (clock.runNext());
 * ```
 * @public
 */
export class VirtualClock implements SchedulerLike {
  private heap = new TinyQueue<ClockEntry>([], byTurn);
  private time = 0;
  private sequence = 0;
  private canceled = 0;

  /** Current time in ticks since the start. Bound, because RxJS and XState may call the method without its object. */
  readonly now = (): number => this.time;

  /** Number of waiting entries, without canceled ones. */
  get size(): number {
    return this.heap.length - this.canceled;
  }

  /** True if no entry is waiting. */
  get isIdle(): boolean {
    return this.size === 0;
  }

  /** Time of the next entry. */
  nextTime(): number | undefined {
    this.dropCanceled();
    return this.heap.peek()?.time;
  }

  /** Schedules `run(arg)` at a tick that is not in the past. */
  at<A>(time: number, order: number, run: (arg: A) => void, arg: A): ClockEntry {
    if (!(time >= this.time && time < Infinity)) {
      throw new UsageError(
        `Cannot schedule at ${time}: the time is already ${this.time}. Use a finite tick that is not in the past.`,
      );
    }
    const entry = new ClockEntry(this, time, order, this.sequence++, run, arg);
    this.heap.push(entry);
    return entry;
  }

  /** Cancels an entry that has not run. */
  cancel(entry: ClockEntry): void {
    if (!entry.pending) return;
    entry.pending = false;
    this.canceled++;
    if (this.canceled >= CANCELED_MIN && this.canceled * 2 > this.heap.length) this.rebuild();
  }

  /**
   * Moves to the time of another clock. Own entries before that time are removed. Entries of the other clock that `translate` maps are
   * added after the own entries of the same turn.
   *
   * @returns the new entries by the entries of the other clock.
   */
  takeOver(from: VirtualClock, translate: (entry: ClockEntry) => Work | undefined): ReadonlyMap<unknown, ClockEntry> {
    const first = this.sequence;
    this.time = from.time;
    const taken = new Map<unknown, ClockEntry>();
    for (const entry of from.heap.data) {
      const work = entry.pending ? translate(entry) : undefined;
      if (!work) continue;
      taken.set(entry, new ClockEntry(this, entry.time, entry.order, first + entry.sequence, work.run, work.arg));
    }
    this.sequence = first + from.sequence;
    const own = this.heap.data.filter(({ pending, time }) => pending && time > from.time);
    this.heap = new TinyQueue([...own, ...taken.values()], byTurn);
    this.canceled = 0;
    return taken;
  }

  /** Advances to the next entry and runs it. Returns false if there is none. An error of the entry is thrown. */
  runNext(): boolean {
    this.dropCanceled();
    const entry = this.heap.pop();
    if (!entry) return false;
    entry.pending = false;
    this.time = entry.time;
    const { run, arg } = entry;
    run(arg);
    return true;
  }

  /** Runs all entries up to and including the given tick, and advances to it. */
  runUntil(time: number): void {
    if (!(time >= this.time && time < Infinity)) {
      throw new UsageError(
        `Cannot run until ${time}: the time is already ${this.time}. Use a finite tick that is not in the past.`,
      );
    }
    for (let next = this.nextTime(); next !== undefined && next <= time; next = this.nextTime()) this.runNext();
    this.time = time;
  }

  /** Schedules work for RxJS, which may reschedule itself through `this`. */
  schedule<T>(work: (this: SchedulerAction<T>, state?: T) => void, delay = 0, state?: T): Subscription {
    return new ClockAction<T>(this, work).schedule(state, delay);
  }

  /** Starts a timer for XState; the result is the argument of `clearTimeout`. */
  setTimeout(work: () => void, delay: number): ClockEntry {
    return this.at(this.time + Math.max(0, delay), OUTSIDE, work, undefined);
  }

  clearTimeout(timer: ClockEntry | undefined): void {
    timer?.cancel();
  }

  private dropCanceled(): void {
    const { heap } = this;
    for (let next = heap.peek(); next !== undefined && !next.pending; next = heap.peek()) {
      heap.pop();
      this.canceled--;
    }
  }

  private rebuild(): void {
    this.heap = new TinyQueue(
      this.heap.data.filter((entry) => entry.pending),
      byTurn,
    );
    this.canceled = 0;
  }
}

/** One action of RxJS: runs once each time that it is scheduled, and never after `unsubscribe`. */
class ClockAction<T> extends Subscription implements SchedulerAction<T> {
  private entry: ClockEntry | undefined;
  private state: T | undefined;

  constructor(
    private readonly clock: VirtualClock,
    private readonly work: (this: SchedulerAction<T>, state?: T) => void,
  ) {
    super();
  }

  schedule(state?: T, delay = 0): Subscription {
    // RxJS passes `Infinity` for never.
    if (this.closed || delay === Infinity) return this;
    this.entry?.cancel();
    this.state = state;
    this.entry = this.clock.at(this.clock.now() + Math.max(0, delay), OUTSIDE, execute, this);
    return this;
  }

  execute(): void {
    this.entry = undefined;
    try {
      this.work(this.state);
    } catch (error) {
      this.unsubscribe();
      throw error;
    }
  }

  override unsubscribe(): void {
    this.entry?.cancel();
    this.entry = undefined;
    super.unsubscribe();
  }
}

const execute = (action: { execute(): void }): void => action.execute();

/** Timing of the network on the virtual clock: within one tick, the lower order comes first. */
export function virtualTiming(clock: VirtualClock): Timing {
  return { now: clock.now, after: (delay, order, run, arg) => clock.at(clock.now() + delay, order, run, arg) };
}
