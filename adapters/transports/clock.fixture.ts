/** A clock for tests whose timers run faster by the given factor. */
import { asyncScheduler, type SchedulerLike } from 'rxjs';

export const faster = (times: number): SchedulerLike =>
  ({
    now: () => asyncScheduler.now(),
    schedule: (work: never, ms?: number, state?: never) => asyncScheduler.schedule(work, (ms ?? 0) / times, state),
  }) as SchedulerLike;
