/**
 * The events that this process has sent to one actor. Each has a number, and waits until the actor's host reports whether it was applied.
 */
import { isObject } from '../../machines/checks.js';
import type { FailedEvent } from '../../machines/cluster/messages.js';
import { receivedError } from './errors.js';

interface Waiting {
  readonly event: unknown;
  resolve(): void;
  reject(error: Error): void;
}

export class SentEvents {
  /** Events that the sender role has not received yet. */
  private fresh: Waiting[] = [];
  /** Oldest first; the first one has the number `first`. */
  private readonly sent: Waiting[] = [];
  private first = 1;

  constructor(private readonly key: string) {}

  get size(): number {
    return this.fresh.length + this.sent.length;
  }

  add(event: unknown): Promise<void> {
    return new Promise((resolve, reject) => this.fresh.push({ event, resolve, reject }));
  }

  /** The events that the sender role numbers next. */
  take(): readonly unknown[] {
    const { fresh } = this;
    this.fresh = [];
    this.sent.push(...fresh);
    return fresh.map(({ event }) => event);
  }

  settled(upTo: number, failures: readonly FailedEvent[]): void {
    for (const waiting of this.sent.splice(0, Math.max(0, upTo + 1 - this.first))) {
      const failure = failures.find(({ number }) => number === this.first);
      this.first++;
      if (failure) waiting.reject(receivedError(this.key, failure.error));
      else waiting.resolve();
    }
  }

  /** Rejects the sent events: it is unknown whether they were applied. */
  failed(error: unknown): void {
    const reason = isObject(error) && !(error instanceof Error) ? receivedError(this.key, error) : (error as Error);
    this.first += this.sent.length;
    for (const { reject } of this.sent.splice(0)) reject(reason);
  }

  /** A new sender role numbers from 1; no events of the old one are pending. */
  restart(): void {
    this.first = 1;
  }

  close(error: Error): void {
    for (const { reject } of [...this.sent.splice(0), ...this.fresh.splice(0)]) reject(error);
  }
}
