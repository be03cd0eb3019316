/**
 * The messages of live nodes that are on their way, as far as reports tell.
 *
 * A message is known by its number on its connection: both ends of a channel that keeps its order count alike. So a delivery is that of
 * the message with its number, whatever they say, and all before it have arrived or will not. Where channels keep no order, or a message
 * waited for its receiver and has no number yet, it is that of the oldest message of the same content.
 */
import type { Message, NodeId } from '../../machines/effects.js';
import type { Flight } from '../../machines/protocol.js';

export type Clock = Record<NodeId, number>;

export interface LiveFlight extends Flight {
  readonly number: number | null;
  readonly clock: Clock;
  /** Milliseconds since the epoch. */
  readonly sentAt: number;
}

export class Flights {
  /** By sender and receiver, oldest first. */
  private readonly flying = new Map<string, LiveFlight[]>();
  private count = 0;

  get all(): readonly LiveFlight[] {
    return [...this.flying.values()].flat().sort((a, b) => a.id - b.id);
  }

  launch(from: NodeId, to: NodeId, message: Message, number: number | null, clock: Clock, sentAt: number): LiveFlight {
    const flying: LiveFlight = { id: this.count++, from, to, message, cost: 1, number, clock, sentAt };
    this.between(from, to).push(flying);
    return flying;
  }

  /** The message that a delivery is of. */
  find(from: NodeId, to: NodeId, message: Message, number: number | null): LiveFlight | undefined {
    const flying = this.between(from, to);
    const numbered = number === null ? undefined : flying.find((one) => one.number === number);
    const text = JSON.stringify(message);
    const isSame = (one: LiveFlight) => (number === null || one.number === null) && JSON.stringify(one.message) === text;
    return numbered ?? flying.find(isSame);
  }

  remove(one: LiveFlight): void {
    const flying = this.between(one.from, one.to);
    flying.splice(flying.indexOf(one), 1);
  }

  /** Takes away those for which it holds. */
  take(which: (one: LiveFlight) => boolean): readonly LiveFlight[] {
    const taken = this.all.filter(which);
    for (const one of taken) this.remove(one);
    return taken;
  }

  /** The same, from one node to another. */
  takeBetween(from: NodeId, to: NodeId, which: (one: LiveFlight) => boolean): readonly LiveFlight[] {
    const taken = this.between(from, to).filter(which);
    for (const one of taken) this.remove(one);
    return taken;
  }

  private between(from: NodeId, to: NodeId): LiveFlight[] {
    const key = JSON.stringify([from, to]);
    let flying = this.flying.get(key);
    if (!flying) this.flying.set(key, (flying = []));
    return flying;
  }
}
