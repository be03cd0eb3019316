/**
 * Doomed states: those from which no run reaches a goal. They are found backward from the goals, which requires the complete
 * graph.
 */
import type { Graph } from './graph.js';
import { Ints } from './ints.js';

/** Another pass over the remaining states is worthwhile while the last one decided at least one in this many. */
const WORTH = 16;

/** Returns 1 for each state that can reach a state for which `isGoal` holds. */
export function canReach(graph: Graph, isGoal: (state: number) => boolean): Uint8Array {
  const coreachable = new Uint8Array(graph.size);
  let left = new Ints();
  // The passes read the list from its end.
  for (let state = graph.size - 1; state >= 0; state--) {
    if (isGoal(state)) coreachable[state] = 1;
    else left.push(state);
  }
  for (let found = left.length; found > 0 && left.length > 0;) {
    if (found * WORTH < left.length) {
      goBack(graph, coreachable);
      break;
    }
    const before = left.length;
    left = lookAgain(graph, coreachable, left);
    found = before - left.length;
  }
  return coreachable;
}

/** True if some transition of a state leads to a state that reaches a goal. */
function leadsInto(graph: Graph, state: number, coreachable: Uint8Array): boolean {
  const end = graph.end(state);
  for (let place = graph.begin(state); place < end; place++) if (coreachable[graph.target(place)] === 1) return true;
  return false;
}

/**
 * Checks states from the last to the first and returns the undecided ones in that order, so that each pass has the opposite
 * direction.
 */
function lookAgain(graph: Graph, coreachable: Uint8Array, states: Ints): Ints {
  const left = new Ints();
  for (let i = states.length - 1; i >= 0; i--) {
    const state = states.data[i]!;
    if (leadsInto(graph, state, coreachable)) coreachable[state] = 1;
    else left.push(state);
  }
  return left;
}

/** Finds all remaining states that reach a goal, following the transitions backward. */
function goBack(graph: Graph, coreachable: Uint8Array): void {
  const before = predecessors(graph);
  const waiting = new Ints();
  for (let state = 0; state < graph.size; state++) if (coreachable[state] === 1) waiting.push(state);
  while (waiting.length > 0) {
    const state = waiting.data[--waiting.length]!;
    for (let i = before.begins[state]!; i < before.begins[state + 1]!; i++) {
      const source = before.sources[i]!;
      if (coreachable[source] === 1) continue;
      coreachable[source] = 1;
      waiting.push(source);
    }
  }
}

/** The transitions in reverse: for each state the states that lead to it. */
function predecessors(graph: Graph): { begins: Uint32Array; sources: Uint32Array } {
  const begins = new Uint32Array(graph.size + 1);
  const { transitions } = graph;
  for (let place = 0; place < transitions; place++) begins[graph.target(place)]!++;
  for (let state = 0, sum = 0; state <= graph.size; state++) begins[state] = sum += begins[state]!;
  const sources = new Uint32Array(transitions);
  // Each state's end moves down to its beginning as the array is filled from the back.
  for (let state = 0; state < graph.size; state++) {
    for (let place = graph.begin(state); place < graph.end(state); place++) sources[--begins[graph.target(place)]!] = state;
  }
  return { begins, sources };
}
