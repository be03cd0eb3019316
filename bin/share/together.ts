/** Takes part in a shared job until all of its pieces have a result: runs one piece after the other beside all others who do so. */
import { setTimeout as wait } from 'node:timers/promises';
import { ProtocolError, UsageError } from '../../machines/errors.js';
import { ProgressLine } from '../progress.js';
import { number } from '../style.js';
import type { PieceEnding, Job, Together } from './job.js';
import { ACK_MS, JobStreams, type HandedOut } from './streams.js';
import { Worker, WorkerEnded } from './worker.js';

/** So often a piece is handed out; one that ends each of its workers would be handed out for ever. */
const TIMES_MAX = 5;
/** So often in a row the server may fail to answer. */
const FAILURES_MAX = 12;
const STATUS_OF = { SIGINT: 130, SIGTERM: 143 } as const;

/** How it came to its end: all is there, or what is to be thrown, or the status with which to exit. */
type End<R> = { readonly sum: Together<R> } | { readonly error: Error } | { readonly status: number };

/**
 * The same for everybody who takes part. On Ctrl-C the process exits.
 *
 * @throws UsageError where it cannot be shared, where two results of a piece differ, or where it would have been thrown without sharing.
 * @throws ProtocolError for what broke at a piece.
 */
export async function together<R>(url: string, job: Job<R>): Promise<Together<R>> {
  const streams = await JobStreams.open(url, job);
  const part = new Part(url, job, streams);
  const end = await part.ended();
  await streams.leave().catch(() => {});
  if ('status' in end) process.exit(end.status);
  if ('error' in end) throw end.error;
  return end.sum;
}

class Part<R> {
  private readonly worker: Worker;
  private readonly progress = new ProgressLine();
  private isOver = false;
  private ownCount = 0;
  private readonly again = new Set<number>();

  constructor(
    private readonly url: string,
    private readonly job: Job<R>,
    private readonly streams: JobStreams<R>,
  ) {
    this.worker = new Worker(job.task);
  }

  /** Whatever comes first. */
  async ended(): Promise<End<R>> {
    const stops: (() => void)[] = [];
    const interrupted = Object.entries(STATUS_OF).map(
      ([signal, status]) =>
        new Promise<End<R>>((resolve) => {
          const hear = () => resolve({ status });
          process.on(signal, hear);
          stops.push(() => process.off(signal, hear));
        }),
    );
    const closed = this.streams.closed().then(() => ({ error: this.lost() }));
    const heard = new Promise<End<R>>((resolve) => {
      this.streams.onResult = () => {
        this.progress.show(
          `${this.job.name}: ${number(this.streams.results.size)} of ${number(this.pieces())}, here ${this.ownCount}`,
        );
        const end = this.end();
        if (end) resolve(end);
      };
      this.streams.onResult();
    });
    const failed = this.work().then(
      () => heard,
      (error: Error) => ({ error }),
    );
    try {
      return await Promise.race([heard, failed, closed, ...interrupted]);
    } finally {
      this.isOver = true;
      this.worker.end();
      this.progress.done();
      for (const stop of stops) stop();
    }
  }

  private lost(): UsageError {
    return new UsageError(
      `the connection to ${this.url} is lost, and the server has not come back; what is stored there is kept: start again when it is there`,
    );
  }

  private pieces(): number {
    const results = new Map<number, R>();
    for (const [piece, { ending }] of this.streams.results) if ('result' in ending) results.set(piece, ending.result);
    return this.job.piecesOf(results);
  }

  private end(): End<R> | null {
    const { results, others, unreadable } = this.streams;
    if (unreadable) return { error: unreadable };
    for (const { ending } of results.values())
      if ('broken' in ending) return { error: ending.isUsage ? new UsageError(ending.broken) : new ProtocolError(ending.broken) };
    for (const { piece, stored } of others) {
      const first = results.get(piece);
      if (first && this.essenceOf(first.ending) !== this.essenceOf(stored.ending)) return { error: this.differs(piece) };
    }
    const pieces = this.pieces();
    const endings = Array.from({ length: pieces }, (_, piece) => results.get(piece)?.ending);
    if (!endings.every((ending) => ending !== undefined && 'result' in ending)) return null;
    const twice = [...new Set(others.map(({ piece }) => piece))].sort((a, b) => a - b);
    const all = endings.map((ending) => (ending as { result: R }).result);
    return { sum: { results: all, ownCount: this.ownCount, againCount: this.again.size, twice } };
  }

  private essenceOf(ending: PieceEnding<R>): string {
    return JSON.stringify('result' in ending ? this.job.essenceOf(ending.result) : null);
  }

  private differs(piece: number): UsageError {
    const title = this.job.titleOf(piece);
    return new UsageError(
      `${title} was run twice, and came out otherwise: something decides that is not in what the workers share, such as a module of another version, the machine, or its time; make all workers alike`,
    );
  }

  /** Until it is over, or the server fails for good. */
  private async work(): Promise<void> {
    let failures = 0;
    while (!this.isOver) {
      try {
        await this.streams.fill(this.pieces());
        const handed = await this.streams.next();
        if (handed && !this.isOver) await this.runPiece(handed);
        failures = 0;
      } catch (error) {
        if (this.isOver) return;
        if (error instanceof UsageError || ++failures >= FAILURES_MAX) throw error;
        if (await this.streams.areGone())
          throw new UsageError(`"${this.job.name}" at ${this.url} was taken away meanwhile; start it again`);
        await wait(1_000);
      }
    }
  }

  private async runPiece(handed: HandedOut): Promise<void> {
    const { piece, time, message } = handed;
    if (time > 1) this.again.add(piece);
    if (piece >= this.pieces() || (time > 1 && (await this.streams.isStored(piece)))) return message.ack();
    const beat = setInterval(() => message.working(), ACK_MS / 3);
    try {
      const ending = time > TIMES_MAX ? this.broken(piece, 'those who ran it are gone') : await this.runHere(handed);
      if (!ending) return message.nak();
      if (this.isOver) return;
      await this.stored(handed, ending);
    } finally {
      clearInterval(beat);
    }
  }

  /** `null`: its process has ended, and it is to be handed out again. */
  private async runHere({ piece, time }: HandedOut): Promise<PieceEnding<R> | null> {
    try {
      const ending = (await this.worker.run(this.job.inputOf(piece))) as PieceEnding<R>;
      this.ownCount++;
      return ending;
    } catch (error) {
      if (!(error instanceof WorkerEnded)) throw error;
      return time < TIMES_MAX ? null : this.broken(piece, `its process ended (${error.message})`);
    }
  }

  private broken(piece: number, why: string): PieceEnding<R> {
    const broken = `${this.job.titleOf(piece)} was handed out ${TIMES_MAX} times, and nobody came to its end: ${why}; run it alone`;
    return { broken, isUsage: false };
  }

  /** What took so long to run is not lost because the server is away for a moment. */
  private async stored(handed: HandedOut, ending: PieceEnding<R>): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.streams.store(handed, ending);
      } catch (error) {
        if (this.isOver || attempt >= FAILURES_MAX || (await this.streams.areGone())) throw error;
        await wait(1_000);
      }
    }
  }
}
