/** Random graphs of a search, for tests of algorithms on graphs. */
import fc from 'fast-check';
import { Graph } from './graph.js';
import type { Successors } from './successors.js';

/** For each state, its groups of transitions, each with the states to which it may lead. */
export type Plan = readonly (readonly (readonly number[])[])[];

export const plansOf = (size: number): fc.Arbitrary<Plan> =>
  fc.array(fc.array(fc.array(fc.nat(size - 1), { minLength: 1, maxLength: 2 }), { maxLength: 3 }), {
    minLength: size,
    maxLength: size,
  });

export function graphOf(plan: Plan): Graph {
  const graph = new Graph();
  for (const [state, groups] of plan.entries()) {
    const numbered = groups.flatMap((group, i) => group.map((target) => ({ target, i })));
    const successors = { count: numbered.length, groups: numbered.map(({ i }) => i), actions: numbered.map(() => 0) };
    graph.add(state, successors as unknown as Successors, Int32Array.from(numbered.map(({ target }) => target)));
  }
  return graph;
}
