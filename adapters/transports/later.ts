/** Schedules a timer that is canceled together with its owner. */
import { Subscription, type SchedulerLike } from 'rxjs';

export function later(owner: Subscription, clock: SchedulerLike, run: () => void, ms: number): void {
  const timer: Subscription = clock.schedule(() => {
    owner.remove(timer);
    run();
  }, ms);
  owner.add(timer);
}
