/**
 * The transitions between the states found. They are kept only for questions that need the whole graph: liveness and doomed
 * states.
 */
import { grown } from './ints.js';
import { OPTIONAL, type Successors } from './successors.js';

/** Marks a transition that belongs to the same draw as the one before it. */
const SAME_GROUP = 0x80000000;
const TARGET = 0x7fffffff;

export class Graph {
  /** States with smaller ids have been expanded, or have no transitions. */
  size = 0;
  transitions = 0;
  /** The actions that fairness requires have smaller numbers. */
  actionsEnd = 0;
  private begins = new Uint32Array(1 << 8);
  private ends = new Uint32Array(1 << 8);
  private targets = new Uint32Array(1 << 10);
  private actions = new Int32Array(1 << 10);
  /** 1 if fairness requires no transition of this state. */
  private resting = new Uint8Array(1 << 8);

  /** Records the successors of a state; `found` contains their ids. */
  add(state: number, successors: Successors, found: Int32Array): void {
    const { count, groups, actions } = successors;
    if (state >= this.size) this.size = state + 1;
    if (state >= this.begins.length) {
      this.begins = grown(this.begins, state + 1);
      this.ends = grown(this.ends, state + 1);
      this.resting = grown(this.resting, state + 1);
    }
    const begin = this.transitions;
    if (begin + count > this.targets.length) {
      this.targets = grown(this.targets, begin + count);
      this.actions = grown(this.actions, begin + count);
    }
    let isResting = true;
    for (let i = 0; i < count; i++) {
      const action = actions[i]!;
      const sameGroup = i > 0 && groups[i] === groups[i - 1];
      this.targets[begin + i] = found[i]! | (sameGroup ? SAME_GROUP : 0);
      this.actions[begin + i] = action;
      if (action === OPTIONAL) continue;
      isResting = false;
      if (action >= this.actionsEnd) this.actionsEnd = action + 1;
    }
    this.resting[state] = isResting ? 1 : 0;
    this.begins[state] = begin;
    this.ends[state] = this.transitions = begin + count;
  }

  begin(state: number): number {
    return this.begins[state]!;
  }

  end(state: number): number {
    return this.ends[state]!;
  }

  /** The state to which the transition at this place leads. */
  target(place: number): number {
    return this.targets[place]! & TARGET;
  }

  /** The end of the group of transitions that begins at this place; a draw decides between them. */
  groupEnd(place: number, end: number): number {
    let next = place + 1;
    while (next < end && this.targets[next]! >= SAME_GROUP) next++;
    return next;
  }

  /** The action that fairness requires at this place, or `OPTIONAL`. */
  action(place: number): number {
    return this.actions[place]!;
  }

  /** The place where the group of a transition begins. */
  groupBegin(place: number): number {
    let begin = place;
    while (this.targets[begin]! >= SAME_GROUP) begin--;
    return begin;
  }

  /** True if a run may stay in this state forever, because only optional events can happen. */
  isResting(state: number): boolean {
    return this.resting[state] === 1;
  }

  /**
   * The bits of one word that at least one transition of a state has in all outcomes of its draw. The loop stops once it has found all
   * `wanted` bits. An optional transition from the state to itself does not count.
   */
  leadsTo(state: number, bits: Int32Array | Uint8Array, words: number, word: number, wanted: number): number {
    const { targets, actions } = this;
    const end = this.ends[state]!;
    let [found, ofGroup] = [0, 0];
    for (let place = this.begins[state]!; place < end && (found & wanted) !== wanted; place++) {
      const target = targets[place]!;
      const isAlone = target < SAME_GROUP && !(place + 1 < end && targets[place + 1]! >= SAME_GROUP);
      if (target === state && actions[place] === OPTIONAL && isAlone) continue;
      const there = bits[(target & TARGET) * words + word]!;
      if (target >= SAME_GROUP) ofGroup &= there;
      else {
        found |= ofGroup;
        ofGroup = there;
      }
    }
    return found | ofGroup;
  }

  get bytes(): number {
    const { begins, ends, targets, actions, resting } = this;
    return begins.byteLength + ends.byteLength + targets.byteLength + actions.byteLength + resting.byteLength;
  }
}
