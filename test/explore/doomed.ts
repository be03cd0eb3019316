/** States from which no run leads to a goal, found backwards from the goals (only a complete graph can tell). */
import type { Graph } from './graph.js';
import { Ints } from './ints.js';

/** 1 for each state that can reach one for which `isGoal` holds. */
export function canReach(graph: Graph, isGoal: (state: number) => boolean): Uint8Array {
  const before = predecessors(graph);
  const hopeful = new Uint8Array(graph.size);
  const waiting = new Ints();
  const admit = (state: number) => {
    if (hopeful[state] === 1) return;
    hopeful[state] = 1;
    waiting.push(state);
  };
  for (let state = 0; state < graph.size; state++) if (isGoal(state)) admit(state);
  while (waiting.length > 0) {
    const state = waiting.data[--waiting.length]!;
    for (let i = before.begins[state]!; i < before.begins[state + 1]!; i++) admit(before.sources[i]!);
  }
  return hopeful;
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
