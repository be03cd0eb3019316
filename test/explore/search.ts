/**
 * The search loop: it expands every state once, starting from the first states. In breadth-first order the path to a violation is a
 * shortest one.
 *
 * The first violation of `always` or `closed` ends the search. Liveness is decided afterward, on the graph (`liveness.ts`). A reduction
 * leaves out states that would show nothing new (`symmetry.ts`).
 */
import { SearchLimits, type Bounds, type Progress } from './bounds.js';
import type { Frontier } from './frontier.js';
import type { Graph } from './graph.js';
import type { Model } from './model.js';
import { CompactStore } from './compact-store.js';
import { NO_PARENT, StateStore } from './store.js';
import { isFault } from './successors.js';
import type { Symmetry } from './symmetry.js';
import type { SearchWatch } from './watch.js';

/** Number of expanded states between two checks of the bounds. */
export const STRIDE = 4096;

export interface SearchPlan {
  /** Store hashes instead of states. Breadth-first only, and without a graph. */
  readonly compact?: boolean;
  readonly frontier: Frontier;
  readonly bounds: Bounds;
  /** Present only if a question needs the graph. */
  readonly graph?: Graph | undefined;
  readonly symmetry?: Symmetry | undefined;
  /** The host's clock in milliseconds. */
  readonly now?: (() => number) | undefined;
  readonly onProgress?: ((progress: Progress) => void) | undefined;
}

export class Search {
  readonly store: StateStore | CompactStore;
  transitions = 0;
  /** Number of states in which nothing can happen. */
  terminal = 0;
  depth = 0;
  /** Duration of the search. */
  seconds = 0;
  /** The reason why the search stopped early. */
  stopped: string | undefined;
  readonly graph: Graph | undefined;
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
    this.startedAt = this.now();
    this.limits = new SearchLimits(plan.bounds, model);
  }

  get progress(): Progress {
    const { store, transitions, depth, graph, frontier } = this;
    const seconds = (this.now() - this.startedAt) / 1000;
    const bytes = store.bytes + (graph?.bytes ?? 0) + this.watch.pending.bytes;
    return { states: store.size, transitions, depth, frontier: frontier.size, bytes, seconds };
  }

  /**
   * Adds a first state. Returns false if a bound was reached, because a corruption may produce more states than fit in memory.
   */
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
      plan.symmetry?.audit(state, row, length, watch.stateProperties);
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

  /** Adds the successors of a state. */
  private follow(state: number): void {
    const { store, graph, plan } = this;
    const { successors } = this.model;
    const { size } = store;
    if (successors.count === 0) this.terminal++;
    if (successors.count > this.found.length) this.found = new Int32Array(2 * successors.count);
    if (plan.symmetry) this.followEach(state);
    else this.followAll(state);
    this.frontier.found(size, store.size);
    graph?.add(state, successors, this.found);
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
