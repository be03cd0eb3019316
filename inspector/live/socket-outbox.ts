/**
 * Sends the reports of a program in a browser to the inspector over a WebSocket, one batch at a time. The next batch follows when the
 * inspector has taken the last one. The number of waiting reports is bounded. A failed connection is opened again, with growing pauses. An
 * inspector that has started again receives the state of the program first.
 */
import type { InspectorAddress } from './address.js';
import { ReportBacklog } from './backlog.js';
import type { BatchAnswer, Program } from './inbox.js';
import type { Reached } from './reached.js';
import type { ReachOrder } from './reaching.js';
import type { LiveReport } from './report.js';

const BATCH_MS = 20;
const RETRY_MS = 500;
const RETRY_MAX_MS = 10_000;
/** The inspector cannot read the batch, and closes the connection with this status. */
const INVALID = 1007;

export class SocketOutbox {
  private readonly backlog = new ReportBacklog();
  private socket: WebSocket | null = null;
  private isOpen = false;
  private isClosed = false;
  private timer: ReturnType<typeof setTimeout> | null = null;
  private failures = 0;
  /** Sent and not taken yet. After a lost connection, it is sent again with its number, so that it is taken once. */
  private unanswered: { readonly number: number; readonly texts: readonly string[] } | null = null;
  private count = 0;

  constructor(
    private readonly inspector: InspectorAddress,
    private readonly program: Program,
    /** Takes the gestures of the page; `null` if the page can only watch. */
    private readonly reached: Reached | null,
  ) {
    this.connect();
  }

  put(report: LiveReport): void {
    this.backlog.put(report);
    if (this.isOpen && !this.unanswered) this.timer ??= setTimeout(() => this.send(), BATCH_MS);
  }

  /** Sends one batch of waiting reports and closes the connection. */
  close(): void {
    if (this.isOpen && !this.backlog.isEmpty) {
      this.unanswered = null;
      this.send();
    }
    this.isClosed = true;
    if (this.timer) clearTimeout(this.timer);
    this.socket?.close(1000);
  }

  private connect(): void {
    this.timer = null;
    try {
      const socket = new WebSocket(this.inspector.socket);
      this.socket = socket;
      socket.onopen = () => {
        this.isOpen = true;
        this.send();
      };
      socket.onmessage = ({ data }) => this.receive(JSON.parse(String(data)));
      socket.onclose = ({ code }) => this.lost(code);
      // The package ws ends a program that does not listen for errors.
      socket.onerror = () => {};
    } catch (error) {
      console.warn(`quiver: reports to the inspector at ${this.inspector.origin} have stopped: ${String(error)}`);
    }
  }

  private receive(message: BatchAnswer | ReachOrder): void {
    if ('isTaken' in message) this.answered(message);
    else if ('letGo' in message) this.reached?.letGo();
    else if (this.reached) this.socket!.send(JSON.stringify({ program: this.program, answer: this.reached.answer(message) }));
  }

  private send(): void {
    this.timer = null;
    this.unanswered ??= { number: ++this.count, texts: this.backlog.take() };
    const { number, texts } = this.unanswered;
    const about = JSON.stringify({ program: this.program, number, ...(this.reached && { isReachable: true }) });
    this.socket!.send(`${about.slice(0, -1)},"reports":[${texts.join(',')}]}`);
  }

  private answered({ number, isTaken }: BatchAnswer): void {
    if (this.unanswered?.number !== number) return;
    this.unanswered = null;
    this.failures = 0;
    if (isTaken) this.backlog.confirm();
    else {
      this.count = 0;
      this.backlog.startAgain();
    }
    if (!this.backlog.isEmpty) this.send();
  }

  private lost(code: number): void {
    const wasOpen = this.isOpen;
    this.isOpen = false;
    if (this.timer) clearTimeout(this.timer);
    if (this.isClosed) return;
    if (code === INVALID && this.unanswered) {
      this.backlog.refuse();
      this.unanswered = null;
    }
    const { origin, token } = this.inspector;
    // A browser does not report whether a server was absent or refused the connection.
    const why = wasOpen
      ? `the inspector at ${origin} has gone; reports wait until it is back.`
      : `no connection to the inspector at ${origin}; reports wait. Start quiver explore --live. If it runs, its token is not "${token}": pass the whole address that it printed.`;
    if (this.failures === 0) console.warn(`quiver: ${why}`);
    const pause = Math.min(RETRY_MS * 2 ** this.failures++, RETRY_MAX_MS);
    this.timer = setTimeout(() => this.connect(), pause);
  }
}
