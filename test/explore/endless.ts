/**
 * Where a promise can stay owed forever: most states are told by a few looks at all of them, one after the other and for all promises
 * at once, and need no search for components.
 *
 * Left out is a state with a message that is not sent again (`resent.ts`), and one whose every way on leads out of those that are left.
 * No component in which a fair run stays loses a state by that, and what is left of the others is as unfair as they were.
 */
import type { Graph } from './graph.js';
import type { Planes } from './planes.js';
import type { States } from './store.js';

/** Looks go on while each leaves out one in so many of what is left. */
const WORTH = 16;

/**
 * Leaves out what cannot stay owed forever.
 *
 * @param planes where it is owed, and all states for a promise that is broken by states among others.
 * @param content where packets begin in a row.
 * @param resent for each packet the planes in which it may be sent again; left out, any may.
 */
export function keepEndless(planes: Planes, graph: Graph, store: States, content: number, resent: Int32Array | undefined): void {
  if (resent) leaveOutLasting(store, planes, content, resent);
  for (let word = 0; word < planes.words; word++) while (leaveOutEnding(graph, planes, word));
}

/** States with a message that is not sent again. */
function leaveOutLasting(store: States, { bits, words, size }: Planes, content: number, resent: Int32Array): void {
  const row = new Int32Array(store.longest);
  for (let state = 0; state < size; state++) {
    const length = store.load(state, row);
    for (let i = content; i < length; i++)
      for (let word = 0; word < words; word++) bits[state * words + word]! &= resent[row[i]! * words + word]!;
  }
}

/** States that lead to none that is left, the last first, for most ways lead to a later one; whether it is worth another look. */
function leaveOutEnding(graph: Graph, { bits, words, size }: Planes, word: number): boolean {
  let [left, gone] = [0, 0];
  for (let state = size - 1; state >= 0; state--) {
    const before = bits[state * words + word]!;
    if (before === 0) continue;
    const after = before & graph.leadsTo(state, bits, words, word, before);
    if (after !== 0) left++;
    if (after === before) continue;
    bits[state * words + word] = after;
    gone++;
  }
  return gone * WORTH > left;
}
