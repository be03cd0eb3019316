/** States from which no run leads to a goal, found backward from the goals (only a complete graph can tell). */
import type { Graph } from './graph.js';
import { Ints } from './ints.js';

/** Looks at the states that are left, one after the other, go on while each finds one in so many of them. */
const WORTH = 16;

/** 1 for each state that is coreachable: it can reach one for which `isGoal` holds. */
export function canReach(graph: Graph, isGoal: (state: number) => boolean): Uint8Array {
  const coreachable = new Uint8Array(graph.size);
  let left = new Ints();
  // The list is looked at from its end.
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

/** True if something that can come next in a state reaches a goal. */
function leadsInto(graph: Graph, state: number, coreachable: Uint8Array): boolean {
  const end = graph.end(state);
  for (let place = graph.begin(state); place < end; place++) if (coreachable[graph.target(place)] === 1) return true;
  return false;
}

/** Looks at states from the last to the first, and gives those that are left in this order: every other time from the other end. */
function lookAgain(graph: Graph, coreachable: Uint8Array, states: Ints): Ints {
  const left = new Ints();
  for (let i = states.length - 1; i >= 0; i--) {
    const state = states.data[i]!;
    if (leadsInto(graph, state, coreachable)) coreachable[state] = 1;
    else left.push(state);
  }
  return left;
}

/** Finds all that are left, from those that reach a goal backward. */
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

/** The transitions turned round. */
function predecessors(graph: Graph): { begins: Uint32Array; sources: Uint32Array } {
  const begins = new Uint32Array(graph.size + 1);
  const { transitions } = graph;
  for (let place = 0; place < transitions; place++) begins[graph.target(place)]!++;
  for (let state = 0, sum = 0; state <= graph.size; state++) begins[state] = sum += begins[state]!;
  const sources = new Uint32Array(transitions);
  // Filled from the back, each state's end becomes its beginning.
  for (let state = 0; state < graph.size; state++) {
    for (let place = graph.begin(state); place < graph.end(state); place++) sources[--begins[graph.target(place)]!] = state;
  }
  return { begins, sources };
}
