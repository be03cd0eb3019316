/**
 * The events that this process has sent to one actor. Each has a number, and waits until the actor's host reports whether it was applied.
 */
import type { FailedEvent } from '../../machines/cluster/messages.js';
import { isObject } from '../../machines/checks.js';
import { ActorError, receivedError } from './errors.js';
import { notJson, VALUES_MAX, valuesIn } from './stored-state.js';

interface Waiting {
  readonly event: unknown;
  /** Its part of the largest message, 1 at most. */
  readonly weight: number;
  resolve(): void;
  reject(error: Error): void;
}

export class SentEvents {
  /** Events that the sender role has not received yet. */
  private readonly fresh: Waiting[] = [];
  /** Oldest first; the first one has the number `first`. */
  private readonly sent: Waiting[] = [];
  private first = 1;
  /** The weight of the sent events, which one message may have to repeat. */
  private inFlight = 0;

  constructor(private readonly key: string) {}

  get size(): number {
    return this.fresh.length + this.sent.length;
  }

  add(event: unknown, weight: number): Promise<void> {
    return new Promise((resolve, reject) => this.fresh.push({ event, weight, resolve, reject }));
  }

  /** The events that the sender role numbers next. Others wait until events in flight are settled. */
  take(): readonly unknown[] {
    let end = 0;
    for (; end < this.fresh.length; end++) {
      const { weight } = this.fresh[end]!;
      if (this.inFlight > 0 && this.inFlight + weight > 1) break;
      this.inFlight += weight;
    }
    const taken = this.fresh.splice(0, end);
    this.sent.push(...taken);
    return taken.map(({ event }) => event);
  }

  settled(upTo: number, failures: readonly FailedEvent[]): void {
    for (const waiting of this.sent.splice(0, Math.max(0, upTo + 1 - this.first))) {
      const failure = failures.find(({ number }) => number === this.first);
      this.first++;
      this.lighten(waiting.weight);
      if (failure) waiting.reject(receivedError(this.key, failure.error));
      else waiting.resolve();
    }
  }

  /** Rejects the sent events: it is unknown whether they were applied. */
  failed(error: Error): void {
    this.first += this.sent.length;
    this.inFlight = 0;
    for (const { reject } of this.sent.splice(0)) reject(error);
  }

  private lighten(weight: number): void {
    this.inFlight = this.sent.length === 0 ? 0 : this.inFlight - weight;
  }

  /** A new sender role numbers from 1; no events of the old one are pending. */
  restart(): void {
    this.first = 1;
  }

  close(error: Error): void {
    for (const { reject } of [...this.sent.splice(0), ...this.fresh.splice(0)]) reject(error);
  }
}

/** An event as its host receives it, also in the same process, and its part of the largest message; or why it cannot be sent. */
export function copyOfEvent(
  key: string,
  event: unknown,
  sizeMax: number,
): { readonly event: unknown; readonly weight: number } | ActorError {
  const type = isObject(event) ? event['type'] : undefined;
  const why =
    typeof type !== 'string' ? 'it has no type' : type.startsWith('xstate.') ? 'its type belongs to XState' : notJson(event);
  if (why !== null)
    return new ActorError('event', `Actor "${key}" was sent an event that cannot be sent: ${why}. Send plain data with a type.`);
  const text = JSON.stringify(event);
  const large = (amount: string, limit: number) =>
    new ActorError('event', `Actor "${key}" was sent an event of ${amount}. The limit is ${limit}. Send a smaller one.`);
  if (text.length > sizeMax) return large(`${text.length} characters`, sizeMax);
  const values = text.length < VALUES_MAX ? text.length : valuesIn(event);
  if (values > VALUES_MAX) return large(`${values} keys and values`, VALUES_MAX);
  return { event: JSON.parse(text), weight: Math.max(text.length / sizeMax, values / VALUES_MAX) };
}
