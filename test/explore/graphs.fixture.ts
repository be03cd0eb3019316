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

/** `actionOf` gives the action of the group of a state. */
export function graphOf(plan: Plan, actionOf: (state: number, group: number) => number = () => 0): Graph {
  const graph = new Graph();
  for (const [state, groups] of plan.entries()) {
    const numbered = groups.flatMap((group, i) => group.map((target) => ({ target, i })));
    const successors = {
      count: numbered.length,
      groups: numbered.map(({ i }) => i),
      actions: numbered.map(({ i }) => actionOf(state, i)),
    };
    graph.add(state, successors as unknown as Successors, Int32Array.from(numbered.map(({ target }) => target)));
  }
  return graph;
}

export function reach(from: number, next: (state: number) => readonly number[]): Set<number> {
  const reached = new Set<number>();
  const visit = (state: number): void =>
    next(state).forEach((target) => void (reached.has(target) || (reached.add(target), visit(target))));
  visit(from);
  return reached;
}

/** A set is an end component if its inner groups lead from each of its states to every other. */
function isEndComponent(set: readonly number[], plan: Plan): boolean {
  const inner = (state: number) => plan[state]!.filter((group) => group.every((target) => set.includes(target))).flat();
  return set.length > 0 && set.every((from) => set.every((to) => reach(from, inner).has(to)));
}

/** The maximal end components among some states. */
export function maximalAmong(allowed: readonly number[], plan: Plan): number[][] {
  const subsets = Array.from({ length: 2 ** allowed.length }, (_, bits) => allowed.filter((_, i) => (bits >> i) & 1));
  const components = subsets.filter((set) => isEndComponent(set, plan));
  const isInside = (set: readonly number[], other: readonly number[]) =>
    set.length < other.length && set.every((state) => other.includes(state));
  return components.filter((set) => !components.some((other) => isInside(set, other)));
}
