/** The armed timers of all nodes. A timer belongs to the role that armed it; arming again replaces it. */
import type { NodeId } from '../machines/effects.js';
import type { TimerOrder } from './world/node.js';
import { LAST_IN_TICK, type Cancellable, type Timing } from './timing.js';

export interface ArmedTimer {
  readonly node: NodeId;
  readonly role: string;
  readonly timer: string;
  readonly dueAt: number;
}

interface Armed extends ArmedTimer {
  entry: Cancellable | null;
}

export class Timers {
  private readonly armed = new Map<NodeId, Map<string, Armed>>();

  constructor(
    private readonly timing: Timing,
    private readonly due: (timer: ArmedTimer) => void,
  ) {}

  of(node: NodeId): readonly ArmedTimer[] {
    return [...(this.armed.get(node)?.values() ?? [])];
  }

  apply(node: NodeId, { role, timer, delay }: TimerOrder): void {
    const key = `${role} ${timer}`;
    this.armed.get(node)?.get(key)?.entry?.cancel();
    this.armed.get(node)?.delete(key);
    if (delay === null) return;
    const armed: Armed = { node, role, timer, dueAt: this.timing.now() + delay, entry: null };
    if (!this.armed.has(node)) this.armed.set(node, new Map());
    this.armed.get(node)!.set(key, armed);
    armed.entry = this.timing.after(delay, LAST_IN_TICK, this.expire, armed);
  }

  /** Fires a timer now, whatever its time: the checker's schedules do. */
  fire(node: NodeId, role: string, timer: string): boolean {
    const armed = this.armed.get(node)?.get(`${role} ${timer}`);
    if (!armed) return false;
    armed.entry?.cancel();
    this.expire(armed);
    return true;
  }

  private readonly expire = (armed: Armed): void => {
    this.armed.get(armed.node)?.delete(`${armed.role} ${armed.timer}`);
    this.due(armed);
  };

  /** Disarms the timers of one role, or of a whole node. */
  clear(node: NodeId, role?: string): void {
    for (const armed of this.of(node)) {
      if (role === undefined || armed.role === role) this.apply(node, { role: armed.role, timer: armed.timer, delay: null });
    }
  }
}
