/**
 * States in which an obligation can stay pending forever. A few passes over all states, for all obligations at once, exclude most of them,
 * so that few states need the search for components.
 *
 * Two kinds of states are excluded: one whose transitions all lead to excluded states, and one with an action that no transition between the
 * other states repeats. A fair run that repeats such a state takes the action, or comes from a state without it. No component in which a fair
 * run stays loses a state, and the rest of any other component is as unfair as before.
 */
import type { Graph } from './graph.js';
import type { Planes } from './planes.js';
import { OPTIONAL } from './successors.js';

/** Another pass is worthwhile while the last one excluded at least one in this many of the remaining states. */
const WORTH = 16;

/**
 * Keeps only the states in which an obligation can stay pending forever.
 *
 * @param planes the states in which each obligation is pending; for `converges`, all states.
 */
export function keepEndless(planes: Planes, graph: Graph): void {
  for (let word = 0; word < planes.words; word++) {
    do while (leaveOutEnding(graph, planes, word));
    while (leaveOutUnrepeated(graph, planes, word));
  }
}

/** Excludes states with an action that fairness requires and that no transition repeats. Returns true if another pass is worthwhile. */
function leaveOutUnrepeated(graph: Graph, { bits, words, size }: Planes, word: number): boolean {
  const repeated = repeatedActions(graph, bits, words, word, size);
  let [left, gone] = [0, 0];
  for (let state = 0; state < size; state++) {
    const before = bits[state * words + word]!;
    if (before === 0) continue;
    let after = before;
    for (let place = graph.begin(state); place < graph.end(state); place++) {
      const action = graph.action(place);
      if (action !== OPTIONAL) after &= repeated[action]!;
    }
    if (after !== 0) left++;
    if (after === before) continue;
    bits[state * words + word] = after;
    gone++;
  }
  return gone * WORTH > left;
}

/**
 * For each action, the bits of the planes in which a transition repeats it: the action is possible afterward, and was taken or was not possible
 * before.
 */
function repeatedActions(graph: Graph, bits: Planes['bits'], words: number, word: number, size: number): Int32Array {
  const repeated = new Int32Array(graph.actionsEnd);
  /** For each action, the number of the last state in which it was possible, plus one. */
  const possible = new Uint32Array(graph.actionsEnd);
  for (let state = 0; state < size; state++) {
    const here = bits[state * words + word]!;
    if (here === 0) continue;
    const end = graph.end(state);
    for (let place = graph.begin(state); place < end; place++)
      if (graph.action(place) !== OPTIONAL) possible[graph.action(place)] = state + 1;
    for (let place = graph.begin(state); place < end; place++) {
      const target = graph.target(place);
      const both = here & bits[target * words + word]!;
      if (both === 0) continue;
      const taken = graph.action(place);
      for (let next = graph.begin(target); next < graph.end(target); next++) {
        const action = graph.action(next);
        if (action !== OPTIONAL && (action === taken || possible[action] !== state + 1)) repeated[action]! |= both;
      }
    }
  }
  return repeated;
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
