/**
 * Controls when new ids are assigned.
 *
 * Threads that search together use the same ids for local states, packets and all other parts without exchanging them. All of them run the
 * charts for the same states in the same order, the order of a search in one thread (`level-search.ts`). Numbering is closed at all other
 * times. A state that needs a new id while numbering is closed waits.
 */
import { PairMap } from './ints.js';

/** Thrown for a value that has no id yet. Created once, because a stack trace would cost more than everything else. */
export const NOT_NUMBERED = new Error('Numbering is closed, and a value has no id yet.');

export class Numbering {
  isOpen = true;
  /** True if the current state needs an id that does not exist, and if it is the first one to need it. */
  isMissing = false;
  isFirst = false;
  private missed = new PairMap();

  /** Assigns no ids from now on. */
  close(): void {
    this.isOpen = false;
    this.missed = new PairMap();
  }

  open(): void {
    this.isOpen = true;
  }

  /** Starts with another state. */
  begin(): void {
    this.isMissing = this.isFirst = false;
  }

  /** Records a step that has not been run yet. */
  miss(local: number, key: number): void {
    this.isMissing = true;
    if (this.missed.get(local, key) !== -1) return;
    this.missed.set(local, key, 0);
    this.isFirst = true;
  }

  /** Records any other missing id. The state is not examined further, so it is treated as the first to need something. */
  missAll(): void {
    this.isMissing = this.isFirst = true;
  }
}
