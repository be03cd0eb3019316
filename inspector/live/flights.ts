/**
 * The messages of live nodes that are in flight, according to the reports.
 *
 * A message is identified by its number on its connection: on a channel in order, both ends count alike. A delivery therefore matches the
 * message with its number, whatever their contents, and all earlier messages have arrived or are lost. Without a number (on a channel
 * without order, or for a message that waited for its receiver), it matches the oldest message of the same content.
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

  /** The message that arrived with a delivery. */
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

  /** Removes the messages that match. */
  take(which: (one: LiveFlight) => boolean): readonly LiveFlight[] {
    const taken = this.all.filter(which);
    for (const one of taken) this.remove(one);
    return taken;
  }

  /** Removes the messages that match from one node to another. */
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
