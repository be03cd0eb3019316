/**
 * Coverage of a protocol's charts, counted over any number of runs: generated paths, simulations on the snapshot host, explorations.
 *
 * ```ts
 * const coverage = new Coverage(directory);
 * coverage.during((observed) => explore(observed, { topology, commands: 'unlimited' }));
 * coverage.missing(); // what no run has touched
 * ```
 */
import { UsageError } from '../../machines/errors.js';
import type { Protocol } from '../../machines/protocol.js';
import { isOpen, itemsAtStart, itemsOf, type Item } from './items.js';
import { listen, observed } from './probe.js';

/** How often each thing there is was covered, by chart. */
export type Counts = Readonly<Record<string, Readonly<Record<Item, number>>>>;

export class Coverage {
  /** How many things have been covered so far. */
  covered = 0;
  private readonly counts: ReadonlyMap<string, Map<Item, number>>;

  constructor(readonly protocol: Protocol) {
    this.counts = new Map(
      Object.entries(protocol.charts).map(([name, chart]) => [name, new Map(itemsOf(chart).map((item) => [item, 0]))]),
    );
  }

  /** Counts what `run` does with the protocol that it is given: the same one under observation. */
  during<T>(run: (protocol: Protocol) => T): T {
    const { charts } = this.protocol;
    const watched = Object.entries(charts).map(([name, chart]) => {
      const noted = (item: Item) => this.add(name, [item]);
      return [name, observed(chart, noted), noted] as const;
    });
    const stop = listen(new Map(watched.map(([name, chart, noted]) => [chart, (item) => (this.begun(name), noted(item))])));
    try {
      return run({ ...this.protocol, charts: Object.fromEntries(watched.map(([name, chart]) => [name, chart])) });
    } finally {
      stop();
    }
  }

  /** A chart that takes a transition has been in its first states. */
  private begun(chart: string): void {
    const counts = this.counts.get(chart)!;
    this.add(
      chart,
      itemsAtStart(this.protocol.charts[chart]!).filter((item) => counts.get(item) === 0),
    );
  }

  add(chart: string, items: Iterable<Item>, times = 1): void {
    const counts = this.counts.get(chart);
    if (!counts) throw new UsageError(`protocol ${this.protocol.name} has no chart "${chart}"`);
    for (const item of items) {
      const count = counts.get(item) ?? (isOpen(item) ? 0 : undefined);
      if (count === undefined)
        throw new UsageError(`chart ${chart} of ${this.protocol.name} has no ${item}; was it changed since?`);
      counts.set(item, count + times);
      if (count === 0 && times > 0) this.covered++;
    }
  }

  /** Adds what another run has counted, given as its JSON. */
  merge(counts: Counts): void {
    for (const [chart, items] of Object.entries(counts)) {
      for (const [item, count] of Object.entries(items) as [Item, number][]) this.add(chart, [item], count);
    }
  }

  of(chart: string): ReadonlyMap<Item, number> {
    return this.counts.get(chart)!;
  }

  /** What nothing has covered, as `chart: item`. */
  missing(): readonly string[] {
    return [...this.counts].flatMap(([chart, items]) => [...items].flatMap(([item, n]) => (n > 0 ? [] : [`${chart}: ${item}`])));
  }

  toJSON(): Counts {
    return Object.fromEntries([...this.counts].map(([chart, items]) => [chart, Object.fromEntries(items)]));
  }
}
