/**
 * Reports of live nodes, of this process and of others, put in order by their time.
 *
 * A delivery may be reported before its sending is, so each report waits a moment for what happened earlier and comes later. All
 * processes are on this machine, and share its clock.
 */
import { UsageError } from '../../machines/errors.js';
import type { Report } from './report.js';

const PATIENCE_MS = 150;

export class Inbox {
  private waiting: Report[] = [];
  private timer: ReturnType<typeof setInterval> | null = null;

  constructor(private readonly take: (report: Report) => void) {}

  put(report: Report): void {
    this.waiting.push(report);
    this.timer ??= setInterval(() => this.release(performance.timeOrigin + performance.now() - PATIENCE_MS), PATIENCE_MS / 3);
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

  private release(until: number): void {
    this.waiting.sort((a, b) => a.at - b.at);
    const due = this.waiting.findIndex(({ at }) => at > until);
    for (const report of this.waiting.splice(0, due < 0 ? this.waiting.length : due)) this.take(report);
  }
}

function isReport(value: unknown): value is Report {
  const { at, node, kind, event, sent, emitted, roles } = (value ?? {}) as Partial<Report>;
  const isComplete =
    typeof at === 'number' && typeof node === 'string' && typeof kind === 'string' && typeof event?.type === 'string';
  return isComplete && Array.isArray(sent) && Array.isArray(emitted) && typeof roles === 'object' && roles !== null;
}
