/**
 * Sends reports to an inspector in another process, in batches every few milliseconds. They are dropped if the inspector does not take
 * them.
 *
 * The observed program is not affected. Sending keeps the process alive only for its last reports, and only for a bounded time. A request
 * without an answer is given up, and only the heartbeat then checks for the inspector. Batches are numbered, so that a repeated one is
 * taken once. An inspector that has started again receives the state of the program first.
 */
import { randomUUID } from 'node:crypto';
import { Agent, request, type ClientRequest, type IncomingMessage } from 'node:http';
import { UsageError } from '../../machines/errors.js';
import { absence, readAddress, wrongToken, type InspectorAddress } from './address.js';
import { ReportBacklog } from './backlog.js';
import { BEAT_MS, UNKNOWN_STATUS, type Program } from './inbox.js';
import type { LiveReport } from './report.js';

const BATCH_MS = 20;
/** Milliseconds. An inspector without an answer by then is absent. Data that is written but not read keeps the process alive until then. */
const PATIENCE_MS = 2000;
/** Milliseconds that the last reports of a program may take. */
const LAST_MS = 1000;
const TICK_MS = 50;

/**
 * Calls `giveUp` after a time in milliseconds, counted in short ticks. If this process is busy, ticks are late, and answers that have
 * arrived are read between them.
 */
function patience(ms: number, giveUp: () => void): NodeJS.Timeout {
  let left = Math.ceil(ms / TICK_MS);
  const timer = setInterval(() => {
    left--;
    if (left > 0) return;
    clearInterval(timer);
    giveUp();
  }, TICK_MS);
  return timer;
}

const NOT_FOUND = 404;

/** Another server may accept everything; an inspector answers with JSON. */
const statusOf = ({ statusCode = 0, headers }: IncomingMessage): number =>
  statusCode === 200 && headers['content-type']?.startsWith('application/json') !== true ? NOT_FOUND : statusCode;

/** The outboxes that send their last reports when the process has nothing else to do. */
const open = new Set<Outbox>();
const sendLastReports = (): void => {
  for (const outbox of open) void outbox.close().catch(() => {});
};

export class Outbox {
  private readonly backlog = new ReportBacklog();
  private timer: ReturnType<typeof setTimeout> | null = null;
  readonly inspector: InspectorAddress;
  private readonly address: URL;
  private readonly agent = new Agent({ keepAlive: true, maxSockets: 1 });
  private asking: ClientRequest | null = null;
  private readonly silence: UsageError;
  private sending: Promise<void> = Promise.resolve();
  private isSending = false;
  /** Sent without an answer so far. */
  private unanswered: { readonly number: number; readonly texts: readonly string[] } | null = null;
  /** A program may have several senders. */
  private readonly sender = randomUUID();
  private count = 0;
  /** True if the last batch was not taken. */
  private isAlone = false;
  /** Reports that the program is alive, even if its nodes do nothing. */
  private readonly beat: ReturnType<typeof setInterval>;

  constructor(
    url: string,
    private readonly program: Program,
  ) {
    this.inspector = readAddress('inspect', url);
    this.address = new URL('report', this.inspector.page);
    this.silence = new UsageError(`inspect: the inspector at ${this.address.origin} does not respond. Check that it is running.`);
    // Observation does not keep a program alive.
    this.beat = setInterval(() => this.try(), BEAT_MS).unref();
    if (open.size === 0) process.on('beforeExit', sendLastReports);
    open.add(this);
  }

  put(report: LiveReport): void {
    this.backlog.put(report);
    if (this.isAlone || this.isSending) return;
    this.timer ??= setTimeout(() => this.try(), BATCH_MS).unref();
  }

  /**
   * Sends all waiting reports like `flush`, but waits for an inspector that accepts the connection and is too busy to answer. Reports wait
   * within their limits.
   */
  connect(): Promise<void> {
    return this.flush().catch((error: unknown) => {
      if (error !== this.silence) throw error;
      console.warn(`inspect: the inspector at ${this.address.origin} does not respond yet. Reports are sent when it does.`);
    });
  }

  /** Sends all waiting reports, after those in flight. Rejects if the inspector does not take them. */
  flush(): Promise<void> {
    if (this.timer) clearTimeout(this.timer);
    this.timer = null;
    this.sending = this.sending.catch(() => {}).then(() => this.sendAll());
    return this.sending;
  }

  /** Stops without a last report. */
  kill(): void {
    clearInterval(this.beat);
    if (this.timer) clearTimeout(this.timer);
    open.delete(this);
    if (open.size === 0) process.off('beforeExit', sendLastReports);
  }

  async close(): Promise<void> {
    this.kill();
    const last = patience(this.isAlone ? LAST_MS / 4 : LAST_MS, () => this.asking?.destroy(this.silence));
    try {
      await this.flush();
    } finally {
      clearInterval(last);
      this.agent.destroy();
    }
  }

  private try(): void {
    this.timer = null;
    if (!this.isSending) void this.flush().catch(() => {});
  }

  private async sendAll(): Promise<void> {
    this.isSending = true;
    try {
      if (this.isAlone) await this.post(this.body([]));
      this.isAlone = false;
      do await this.sendNext();
      while (!this.backlog.isEmpty);
    } catch (error) {
      this.isAlone = true;
      throw error;
    } finally {
      this.isSending = false;
    }
  }

  private async sendNext(): Promise<void> {
    this.unanswered ??= this.backlog.isEmpty ? null : { number: ++this.count, texts: this.backlog.take() };
    const { number, texts = [] } = this.unanswered ?? {};
    const status = await this.post(this.body(texts, number));
    // An inspector with this token may start later.
    if (status === NOT_FOUND) throw new UsageError(`inspect: ${wrongToken(this.inspector)}`);
    this.unanswered = null;
    if (status === 200) return this.backlog.confirm();
    if (status === UNKNOWN_STATUS) {
      this.count = 0;
      return this.backlog.startAgain();
    }
    this.backlog.refuse();
    throw new UsageError(
      `inspect: ${this.address.origin} responded with status ${status}. Check that an inspector for live nodes runs at this address.`,
    );
  }

  private body(texts: readonly string[], number?: number): string {
    const about = JSON.stringify({
      program: this.program,
      sender: this.sender,
      number,
      before: number === undefined ? this.count : number - 1,
    });
    return `${about.slice(0, -1)},"reports":[${texts.join(',')}]}`;
  }

  /** Resolves with the status of the answer. */
  private post(body: string): Promise<number> {
    return new Promise((resolve, reject) => {
      const asking = request(this.address, { method: 'POST', agent: this.agent });
      this.asking = asking;
      const waiting = patience(PATIENCE_MS, () => void asking.destroy(this.silence)).unref();
      asking.on('socket', (socket) => socket.unref());
      asking.on('response', (response) => {
        response.resume();
        response.on('end', () => resolve(statusOf(response)));
        response.on('error', reject);
      });
      asking.on('error', (error: NodeJS.ErrnoException) =>
        reject(error.code === 'ECONNREFUSED' ? new UsageError(`inspect: ${absence(this.inspector)}`) : error),
      );
      asking.on('close', () => {
        clearInterval(waiting);
        reject(this.silence);
      });
      asking.end(body);
    });
  }
}
