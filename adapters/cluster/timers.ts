/**
 * Delayed events of an actor, with their deadlines. XState does not restore them (statelyai/xstate#5331). They are read from its scheduler,
 * stored as points in time, and scheduled again with the remaining delay.
 */
import type { AnyActorRef } from 'xstate';
import type { SchedulerLike, Subscription } from 'rxjs';
import { parentOf, schedule, scheduledEvents, type Scheduled } from '../../network/world/internals.js';
import type { StoredTimer } from './stored-state.js';

/** The longest delay of a timer of JavaScript: 24.8 days. A longer one would end at once. */
const DELAY_MS_MAX = 2 ** 31 - 1;

/** A clock for XState that uses a scheduler of RxJS. */
export const clockOn = (scheduler: SchedulerLike) => ({
  setTimeout: (run: () => void, ms: number) =>
    scheduler.schedule<number>(
      function (left) {
        if (left <= 0) run();
        else this.schedule(left - DELAY_MS_MAX, Math.min(left, DELAY_MS_MAX));
      },
      Math.min(ms, DELAY_MS_MAX),
      ms - DELAY_MS_MAX,
    ),
  clearTimeout: (timer: Subscription | undefined) => timer?.unsubscribe(),
});

function pathOf(actor: AnyActorRef, root: AnyActorRef): readonly string[] | null {
  const path: string[] = [];
  for (let at: AnyActorRef | undefined = actor; at !== root; at = parentOf(at)) {
    if (at === undefined) return null;
    path.unshift(at.id);
  }
  return path;
}

const actorAt = (root: AnyActorRef, path: readonly string[]): AnyActorRef | undefined =>
  path.reduce<AnyActorRef | undefined>((at, id) => at?.getSnapshot()?.children?.[id], root);

export class Deadlines {
  /** By what is scheduled: each is a new object. */
  private readonly dueAt = new WeakMap<Scheduled, number>();

  constructor(
    private readonly root: AnyActorRef,
    private readonly now: () => number,
  ) {}

  /** Records the events that were scheduled since the last call, with the present time. */
  note(): void {
    for (const scheduled of scheduledEvents(this.root))
      if (!this.dueAt.has(scheduled)) this.dueAt.set(scheduled, this.now() + scheduled.delay);
  }

  stored(): readonly StoredTimer[] {
    this.note();
    return scheduledEvents(this.root).flatMap((scheduled) => {
      const [source, target] = [pathOf(scheduled.source, this.root), pathOf(scheduled.target, this.root)];
      if (!source || !target) return [];
      const { id, event } = scheduled;
      return [{ source, target, id, event, dueAt: this.dueAt.get(scheduled)! }];
    });
  }

  /** Schedules the stored events after the actor was restored and started. Overdue events are sent at once. */
  restore(timers: readonly StoredTimer[]): void {
    for (const { source, target, id, event, dueAt } of timers.toSorted((a, b) => a.dueAt - b.dueAt)) {
      const [from, to] = [actorAt(this.root, source), actorAt(this.root, target)];
      if (!from || !to) continue;
      const before = new Set(scheduledEvents(this.root));
      schedule({ source: from, target: to, event, delay: Math.max(0, dueAt - this.now()), id });
      for (const scheduled of scheduledEvents(this.root)) if (!before.has(scheduled)) this.dueAt.set(scheduled, dueAt);
    }
  }
}
