/**
 * The queue of nodes that wait for the token, computed from their `next` pointers. The directory's properties check that it has no cycles.
 */
import { NONE } from './trees.js';

export class Queue {
  /** True if no `next` pointers form a cycle. */
  areChains = true;
  private readonly seen: Int32Array;
  /** Node whose `next` points to a node; the first one of several. */
  private readonly before: Int32Array;

  /** Tokens and finds change between calls. */
  constructor(
    private readonly parents: Int32Array,
    private readonly nexts: Int32Array,
    private readonly holders: Uint8Array,
    /** Number of tokens in flight to each node, and of its finds in flight. */
    private readonly headed: Int32Array,
  ) {
    this.seen = new Int32Array(nexts.length);
    this.before = new Int32Array(nexts.length);
  }

  lookAtNexts(): void {
    const { seen, before, nexts } = this;
    for (let node = 0; node < nexts.length; node++) seen[node] = before[node] = NONE;
    for (let node = nexts.length - 1; node >= 0; node--) if (nexts[node] !== NONE) before[nexts[node]!] = node;
    this.areChains = true;
    for (let start = 0; start < nexts.length && this.areChains; start++) {
      let at = start;
      while (at !== NONE && seen[at] === NONE) {
        seen[at] = start;
        at = nexts[at]!;
      }
      if (at !== NONE && seen[at] === start) this.areChains = false;
    }
  }

  /**
   * True if going back along `next` from any self-loop ends at the holder, at the receiver of the token, or at a node whose find is in
   * flight.
   */
  haveHeads(): boolean {
    const { before, parents, holders, headed } = this;
    for (let node = 0; node < parents.length; node++) {
      if (parents[node] !== node) continue;
      let top = node;
      for (let steps = 0, at = before[top]!; at !== NONE && steps < parents.length; steps++, at = before[top]!) top = at;
      if (holders[top] !== 1 && !(headed[top]! > 0)) return false;
    }
    return true;
  }
}
