/**
 * Counts which states, transitions and guards of a protocol's charts were covered, over any number of runs of tests, simulations and
 * searches.
 */
import { UsageError } from '../../machines/errors.js';
import type { Protocol } from '../../machines/protocol.js';
import { isOpen, itemsAtStart, itemsOf, type Item, itemCounts } from './items.js';
import { listen, observed } from './probe.js';
import { requireProtocol } from '../../network/scenario/required.js';

/**
 * How often each item was covered, by chart.
 *
 * @public
 */
export type Counts = Readonly<Record<string, Readonly<Record<Item, number>>>>;

/**
 * How often states, transitions, guards, events and messages of a protocol's charts were covered, by any number of runs.
 *
 * @example
 * ```ts
 * import { directory } from 'xstate-quiver/machines';
 * import { Coverage, explore } from 'xstate-quiver/check';
 *
 * const coverage = new Coverage(directory);
 * const topology = { nodes: ['a', 'b'], links: [['a', 'b', 1]] } as const;
 * coverage.during((observed) => explore(observed, { topology, commands: 'unlimited' }));
 * console.log(coverage.missing()); // what no run has touched
 * ```
 * @public
 */
export class Coverage {
  /** How many things have been covered so far. */
  covered = 0;
  private readonly counts: ReadonlyMap<string, Map<Item, number>>;

  constructor(readonly protocol: Protocol) {
    requireProtocol('Coverage', protocol);
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
    const begun = new Set<string>();
    const begins = (name: string) => {
      if (!begun.has(name)) this.begin(name);
      begun.add(name);
    };
    const stop = listen(new Map(watched.map(([name, chart, noted]) => [chart, (item) => (begins(name), noted(item))])));
    try {
      return run({ ...this.protocol, charts: Object.fromEntries(watched.map(([name, chart]) => [name, chart])) });
    } finally {
      stop();
    }
  }

  /** A chart that takes a transition has been in its first states. */
  private begin(chart: string): void {
    const counts = this.counts.get(chart)!;
    this.add(
      chart,
      itemsAtStart(this.protocol.charts[chart]!).filter((item) => counts.get(item) === 0),
    );
  }

  /**
   * Counts items of a chart, by the names that `missing` uses, so many times.
   *
   * @throws UsageError for a chart or an item that the protocol does not have.
   */
  add(chart: string, items: Iterable<Item>, times = 1): void {
    const counts = this.counts.get(chart);
    if (!counts)
      throw new UsageError(
        `Protocol ${this.protocol.name} has no chart "${chart}". Its charts are ${[...this.counts.keys()].join(', ')}.`,
      );
    for (const item of items) {
      const count = counts.get(item) ?? (isOpen(item) ? 0 : undefined);
      if (count === undefined)
        throw new UsageError(
          `chart ${chart} of ${this.protocol.name} has no ${item}. Count the coverage again if the chart has changed.`,
        );
      counts.set(item, count + times);
      if (count === 0 && times > 0) this.covered++;
    }
  }

  /**
   * Adds what another run has counted, given as its JSON.
   *
   * @throws UsageError as `add` does.
   */
  merge(counts: Counts): void {
    for (const [chart, items] of Object.entries(counts)) {
      for (const [item, count] of itemCounts(items)) this.add(chart, [item], count);
    }
  }

  /** The counts of one chart, by item. */
  of(chart: string): ReadonlyMap<Item, number> {
    return this.counts.get(chart)!;
  }

  /** Uncovered items, as `chart: item`. */
  missing(): readonly string[] {
    return [...this.counts].flatMap(([chart, items]) => [...items].flatMap(([item, n]) => (n > 0 ? [] : [`${chart}: ${item}`])));
  }

  /** All counts, for `merge`. */
  toJSON(): Counts {
    return Object.fromEntries([...this.counts].map(([chart, items]) => [chart, Object.fromEntries(items)]));
  }
}
