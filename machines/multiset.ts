/** How often each key is there, for totals that go along with a run or a search. */
export class Multiset<K> {
  /** Keys that are there more than once. */
  repeated = 0;
  private readonly times = new Map<K, number>();

  /** Keys that are there at all. */
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
