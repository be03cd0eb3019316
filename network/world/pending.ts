/**
 * The pending timers and reactions of a node.
 *
 * A timer belongs to the role that armed it. Arming it again replaces it, and closing a role cancels its timers. A reaction is
 * pending from the moment its cause is announced, and is a choice like any other, also without delay.
 */
import type { Reaction } from '../../machines/protocol.js';
import type { Outcome, TimerOrder } from './node.js';

export interface ArmedTimer {
  readonly role: string;
  readonly timer: string;
}

/** Is notified of armed and disarmed timers, so that it can wait for them. */
export interface TimerWaiter {
  armed(timer: ArmedTimer, delay: number): void;
  disarmed(timer: ArmedTimer): void;
}

const noWaiter: TimerWaiter = { armed: () => {}, disarmed: () => {} };
const keyOf = ({ role, timer }: ArmedTimer): string => `${role} ${timer}`;

export class Pending {
  /** In the order of arming. */
  private readonly timers = new Map<string, ArmedTimer>();
  /** Places in the protocol's list of reactions, oldest first. */
  readonly reactions: number[] = [];

  constructor(timers: Iterable<ArmedTimer> = [], reactions: readonly number[] = []) {
    for (const timer of timers) this.timers.set(keyOf(timer), timer);
    this.reactions.push(...reactions);
  }

  copy(): Pending {
    return new Pending(this.timers.values(), this.reactions);
  }

  get armed(): readonly ArmedTimer[] {
    return [...this.timers.values()];
  }

  /** Takes in what a step asked for: the timers of roles that closed end, then timers are armed and disarmed. */
  follow({ closed, timers }: Pick<Outcome, 'closed' | 'timers'>, waiter: TimerWaiter = noWaiter): void {
    for (const role of closed) this.clear(waiter, role);
    for (const order of timers) this.apply(order, waiter);
  }

  /** Adds the reactions to a notification as pending. */
  owe(type: string, reactions: readonly Reaction[], pending?: (reaction: number) => void): void {
    reactions.forEach(({ on }, place) => {
      if (on !== type) return;
      this.reactions.push(place);
      pending?.(place);
    });
  }

  apply({ role, timer, delay }: TimerOrder, waiter: TimerWaiter = noWaiter): void {
    const known = this.take({ role, timer });
    if (known) waiter.disarmed(known);
    if (delay === null) return;
    const armed = { role, timer };
    this.timers.set(keyOf(armed), armed);
    waiter.armed(armed, delay);
  }

  /** Disarms the timers of one role, or all of them. */
  clear(waiter: TimerWaiter = noWaiter, role?: string): void {
    for (const armed of this.armed) if (role === undefined || armed.role === role) this.apply({ ...armed, delay: null }, waiter);
  }

  /** The timer is no longer armed: it goes off. */
  take(timer: ArmedTimer): ArmedTimer | undefined {
    const key = keyOf(timer);
    const armed = this.timers.get(key);
    this.timers.delete(key);
    return armed;
  }

  /** Removes the oldest pending reaction at this position; false if there is none. */
  settle(reaction: number): boolean {
    const at = this.reactions.indexOf(reaction);
    if (at >= 0) this.reactions.splice(at, 1);
    return at >= 0;
  }
}
