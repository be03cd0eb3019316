/** The frontier of a search: the states that were found but whose successors were not, and the order in which the search visits them. */
import { Ints } from './ints.js';

export interface Frontier {
  /** Records new states, found from the last state returned by `next`. */
  found(first: number, end: number): void;
  /** Returns the state to expand next, or -1 if there is none. */
  next(): number;
  /** Number of transitions from a first state to the last state returned by `next`. */
  readonly depth: number;
  readonly size: number;
}

/** Breadth-first order, so that the path to each state is a shortest one. The states found are the queue. */
export class LevelFrontier implements Frontier {
  depth = 0;
  private given = 0;
  private size_ = 0;
  private levelEnd = 0;

  found(_: number, end: number): void {
    this.size_ = end;
    if (this.given === 0) this.levelEnd = end;
  }

  next(): number {
    if (this.given === this.size_) return -1;
    if (this.given === this.levelEnd) {
      this.depth++;
      this.levelEnd = this.size_;
    }
    return this.given++;
  }

  get size(): number {
    return this.size_ - this.given;
  }
}

/** Depth-first order: states far from the start are found early. */
export class Stack implements Frontier {
  depth = 0;
  private readonly states = new Ints();
  private readonly depths = new Ints();
  private started = false;

  found(first: number, end: number): void {
    for (let state = first; state < end; state++) {
      this.states.push(state);
      this.depths.push(this.started ? this.depth + 1 : 0);
    }
  }

  next(): number {
    if (this.states.length === 0) return -1;
    this.started = true;
    this.depth = this.depths.data[--this.depths.length]!;
    return this.states.data[--this.states.length]!;
  }

  get size(): number {
    return this.states.length;
  }
}
