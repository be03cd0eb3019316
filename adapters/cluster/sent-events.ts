/**
 * The events that this process has sent to one actor. Each has a number, and waits until the actor's host reports whether it was applied.
 */
import type { FailedEvent } from '../../machines/cluster/messages.js';
import { receivedError } from './errors.js';

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
