/**
 * A search on several cores. To find the states is cheap, to judge them is not, so that every thread makes the same search, the same
 * states in the same order, and looks at its own share of them. What they found out is put together in the end: the counts are those of
 * one thread by construction. States are sent to nobody, and each thread has them all.
 */

const NONE_YET = 0x7fffffff;
/** The cells that all threads of a search see: the least state known to violate a property, and whether to stop. */
const LEAST = 0;
const STOP = 1;

export const sharedCells = (): Int32Array => {
  const cells = new Int32Array(new SharedArrayBuffer(8));
  cells[LEAST] = NONE_YET;
  return cells;
};

/** Neighbours in the order of the search are judged by one thread. */
const RUN = 64;

/** The states to judge, and whether to judge steps. */
export interface JudgedStates {
  includes(state: number): boolean;
  readonly hasSteps: boolean;
}

/** The one state that is known to violate a property, and every step: what a single thread would have come to first. */
export const only = (state: number): JudgedStates => ({ includes: (other) => other === state, hasSteps: true });

export class Share implements JudgedStates {
  constructor(
    readonly mine: number,
    readonly of: number,
    readonly cells: Int32Array,
  ) {}

  includes(state: number): boolean {
    return Math.floor(state / RUN) % this.of === this.mine;
  }

  /** A step needs what two states say, so that one thread judges all of them. */
  get hasSteps(): boolean {
    return this.mine === 0;
  }

  /** Tells the others of a violation: no state from this one on matters any more. */
  found(state: number): void {
    for (let least = this.least; state < least; least = this.least) {
      if (Atomics.compareExchange(this.cells, LEAST, least, state) === least) return;
    }
  }

  stop(): void {
    Atomics.store(this.cells, STOP, 1);
  }

  isOver(states: number): boolean {
    return Atomics.load(this.cells, STOP) === 1 || this.least < states;
  }

  /** The least violation that any thread has found, if any has. */
  get violation(): number | undefined {
    return this.least === NONE_YET ? undefined : this.least;
  }

  private get least(): number {
    return Atomics.load(this.cells, LEAST);
  }
}
