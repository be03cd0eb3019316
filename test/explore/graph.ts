/**
 * The transitions between the states found, kept where a question needs the whole graph: promises on endless runs, doomed states.
 *
 * States are expanded in the order of their numbers, so that the known part of the graph is always a beginning of their list.
 */
import { grown } from './ints.js';
import type { Successors } from './successors.js';

/** Marks a transition between which and the one before it a draw decides. */
const SAME_GROUP = 0x80000000;
const TARGET = 0x7fffffff;

export class Graph {
  /** How many states have been expanded. */
  size = 0;
  private begins = new Uint32Array(1 << 8);
  private targets = new Uint32Array(1 << 10);
  /** 1 where nothing is enabled that fairness would force. */
  private resting = new Uint8Array(1 << 8);

  /** Records the successors of the next state; `found` are their numbers. */
  add(successors: Successors, found: Int32Array): void {
    const { count, groups, actions } = successors;
    const state = this.size++;
    if (state + 2 > this.begins.length) {
      this.begins = grown(this.begins, state + 2);
      this.resting = grown(this.resting, state + 2);
    }
    const begin = this.begins[state]!;
    if (begin + count > this.targets.length) this.targets = grown(this.targets, begin + count);
    let forced = 0;
    for (let i = 0; i < count; i++) {
      const sameGroup = i > 0 && groups[i] === groups[i - 1];
      this.targets[begin + i] = sameGroup ? found[i]! | SAME_GROUP : found[i]!;
      if (actions[i]! >= 0) forced++;
    }
    this.resting[state] = forced === 0 ? 1 : 0;
    this.begins[state + 1] = begin + count;
  }

  begin(state: number): number {
    return this.begins[state]!;
  }

  end(state: number): number {
    return this.begins[state + 1]!;
  }

  /** The state that the transition at this place leads to. */
  target(place: number): number {
    return this.targets[place]! & TARGET;
  }

  /** The end of the group of transitions that begins at this place: a draw decides between them. */
  groupEnd(place: number, end: number): number {
    let next = place + 1;
    while (next < end && this.targets[next]! >= SAME_GROUP) next++;
    return next;
  }

  /** Whether a run may stay in this state for ever: only what nobody is obliged to do can happen. */
  isResting(state: number): boolean {
    return this.resting[state] === 1;
  }

  get bytes(): number {
    return this.begins.byteLength + this.targets.byteLength + this.resting.byteLength;
  }
}
