/** Waiting of the network: on an RxJS scheduler, or without time. The virtual clock, with its deliberate order within a tick: clock.ts. */
import type { SchedulerLike } from 'rxjs';

export interface Cancelable {
  cancel(): void;
}

export interface Timing {
  now(): number;
  /** Runs `run(arg)` after `delay` ticks. Within one tick, the lower `order` comes first if the scheduler supports it. */
  after<A>(delay: number, order: number, run: (arg: A) => void, arg: A): Cancelable;
}

/** The order of events from outside the network: before all deliveries of their tick. */
export const FIRST_IN_TICK = 0;
/** The order of timeouts: after all messages of their tick, so that none of these is late. */
export const LAST_IN_TICK = Number.MAX_SAFE_INTEGER;

export function timingOn(scheduler: SchedulerLike): Timing {
  return {
    now: () => scheduler.now(),
    after: (delay, _order, run, arg) => {
      const subscription = scheduler.schedule(() => run(arg), delay);
      return { cancel: () => subscription.unsubscribe() };
    },
  };
}

/** Timing without time: nothing happens by itself, and the time is the number of choices made. */
export class Untimed implements Timing {
  made = 0;

  readonly now = (): number => this.made;

  after(): Cancelable {
    return { cancel: () => {} };
  }
}
