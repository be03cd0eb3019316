/** Counts how often each key occurs, for totals that are updated during a run or a search. */
export class Multiset<K> {
  /** Number of keys with a count above 1. */
  repeated = 0;
  private readonly times = new Map<K, number>();

  /** Number of different keys. */
  get size(): number {
    return this.times.size;
  }

  keys(): Iterable<K> {
    return this.times.keys();
  }

  add(key: K, by: 1 | -1): void {
    const before = this.times.get(key) ?? 0;
    const after = before + by;
    if (after === 0) this.times.delete(key);
    else this.times.set(key, after);
    this.repeated += Number(after > 1) - Number(before > 1);
  }
}
