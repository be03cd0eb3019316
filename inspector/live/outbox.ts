/** Reports on their way to an inspector in another process: together every few milliseconds, and dropped when nobody takes them. */
import { UsageError } from '../../machines/errors.js';
import { BEAT_MS, type Program } from './inbox.js';
import type { PeerReport, StepReport } from './report.js';

const BATCH_MS = 20;
/** An inspector that has gone must not fill the memory of what it watched. */
const WAITING_MAX = 10_000;

export class Outbox {
  private waiting: (StepReport | PeerReport)[] = [];
  private timer: ReturnType<typeof setTimeout> | null = null;
  private readonly address: URL;
  private sending: Promise<void> = Promise.resolve();
  /** The inspector hears that the program is there, whether its nodes do anything or not. */
  private readonly beat: ReturnType<typeof setInterval>;

  constructor(
    url: string,
    private readonly program: Program,
  ) {
    try {
      this.address = new URL('report', url);
    } catch {
      throw new UsageError(`inspect: "${url}" is no address of an inspector; give the url that inspect() returned`);
    }
    this.beat = setInterval(() => void this.flush().catch(() => {}), BEAT_MS);
    // Being watched keeps no program alive.
    (this.beat as { unref?(): void }).unref?.();
  }

  put(report: StepReport | PeerReport): void {
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

  /** Says nothing more, not even that. */
  kill(): void {
    clearInterval(this.beat);
  }

  async close(): Promise<void> {
    this.kill();
    await this.flush();
  }

  private async send(): Promise<void> {
    const reports = this.waiting;
    this.waiting = [];
    const body = JSON.stringify({ program: this.program, reports });
    const response = await fetch(this.address, { method: 'POST', body });
    if (!response.ok)
      throw new UsageError(`inspect: ${this.address.origin} answered ${response.status}; is it an inspector of live nodes?`);
  }
}
