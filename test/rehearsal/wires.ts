/**
 * What lies between processes: which way is through, and how long it takes.
 *
 * A way is directed. Faults sever it and fix it again; each counts by itself, so that two that overlap heal when both have.
 */
import type { Random } from '../../network/random.js';
import type { Distance, LatencyRange } from './scenario.js';
import type { VirtualWorld } from './world.js';

export class Wires {
  private readonly severed = new Map<string, number>();
  private readonly slowed = new Map<string, number>();
  private readonly distances = new Map<string, LatencyRange>();
  /** What waits for a way to be through again. */
  private readonly waiting = new Set<() => void>();

  constructor(
    private readonly world: VirtualWorld,
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

  mend(from: string, to: string): void {
    const way = `${from}>${to}`;
    const left = (this.severed.get(way) ?? 1) - 1;
    if (left > 0) this.severed.set(way, left);
    else this.severed.delete(way);
    for (const look of this.waiting) look();
  }

  /** All ways of a process take so many times as long. */
  slow(process: string, factor: number): void {
    this.slowed.set(process, factor);
  }

  /** How long it takes now, in milliseconds. */
  delay(from: string, to: string): number {
    const [min, max] = this.distances.get(`${from}>${to}`) ?? this.latencyMs;
    return (min + this.random.unit() * (max - min)) * this.slownessOf(from, to);
  }

  slownessOf(from: string, to: string): number {
    return Math.max(this.slowed.get(from) ?? 1, this.slowed.get(to) ?? 1);
  }

  /** Runs once the way is through, as TCP sends again what was lost. */
  whenThrough(from: string, to: string, run: () => void): void {
    if (this.isThrough(from, to)) return run();
    const look = () => {
      if (!this.isThrough(from, to)) return;
      this.waiting.delete(look);
      this.world.after(this.delay(from, to), null, `again ${from}>${to}`, run);
    };
    this.waiting.add(look);
  }
}
