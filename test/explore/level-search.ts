/**
 * The search in several threads: breadth-first, level by level, over states in shared memory.
 *
 * In each level, every thread
 *
 * 1. claims states and expands them with the steps that are cached; a state for which a chart would have to run waits;
 * 2. runs the charts for the states that first isMissing a step. All threads do this for the same states in the same order, so that all
 *    assign the same ids;
 * 3. expands its waiting states;
 * 4. numbers the new states found from its own, in the order in which one thread would find them, and checks the properties in them.
 *
 * The states, their ids and the result are therefore the same as with one thread.
 */
import { SearchLimits, type Bounds, type Progress } from './bounds.js';
import { Ints } from './ints.js';
import type { Model } from './model.js';
import { NOT_NUMBERED } from './numbering.js';
import { STRIDE } from './search.js';
import { Cell, makeRoom, raise, type SharedMemory } from './shared-memory.js';
import { SharedStates } from './shared-store.js';
import type { SearchWatch } from './watch.js';

/**
 * Larger than the id of any state. The `violation` cell holds the difference to it, so that the smallest state has the largest
 * value.
 */
const LATEST = 0x7fffffff;

/** The maximum number of states claimed at once, and the minimum number of claims of each thread in a level. */
const BLOCK_MAX = 64;
const TURNS = 8;

/** A request of the search to its driver: `continue` immediately, or wait at the `barrier` until all threads have arrived. */
export type Pause = 'continue' | 'barrier';

/** The index of this thread, the number of threads, and their shared memory. */
export interface ThreadPart {
  readonly mine: number;
  readonly of: number;
  readonly memory: SharedMemory;
}

export interface LevelPlan {
  readonly part: ThreadPart;
  readonly bounds: Bounds;
  readonly now?: (() => number) | undefined;
  readonly onProgress?: ((progress: Progress) => void) | undefined;
}

export class LevelSearch {
  readonly store: SharedStates;
  transitions = 0;
  terminal = 0;
  depth = 0;
  seconds = 0;
  stopped: string | undefined;
  readonly graph = undefined;
  /** True if a violation or a bound ends the search. */
  private isOver = false;
  private row = new Int32Array(64);
  /** The states of the current level: from `first` to before `end`. */
  private first = 0;
  private end = 0;
  /** The claimed states that this thread has not yet expanded. */
  private at = 0;
  private until = 0;
  private block = 1;
  private readonly waiting = new Ints();
  private expandedWaiting = 0;
  private made: Int32Array = new Int32Array(0);
  private readonly cells: Int32Array;
  private readonly limits: SearchLimits;
  private readonly startedAt: number;

  constructor(
    private readonly model: Model,
    private readonly watch: SearchWatch,
    private readonly plan: LevelPlan,
  ) {
    this.store = new SharedStates(plan.part.memory);
    this.cells = plan.part.memory.cells;
    this.limits = new SearchLimits(plan.bounds, model);
    this.startedAt = this.now();
  }

  /** Adds a first state. Only the leader adds it; the other threads create the same ids by computing its row. */
  begin(row: readonly number[]): boolean {
    if (!this.isLeader) return true;
    const { store } = this;
    const { size } = store;
    const state = Int32Array.from(row);
    if (store.begin(state)) this.watch.enter(size, state, 0, state.length);
    this.publishViolation();
    if (store.size > size && store.size % STRIDE === 0) this.checkBounds();
    return this.stopped === undefined;
  }

  *run(): Generator<Pause> {
    const { store } = this;
    if (this.isLeader) this.openLevel(0, store.size);
    yield 'barrier';
    store.refresh();
    store.size = Atomics.load(this.cells, Cell.size);
    [this.first, this.end] = [0, store.size];
    this.isOver = this.violation > 0;
    requireSmall(this.model);
    while (Atomics.load(this.cells, Cell.ended) === 0 && !this.isOver && this.first < this.end) {
      if (this.depth >= this.limits.depth) {
        this.stopped = this.limits.tooDeep();
        break;
      }
      yield* this.level();
    }
    this.seconds = this.progress.seconds;
  }

  get progress(): Progress {
    const { store, transitions, depth } = this;
    const seconds = (this.now() - this.startedAt) / 1000;
    return { states: store.size, transitions, depth, frontier: store.size - this.first, bytes: store.bytes, seconds };
  }

  private get isLeader(): boolean {
    return this.plan.part.mine === 0;
  }

  private get isStopped(): boolean {
    return Atomics.load(this.cells, Cell.stop) === 1;
  }

  /** `LATEST` minus the smallest state known to violate a property; 0 if there is none. */
  private get violation(): number {
    return Atomics.load(this.cells, Cell.violation);
  }

  private publishViolation(): void {
    const { violated } = this.watch;
    if (violated) raise(this.cells, Cell.violation, LATEST - violated.state);
  }

  private now(): number {
    return this.plan.now?.() ?? 0;
  }

  private *level(): Generator<Pause> {
    const { model, cells, store } = this;
    const { made } = this.plan.part.memory;
    this.made = new Int32Array(made, 0, made.byteLength / 4);
    this.row = new Int32Array(Math.max(this.row.length, store.longest));
    this.at = this.until = 0;
    this.block = Math.min(BLOCK_MAX, Math.ceil((this.end - this.first) / (TURNS * this.plan.part.of)));
    model.numbering.close();
    yield* this.together(() => this.expandClaimed());
    const statesToExpandSerially = Atomics.load(cells, Cell.statesToExpandSerially);
    if (statesToExpandSerially > 0) {
      this.expandSerially(statesToExpandSerially);
      model.numbering.close();
      this.expandedWaiting = 0;
      yield* this.together(() => this.expandWaiting());
      this.waiting.length = 0;
    }
    model.numbering.open();
    yield* this.numberAndJudge();
  }

  /** Does some work, and repeats it with more memory if there was not enough, until all threads have finished theirs. */
  private *together(work: () => Generator<Pause>): Generator<Pause> {
    const { store, plan } = this;
    for (;;) {
      yield* work();
      yield 'barrier';
      // Read this while no thread works, and before any thread works again.
      const { isFull } = store;
      yield 'barrier';
      if (!isFull) return;
      if (this.isLeader) store.grow();
      yield 'barrier';
      store.reinsert(plan.part.mine, plan.part.of);
      if (this.isLeader) store.clearRequests();
      yield 'barrier';
    }
  }

  private *expandClaimed(): Generator<Pause> {
    const { cells, store, end } = this;
    for (;;) {
      if (this.at === this.until) {
        yield 'continue';
        if (store.isFull || this.isStopped) return;
        const claimed = Atomics.add(cells, Cell.next, this.block);
        if (claimed >= end) return;
        [this.at, this.until] = [claimed, Math.min(claimed + this.block, end)];
        if (this.isLeader && claimed % STRIDE < this.block) this.checkBounds();
      }
      if (!this.expand(this.at)) return;
      this.at++;
    }
  }

  private *expandWaiting(): Generator<Pause> {
    const { waiting } = this;
    for (; this.expandedWaiting < waiting.length; this.expandedWaiting++) {
      if (this.expandedWaiting % this.block === 0) yield 'continue';
      if (!this.expand(waiting.data[this.expandedWaiting]!)) return;
    }
  }

  /** Adds the successors of a state. Returns false if memory is full. */
  private expand(state: number): boolean {
    const { model, store, row, first } = this;
    const { numbering, successors } = model;
    numbering.begin();
    const length = store.load(state, row);
    try {
      successors.expand(row, length);
    } catch (error) {
      if (error !== NOT_NUMBERED) throw error;
      numbering.missAll();
    }
    if (numbering.isMissing) {
      this.wait(state, numbering.isFirst);
      return true;
    }
    const { count, rows, begins } = successors;
    if (!store.addAll(rows, begins, count, state)) return false;
    this.made[2 * (state - first) + 1] = count;
    return true;
  }

  private wait(state: number, isFirst: boolean): void {
    this.waiting.push(state);
    if (!isFirst) return;
    const { statesToExpandSerially } = this.plan.part.memory;
    new Int32Array(statesToExpandSerially)[Atomics.add(this.cells, Cell.statesToExpandSerially, 1)] = state;
  }

  /** Runs the charts for the steps that were not cached, in the order in which one thread would run them. */
  private expandSerially(count: number): void {
    const { model, store, row, plan } = this;
    const statesToExpandSerially = new Int32Array(plan.part.memory.statesToExpandSerially, 0, count).slice().sort();
    model.numbering.open();
    for (const state of statesToExpandSerially) model.successors.expand(row, store.load(state, row));
    requireSmall(model);
  }

  private *numberAndJudge(): Generator<Pause> {
    const { store, watch, made, first, end } = this;
    store.count((parent) => void made[2 * (parent - first)]!++);
    yield 'barrier';
    const bases = new Int32Array(end - first);
    let size = end;
    for (let i = 0; i < bases.length; i++) {
      bases[i] = size;
      size += made[2 * i]!;
    }
    if (!store.hasRoomFor(size)) {
      yield 'barrier';
      if (this.isLeader) store.makeRoomFor(size);
      yield 'barrier';
      store.refresh();
    }
    store.number((parent) => bases[parent - first]!++);
    store.eachNumbered((state) => {
      if (this.row.length < store.longest) this.row = new Int32Array(store.longest);
      watch.enter(state, this.row, 0, store.load(state, this.row));
    });
    this.publishViolation();
    yield 'barrier';
    this.close(this.lastOf(end));
    yield 'barrier';
    if (this.isLeader && !this.isOver) this.openLevel(end, store.size);
    yield 'barrier';
    store.refresh();
    [this.first, this.end] = [end, store.size];
  }

  /** The end of the states of this level that one thread would have expanded before it stopped. */
  private lastOf(end: number): number {
    const { first, store, made, violation } = this;
    const last = violation === 0 ? end : store.parent(LATEST - violation) + 1;
    let size = end;
    for (let state = first; state < last; state++) {
      if (state > first && state % STRIDE === 0 && size > this.limits.states) return state;
      size += made[2 * (state - first)]!;
    }
    return last;
  }

  /** Counts the transitions of the states of this level. */
  private close(last: number): void {
    const { made, first, end, store } = this;
    let size = end;
    for (let i = 0; i < last - first; i++) {
      size += made[2 * i]!;
      const count = made[2 * i + 1]!;
      if (count > 0) this.transitions += count;
      if (count === 0) this.terminal++;
    }
    store.size = size;
    this.isOver = last < end || this.violation > 0;
    if (this.violation === 0 || LATEST - this.violation >= size) this.stopped ??= this.limits.exceeded(this.progress);
    if (!this.isOver && !this.isStopped && size > end) this.depth++;
  }

  private openLevel(first: number, end: number): void {
    const { cells } = this;
    const { made, statesToExpandSerially } = this.plan.part.memory;
    makeRoom(made, 8 * (end - first));
    makeRoom(statesToExpandSerially, 4 * (end - first));
    const list = new Int32Array(made);
    for (let i = 0; i < end - first; i++) {
      list[2 * i] = 0;
      list[2 * i + 1] = -1;
    }
    Atomics.store(cells, Cell.statesToExpandSerially, 0);
    Atomics.store(cells, Cell.next, first);
    Atomics.store(cells, Cell.size, end);
    this.checkBounds();
    if (this.isStopped) Atomics.store(cells, Cell.ended, 1);
  }

  private checkBounds(): void {
    this.plan.onProgress?.(this.progress);
    this.stopped = this.limits.exceeded(this.progress);
    if (this.stopped !== undefined) Atomics.store(this.cells, Cell.stop, 1);
  }
}

/** Rows in shared memory have two bytes for each id. Systems with more ids are searched by one thread. */
function requireSmall({ greatest }: Model): void {
  if (greatest > 0xffff)
    throw new RangeError(
      'Several threads cannot share more than 65,535 local states, messages or environments. Search in one thread.',
    );
}
