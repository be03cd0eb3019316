/**
 * True if new numbers may be given out now.
 *
 * Threads that search together hold the same numbers for local states, packets and all the rest, without telling each other: all of them
 * run the charts for the same states in the same order, the order of a search in one thread (`level-search.ts`). Between these turns
 * numbering is closed. What has no number then is lacking, and the state that asked for it waits.
 */
import { PairMap } from './ints.js';

/** Thrown for a value that has no number yet; made once, for a trace of calls would cost more than all else. */
export const LACKING = new Error('a number is lacking while none is given out');

export class Numbering {
  isOpen = true;
  /** True if a state lacks something, and whether it is the first here to lack it. */
  lacked = false;
  isFirst = false;
  private missed = new PairMap();

  /** No number is given out from now on. */
  close(): void {
    this.isOpen = false;
    this.missed = new PairMap();
  }

  open(): void {
    this.isOpen = true;
  }

  /** Goes to another state. */
  begin(): void {
    this.lacked = this.isFirst = false;
  }

  /** Takes note of a step that nobody has run yet. */
  miss(local: number, key: number): void {
    this.lacked = true;
    if (this.missed.get(local, key) !== -1) return;
    this.missed.set(local, key, 0);
    this.isFirst = true;
  }

  /** Takes note of anything else: the state is not looked at further, and nobody knows what else it lacks. */
  missAll(): void {
    this.lacked = this.isFirst = true;
  }
}
