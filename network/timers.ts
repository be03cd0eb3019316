/** The times at which armed timers expire. The world (`world/pending.ts`) decides which timers are armed. */
import type { NodeId } from '../machines/effects.js';
import type { Work } from './clock.js';
import { LAST_IN_TICK, type Cancelable, type Timing } from './timing.js';
import type { ArmedTimer } from './world/pending.js';

interface Due {
  readonly node: NodeId;
  readonly timer: ArmedTimer;
  readonly dueAt: number;
  entry: Cancelable | null;
}

export class NetworkTimers {
  private readonly due = new Map<string, Due>();

  constructor(
    private readonly timing: Timing,
    private readonly goOff: (node: NodeId, timer: ArmedTimer) => void,
  ) {}

  arm(node: NodeId, timer: ArmedTimer, delay: number): void {
    const due: Due = { node, timer, dueAt: this.timing.now() + delay, entry: null };
    this.due.set(keyOf(node, timer), due);
    due.entry = this.timing.after(delay, LAST_IN_TICK, this.fire, due);
  }

  disarm(node: NodeId, timer: ArmedTimer): void {
    const key = keyOf(node, timer);
    this.due.get(key)?.entry?.cancel();
    this.due.delete(key);
  }

  /** Ticks until an armed timer expires. */
  left(node: NodeId, timer: ArmedTimer): number {
    return this.due.get(keyOf(node, timer))!.dueAt - this.timing.now();
  }

  /** Takes over the timers of another network. `fit` sets the entry that now waits for each. */
  takeOver(from: NetworkTimers): void {
    for (const [key, due] of from.due) this.due.set(key, { ...due, entry: null });
  }

  /** Translates an entry of the other network to this one; undefined if it is not a timer. */
  translate(from: NetworkTimers, { run, arg }: Work): Work | undefined {
    if (run !== from.fire) return undefined;
    const { node, timer } = arg as Due;
    return { run: this.fire, arg: this.due.get(keyOf(node, timer)) };
  }

  fit(from: NetworkTimers, entries: ReadonlyMap<unknown, Cancelable>): void {
    for (const [key, due] of this.due) due.entry = entries.get(from.due.get(key)!.entry) ?? null;
  }

  private readonly fire = ({ node, timer }: Due): void => this.goOff(node, timer);
}

const keyOf = (node: NodeId, { role, timer }: ArmedTimer): string => `${node}\n${role}\n${timer}`;
