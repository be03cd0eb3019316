/**
 * Paths between processes: which of them are open, and their latency.
 *
 * A path is directed. Faults sever it and restore it, and are counted, so that a path is open when all of them have healed.
 */
import type { Random } from '../../network/random.js';
import type { Distance, LatencyRange } from './scenario.js';

export class Wires {
  private readonly severed = new Map<string, number>();
  private readonly slowed = new Map<string, number>();
  private readonly distances = new Map<string, LatencyRange>();
  /** Callbacks that wait for a path to open. */
  private readonly waiting = new Set<() => void>();

  constructor(
    /** Runs a function after a delay in milliseconds, and logs the text. */
    private readonly schedule: (ms: number, what: string, run: () => void) => unknown,
    private readonly random: Random,
    private readonly latencyMs: LatencyRange,
    distances: readonly Distance[],
  ) {
    for (const { between, latencyMs } of distances) {
      const [one, other] = between;
      this.distances.set(`${one}>${other}`, latencyMs);
      this.distances.set(`${other}>${one}`, latencyMs);
    }
  }

  isThrough(from: string, to: string): boolean {
    return !this.severed.has(`${from}>${to}`);
  }

  sever(from: string, to: string): void {
    const way = `${from}>${to}`;
    this.severed.set(way, (this.severed.get(way) ?? 0) + 1);
  }

  restore(from: string, to: string): void {
    const way = `${from}>${to}`;
    const left = (this.severed.get(way) ?? 1) - 1;
    if (left > 0) this.severed.set(way, left);
    else this.severed.delete(way);
    for (const look of this.waiting) look();
  }

  /** Sets the factor for the latency of all paths of a process. */
  slow(process: string, factor: number): void {
    this.slowed.set(process, factor);
  }

  /** The latency of a message now, in milliseconds. */
  delay(from: string, to: string): number {
    const [min, max] = this.distances.get(`${from}>${to}`) ?? this.latencyMs;
    return (min + this.random.unit() * (max - min)) * this.slownessOf(from, to);
  }

  slownessOf(from: string, to: string): number {
    return Math.max(this.slowed.get(from) ?? 1, this.slowed.get(to) ?? 1);
  }

  /** Runs when the path is open, like a retransmission of TCP. */
  whenThrough(from: string, to: string, run: () => void): void {
    if (this.isThrough(from, to)) return run();
    const look = () => {
      if (!this.isThrough(from, to)) return;
      this.waiting.delete(look);
      this.schedule(this.delay(from, to), `again ${from}>${to}`, run);
    };
    this.waiting.add(look);
  }
}
