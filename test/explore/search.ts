/**
 * The search: from the first states on, every state expanded once. Breadth first, the way to a violation is a shortest one.
 *
 * `always` and `closed` end the search at their first violation; what is owed on endless runs is looked at afterward, on the graph.
 * A reduction leaves states out that would show nothing new (`symmetry.ts`).
 */
import { SearchLimits, type Bounds, type Progress } from './bounds.js';
import type { Frontier } from './frontier.js';
import type { Graph } from './graph.js';
import type { Model } from './model.js';
import type { Resent } from './resent.js';
import { CompactStore } from './compact-store.js';
import { NO_PARENT, StateStore } from './store.js';
import { isFault } from './successors.js';
import type { Symmetry } from './symmetry.js';
import type { SearchWatch } from './watch.js';

/** States between two looks at bounds and clock. */
export const STRIDE = 4096;

export interface SearchPlan {
  /** Keeps hashes instead of states. Breadth first only, and without a graph. */
  readonly compact?: boolean;
  readonly frontier: Frontier;
  readonly bounds: Bounds;
  /** Kept only for questions that need it. */
  readonly graph?: Graph | undefined;
  /** Kept only for promises on endless runs. */
  readonly resent?: Resent | undefined;
  readonly symmetry?: Symmetry | undefined;
  /** Milliseconds, by the host's clock. */
  readonly now?: (() => number) | undefined;
  readonly onProgress?: ((progress: Progress) => void) | undefined;
}

export class Search {
  readonly store: StateStore | CompactStore;
  transitions = 0;
  /** States in which nothing at all can happen. */
  terminal = 0;
  depth = 0;
  /** How long it took. */
  seconds = 0;
  /** Why the search did not come to its end. */
  stopped: string | undefined;
  readonly graph: Graph | undefined;
  readonly resent: Resent | undefined;
  private expanded = 0;
  private found = new Int32Array(64);
  private readonly frontier: Frontier;
  private readonly startedAt: number;
  private readonly limits: SearchLimits;

  constructor(
    private readonly model: Model,
    private readonly watch: SearchWatch,
    private readonly plan: SearchPlan,
  ) {
    this.store = plan.compact ? new CompactStore() : new StateStore();
    this.frontier = plan.frontier;
    this.graph = plan.graph;
    this.resent = plan.resent;
    this.startedAt = this.now();
    this.limits = new SearchLimits(plan.bounds, model);
  }

  get progress(): Progress {
    const { store, transitions, depth, graph, frontier } = this;
    const seconds = (this.now() - this.startedAt) / 1000;
    const bytes = store.bytes + (graph?.bytes ?? 0) + this.watch.owed.bytes;
    return { states: store.size, transitions, depth, frontier: frontier.size, bytes, seconds };
  }

  /** Begins from a state; false when a bound was met, for a corruption may leave more states than can be kept. */
  begin(row: readonly number[]): boolean {
    const { store } = this;
    const { size } = store;
    this.admit(Int32Array.from(row), 0, row.length, NO_PARENT);
    this.frontier.found(size, store.size);
    return store.size === size || store.size % STRIDE > 0 || !this.mustStop();
  }

  run(): void {
    if (this.stopped !== undefined) return;
    const { store, watch, frontier, limits, plan } = this;
    let row = new Int32Array(64);
    let isCut = false;
    for (let state = frontier.next(); state !== -1 && !watch.violated; state = frontier.next()) {
      if (this.isDue() && this.mustStop()) return;
      if (frontier.depth >= limits.depth) {
        isCut = true;
        continue;
      }
      this.expanded++;
      if (row.length < store.longest) row = new Int32Array(2 * store.longest);
      const length = store.load(state, row);
      plan.symmetry?.audit(state, row, length, watch.judgings);
      this.model.successors.expand(row, length);
      this.follow(state);
    }
    if (isCut) this.stopped = limits.tooDeep();
    this.seconds = this.progress.seconds;
  }

  private now(): number {
    return this.plan.now?.() ?? 0;
  }

  private isDue(): boolean {
    if (this.frontier.depth <= this.depth) return this.expanded % STRIDE === 0;
    this.depth = this.frontier.depth;
    return true;
  }

  private mustStop(): boolean {
    const { progress } = this;
    this.plan.onProgress?.(progress);
    this.seconds = progress.seconds;
    this.stopped = this.limits.exceeded(progress);
    return this.stopped !== undefined;
  }

  /** Takes in what can happen next in a state. */
  private follow(state: number): void {
    const { store, graph, resent, plan } = this;
    const { successors } = this.model;
    const { size } = store;
    if (successors.count === 0) this.terminal++;
    if (successors.count > this.found.length) this.found = new Int32Array(2 * successors.count);
    if (plan.symmetry) this.followEach(state);
    else this.followAll(state);
    this.frontier.found(size, store.size);
    graph?.add(state, successors, this.found);
    resent?.add(state, successors, this.found);
  }

  private followAll(state: number): void {
    const { store, watch, found } = this;
    const { count, rows, begins, kinds } = this.model.successors;
    this.transitions += count;
    let fresh = store.size;
    store.addAll(rows, begins, count, state, found);
    for (let i = 0; i < count; i++) {
      const next = found[i]!;
      if (next === fresh) {
        watch.enter(next, rows, begins[i]!, begins[i + 1]! - begins[i]!);
        fresh++;
      }
      if (watch.closes && !isFault(kinds[i]!)) watch.pass(state, next);
    }
  }

  private followEach(state: number): void {
    const { watch, found } = this;
    const { count, rows, begins, kinds } = this.model.successors;
    this.transitions += count;
    for (let i = 0; i < count; i++) {
      found[i] = this.admit(rows, begins[i]!, begins[i + 1]! - begins[i]!, state);
      if (watch.closes && !isFault(kinds[i]!)) watch.pass(state, found[i]!);
    }
  }

  private admit(row: Int32Array, begin: number, length: number, parent: number): number {
    const { store, watch, plan } = this;
    const known = plan.symmetry ? plan.symmetry.representative(row, begin, length) : row;
    const at = plan.symmetry ? 0 : begin;
    const state = store.add(known, at, length, parent);
    if (store.added) watch.enter(state, known, at, length);
    return state;
  }
}
