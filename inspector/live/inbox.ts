/**
 * Reports of live nodes, of this process and of others, put in order by their time and by what they follow on.
 *
 * Each report waits a moment for what happened earlier and comes later, and a delivery for its sending; what the same node did after
 * it waits with it. All processes are on this machine, and share its clock.
 */
import { UsageError } from '../../machines/errors.js';
import type { Report } from './report.js';

const PATIENCE_MS = 150;
/** A sender that has not reported by then was not watched when it sent. */
const GIVE_UP_MS = 2000;

interface Taker {
  isReadyFor(report: Report): boolean;
  take(report: Report): void;
}

export class Inbox {
  private waiting: Report[] = [];
  private timer: ReturnType<typeof setInterval> | null = null;

  constructor(private readonly taker: Taker) {}

  put(report: Report): void {
    this.waiting.push(report);
    this.timer ??= setInterval(() => this.release(performance.timeOrigin + performance.now()), PATIENCE_MS / 3);
  }

  /** From another process, which may say anything. */
  putAll(reports: unknown): void {
    if (!Array.isArray(reports) || !reports.every(isReport))
      throw new UsageError('a report is missing its node, its kind or its event');
    for (const report of reports) this.put(report);
  }

  close(): void {
    if (this.timer) clearInterval(this.timer);
    this.release(Infinity);
  }

  private release(now: number): void {
    const late = new Set<string>();
    const waiting = this.waiting.sort((a, b) => a.at - b.at);
    this.waiting = [];
    for (const report of waiting) {
      const { at, node } = report;
      const isReady = !late.has(node) && at <= now - PATIENCE_MS && (at <= now - GIVE_UP_MS || this.taker.isReadyFor(report));
      if (isReady) this.taker.take(report);
      else {
        late.add(node);
        this.waiting.push(report);
      }
    }
  }
}

function isReport(value: unknown): value is Report {
  const { at, node, kind, event, sent, emitted, roles } = (value ?? {}) as Partial<Report>;
  const isComplete =
    typeof at === 'number' && typeof node === 'string' && typeof kind === 'string' && typeof event?.type === 'string';
  return isComplete && Array.isArray(sent) && Array.isArray(emitted) && typeof roles === 'object' && roles !== null;
}
