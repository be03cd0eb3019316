/** How the network waits: on the virtual clock, with a deliberate order within a tick, or on any other RxJS scheduler. */
import type { SchedulerLike } from 'rxjs';
import { VirtualClock } from './clock.js';

export interface Cancellable {
  cancel(): void;
}

export interface Timing {
  now(): number;
  /** Runs `run(arg)` after `delay` ticks; of what falls into one tick, the lower `order` comes first where the scheduler can tell. */
  after<A>(delay: number, order: number, run: (arg: A) => void, arg: A): Cancellable;
}

export function timingOn(scheduler: SchedulerLike): Timing {
  if (scheduler instanceof VirtualClock) {
    return { now: scheduler.now, after: (delay, order, run, arg) => scheduler.at(scheduler.now() + delay, order, run, arg) };
  }
  return {
    now: () => scheduler.now(),
    after: (delay, _order, run, arg) => {
      const subscription = scheduler.schedule(() => run(arg), delay);
      return { cancel: () => subscription.unsubscribe() };
    },
  };
}

/** Nothing happens by itself: choices alone deliver and fire. Counterexamples and hand-made schedules run in it. */
export const untimed: Timing = { now: () => 0, after: () => ({ cancel: () => {} }) };
