/**
 * States in which an obligation can stay pending forever. A few passes over all states, for all obligations at once, exclude most of them,
 * so that few states need the search for components.
 *
 * A state is excluded if its transitions all lead to excluded states. No component in which a fair run stays loses a state, and the rest of
 * any other component is as unfair as before.
 */
import type { Graph } from './graph.js';
import type { Planes } from './planes.js';

/** Another pass is worthwhile while the last one excluded at least one in this many of the remaining states. */
const WORTH = 16;

/**
 * Keeps only the states in which an obligation can stay pending forever.
 *
 * @param planes the states in which each obligation is pending; for `converges`, all states.
 */
export function keepEndless(planes: Planes, graph: Graph): void {
  for (let word = 0; word < planes.words; word++) while (leaveOutEnding(graph, planes, word));
}

/**
 * Excludes states whose successors are all excluded, last state first, because most transitions lead to a later state. Returns
 * true if another pass is worthwhile.
 */
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
