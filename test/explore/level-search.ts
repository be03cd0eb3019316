/**
 * The search in several threads: breadth first, level by level, over states that all of them share.
 *
 * Each level, every thread
 * 1. claims states and expands them with the steps that are known; a state for which a chart would have to run waits;
 * 2. runs the charts for the states that lack a step first, all threads for the same in the same order, so that all give the same numbers;
 * 3. expands those of its states that waited;
 * 4. numbers what was found from its states, in the order in which one thread finds it, and judges that.
 * So what is found, and every number, is that of one thread.
 */
import { SearchLimits, type Bounds, type Progress } from './bounds.js';
import { Ints } from './ints.js';
import type { Model } from './model.js';
import { LACKING } from './numbering.js';
import { STRIDE } from './search.js';
import { Cell, makeRoom, raise, type SharedMemory } from './shared-memory.js';
import { SharedStates } from './shared-store.js';
import type { SearchWatch } from './watch.js';

/** A number that no state has: the least violation is the greatest distance to it. */
const LATEST = 0x7fffffff;

/** States that a thread claims at once: at most so many, and so that each thread has several turns in a level. */
const BLOCK_MAX = 64;
const TURNS = 8;

/** What a thread does next: go on when it likes, or when all have come as far. */
export type Pause = 'go on' | 'meet';

/** Which thread this is. */
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
  readonly resent = undefined;
  /** True if a violation or a bound ends the search. */
  private isOver = false;
  private row = new Int32Array(64);
  /** The level. */
  private first = 0;
  private end = 0;
  /** The states that this thread has claimed. */
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

  /** The first thread alone adds the states in which the search begins; the others learn their numbers with it. */
  begin(row: readonly number[]): boolean {
    if (!this.isLeader) return true;
    const { store } = this;
    const { size } = store;
    const state = Int32Array.from(row);
    if (store.begin(state)) this.watch.enter(size, state, 0, state.length);
    this.tellViolation();
    if (store.size > size && store.size % STRIDE === 0) this.checkBounds();
    return this.stopped === undefined;
  }

  *run(): Generator<Pause> {
    const { store } = this;
    if (this.isLeader) this.openLevel(0, store.size);
    yield 'meet';
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

  /** `LATEST` less the least state known to violate a property; 0 where none is. */
  private get violation(): number {
    return Atomics.load(this.cells, Cell.violation);
  }

  private tellViolation(): void {
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

  /** Does some work, and again where the memory was too small for it, until all threads have done theirs. */
  private *together(work: () => Generator<Pause>): Generator<Pause> {
    const { store, plan } = this;
    for (;;) {
      yield* work();
      yield 'meet';
      // Read where nobody works, and before anybody works again.
      const { isFull } = store;
      yield 'meet';
      if (!isFull) return;
      if (this.isLeader) store.grow();
      yield 'meet';
      store.putAgain(plan.part.mine, plan.part.of);
      if (this.isLeader) store.grew();
      yield 'meet';
    }
  }

  private *expandClaimed(): Generator<Pause> {
    const { cells, store, end } = this;
    for (;;) {
      if (this.at === this.until) {
        yield 'go on';
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
      if (this.expandedWaiting % this.block === 0) yield 'go on';
      if (!this.expand(waiting.data[this.expandedWaiting]!)) return;
    }
  }

  /** Adds what can come next in a state; false where there is no room for it. */
  private expand(state: number): boolean {
    const { model, store, row, first } = this;
    const { numbering, successors } = model;
    numbering.begin();
    const length = store.load(state, row);
    try {
      successors.expand(row, length);
    } catch (error) {
      if (error !== LACKING) throw error;
      numbering.missAll();
    }
    if (numbering.lacked) {
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

  /** Runs the charts for what was lacking, in the order in which one thread would. */
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
    yield 'meet';
    const bases = new Int32Array(end - first);
    let size = end;
    for (let i = 0; i < bases.length; i++) {
      bases[i] = size;
      size += made[2 * i]!;
    }
    if (!store.hasRoomFor(size)) {
      yield 'meet';
      if (this.isLeader) store.makeRoomFor(size);
      yield 'meet';
      store.refresh();
    }
    store.number((parent) => bases[parent - first]!++);
    store.eachNumbered((state) => {
      if (this.row.length < store.longest) this.row = new Int32Array(store.longest);
      watch.enter(state, this.row, 0, store.load(state, this.row));
    });
    this.tellViolation();
    yield 'meet';
    this.close(this.lastOf(end));
    yield 'meet';
    if (this.isLeader && !this.isOver) this.openLevel(end, store.size);
    yield 'meet';
    store.refresh();
    [this.first, this.end] = [end, store.size];
  }

  /** The states of the level up to the one at which one thread stops. */
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

  /** Counts what came of the states of the level before this one. */
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

/** A row has two bytes for each number. Where there are more numbers, one thread searches. */
function requireSmall({ greatest }: Model): void {
  if (greatest > 0xffff) throw new RangeError('more local states, messages or environments than several threads can share');
}
