/**
 * The search: breadth first from the first states, every state expanded once, so that the way to a violation is a shortest one.
 *
 * The states found are their own queue. `always` and `closed` end the search at their first violation; what is owed on endless runs
 * is looked at afterwards, on the graph.
 */
import { Limits, type Bounds, type Progress } from './bounds.js';
import { Graph } from './graph.js';
import type { Model } from './model.js';
import { NONE, Store } from './store.js';
import { isFault } from './successors.js';
import type { Watch } from './watch.js';

/** States between two looks at bounds and clock. */
const STRIDE = 4096;

export class Search {
  readonly store = new Store();
  transitions = 0;
  /** States in which nothing at all can happen. */
  terminal = 0;
  depth = 0;
  expanded = 0;
  /** Why the search did not come to its end. */
  stopped: string | undefined;
  private levelEnd = 0;
  private found = new Int32Array(64);
  private readonly startedAt: number;
  private readonly limits: Limits;

  constructor(
    private readonly model: Model,
    private readonly watch: Watch,
    /** Kept only for questions that need it. */
    readonly graph: Graph | undefined,
    bounds: Bounds,
    /** Milliseconds, by the host's clock. */
    private readonly now: () => number,
    private readonly onProgress: (progress: Progress) => void,
  ) {
    this.startedAt = now();
    this.limits = new Limits(bounds, model);
  }

  get progress(): Progress {
    const { store, transitions, depth, graph } = this;
    const bytes = store.bytes + (graph?.bytes ?? 0) + this.watch.owed.bytes;
    const seconds = (this.now() - this.startedAt) / 1000;
    return { states: store.size, transitions, depth, frontier: store.size - this.expanded, bytes, seconds };
  }

  /** Begins from a state; true when it is new. */
  begin(row: readonly number[]): boolean {
    const { store } = this;
    const state = store.add(Int32Array.from(row), 0, row.length, NONE);
    if (store.added) this.watch.enter(state, Int32Array.from(row), 0, row.length);
    this.levelEnd = store.size;
    return store.added;
  }

  run(): void {
    const { store, model, watch } = this;
    let row = new Int32Array(64);
    for (; this.expanded < store.size && !watch.violated; this.expanded++) {
      if (this.expanded === this.levelEnd) {
        this.depth++;
        this.levelEnd = store.size;
        if (this.mustStop()) return;
      } else if (this.expanded % STRIDE === 0 && this.mustStop()) return;
      if (row.length < store.longest) row = new Int32Array(2 * store.longest);
      model.successors.expand(row, store.load(this.expanded, row));
      this.follow(this.expanded);
    }
  }

  private mustStop(): boolean {
    const { progress } = this;
    this.onProgress(progress);
    this.stopped = this.limits.exceeded(progress);
    return this.stopped !== undefined;
  }

  /** Takes in what can happen next in a state. */
  private follow(state: number): void {
    const { store, watch, graph } = this;
    const { count, rows, begins, kinds } = this.model.successors;
    if (count > this.found.length) this.found = new Int32Array(2 * count);
    this.transitions += count;
    if (count === 0) this.terminal++;
    let fresh = store.size;
    store.addAll(rows, begins, count, state, this.found);
    for (let i = 0; i < count; i++) {
      const next = this.found[i]!;
      if (next === fresh) {
        watch.enter(next, rows, begins[i]!, begins[i + 1]! - begins[i]!);
        fresh++;
      }
      if (watch.closes && !isFault(kinds[i]!)) watch.pass(state, next);
    }
    graph?.add(this.model.successors, this.found);
  }
}
