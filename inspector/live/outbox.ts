/** Reports on their way to an inspector in another process: together every few milliseconds, and dropped when nobody takes them. */
import { UsageError } from '../../machines/errors.js';
import type { Report } from './report.js';

const BATCH_MS = 20;
/** An inspector that has gone must not fill the memory of what it watched. */
const WAITING_MAX = 10_000;

export class Outbox {
  private waiting: Report[] = [];
  private timer: ReturnType<typeof setTimeout> | null = null;
  private readonly address: URL;
  private sending: Promise<void> = Promise.resolve();

  constructor(url: string) {
    try {
      this.address = new URL('report', url);
    } catch {
      throw new UsageError(`inspect: "${url}" is no address of an inspector; give the url that inspect() returned`);
    }
  }

  put(report: Report): void {
    if (this.waiting.length < WAITING_MAX) this.waiting.push(report);
    this.timer ??= setTimeout(() => void this.flush().catch(() => {}), BATCH_MS);
  }

  /** Sends what waits, after what is on its way; rejects when nobody takes it. */
  flush(): Promise<void> {
    if (this.timer) clearTimeout(this.timer);
    this.timer = null;
    this.sending = this.sending.catch(() => {}).then(() => this.send());
    return this.sending;
  }

  private async send(): Promise<void> {
    const reports = this.waiting;
    this.waiting = [];
    if (reports.length === 0) return;
    const response = await fetch(this.address, { method: 'POST', body: JSON.stringify(reports) });
    if (!response.ok)
      throw new UsageError(`inspect: ${this.address.origin} answered ${response.status}; is it an inspector of live nodes?`);
  }
}
