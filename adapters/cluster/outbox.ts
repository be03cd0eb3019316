/** Events of this process for one actor: numbered as its sender role numbers them, and settled as that announces. */
import { isObject } from '../../machines/checks.js';
import type { Failure } from '../../machines/cluster/messages.js';
import { receivedError } from './errors.js';

interface Waiting {
  readonly event: unknown;
  resolve(): void;
  reject(error: Error): void;
}

export class Outbox {
  /** Not given to the sender role yet. */
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

  settled(upTo: number, failures: readonly Failure[]): void {
    for (const waiting of this.sent.splice(0, Math.max(0, upTo + 1 - this.first))) {
      const failure = failures.find(({ number }) => number === this.first);
      this.first++;
      if (failure) waiting.reject(receivedError(this.key, failure.error));
      else waiting.resolve();
    }
  }

  /** None of those that were sent is known to be applied. */
  failed(error: unknown): void {
    const reason = isObject(error) && !(error instanceof Error) ? receivedError(this.key, error) : (error as Error);
    this.first += this.sent.length;
    for (const { reject } of this.sent.splice(0)) reject(reason);
  }

  /** A new sender role numbers from 1; none of the old one's events waits. */
  restart(): void {
    this.first = 1;
  }

  close(error: Error): void {
    for (const { reject } of [...this.sent.splice(0), ...this.fresh.splice(0)]) reject(error);
  }
}
