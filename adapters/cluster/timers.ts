/**
 * Delayed events of an actor, with their deadlines. XState does not restore them (statelyai/xstate#5331). They are read from its scheduler,
 * stored as points in time, and scheduled again with the remaining delay.
 *
 * A migration may rename states. Each `after` of an active state then keeps the stored deadline of this event, or else the only other
 * one with the same delay; an `after` without a stored deadline starts.
 */
import type { AnyActorRef, AnyMachineSnapshot } from 'xstate';
import type { SchedulerLike, Subscription } from 'rxjs';
import { activeNodes, parentOf, schedule, scheduledEvents, type Scheduled } from '../../network/world/internals.js';
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

/** The active machines of a tree of actors, with their paths. */
function machinesIn(actor: AnyActorRef, path: readonly string[] = []): readonly (readonly [readonly string[], AnyActorRef])[] {
  const snapshot: Partial<AnyMachineSnapshot> | undefined = actor.getSnapshot();
  if (!snapshot?.machine || snapshot.status !== 'active') return [];
  const children = Object.entries(snapshot.children ?? {}) as [string, AnyActorRef][];
  return [[path, actor], ...children.flatMap(([id, child]) => machinesIn(child, [...path, id]))];
}

interface After {
  readonly type: string;
  readonly delay: number | string;
}

/** The delayed transitions of the active states of a machine. Several transitions may share one delay. */
function aftersOf(machine: AnyActorRef): readonly After[] {
  const found = activeNodes(machine.getSnapshot()).flatMap(({ after }) =>
    after.map(({ eventType, delay }): [string, After] => [eventType, { type: eventType, delay: delay as After['delay'] }]),
  );
  return [...new Map(found).values()];
}

/** The delay of an `after` in milliseconds: a number, or a name of `setup({ delays })`. */
function delayOf(self: AnyActorRef, delay: After['delay']): number {
  const { machine, context }: AnyMachineSnapshot = self.getSnapshot();
  const named: unknown = typeof delay === 'number' ? delay : machine.implementations.delays[delay];
  const ms: unknown =
    typeof named === 'function' ? named({ context, event: { type: 'xstate.init' }, self, system: self.system }) : named;
  return typeof ms === 'number' ? ms : 0;
}

const AFTER = 'xstate.after.';
const isSamePath = (one: readonly string[], other: readonly string[]): boolean => one.join('\n') === other.join('\n');

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

  /**
   * The stored events after a migration: those that the migrated actor continues with, and those that have no place in it. Events of `raise`
   * and `sendTo` keep their deadlines.
   */
  migrated(stored: readonly StoredTimer[]): { readonly timers: readonly StoredTimer[]; readonly lost: readonly StoredTimer[] } {
    const isHere = ({ source, target }: StoredTimer) => actorAt(this.root, source) && actorAt(this.root, target);
    const timers = stored.filter((timer) => !timer.event.type.startsWith(AFTER) && isHere(timer));
    const used = new Set(timers);
    const keep = (timer: StoredTimer, type = timer.event.type) => {
      used.add(timer);
      timers.push({ ...timer, id: type, event: { type } });
    };
    for (const [path, machine] of machinesIn(this.root)) {
      const own = stored.filter(({ source, event }) => isSamePath(source, path) && event.type.startsWith(AFTER));
      const afters = aftersOf(machine);
      for (const timer of own) if (afters.some(({ type }) => type === timer.event.type)) keep(timer);
      const added = afters.filter(({ type }) => !own.some(({ event }) => event.type === type));
      for (const { type, delay } of added) {
        const before = own.filter((timer) => !used.has(timer) && timer.event.type.startsWith(`${AFTER}${delay}.`));
        const isOnly = before.length === 1 && added.filter((after) => after.delay === delay).length === 1;
        if (isOnly) keep(before[0]!, type);
        else timers.push({ source: path, target: path, id: type, event: { type }, dueAt: this.now() + delayOf(machine, delay) });
      }
    }
    return { timers, lost: stored.filter((timer) => !used.has(timer)) };
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
