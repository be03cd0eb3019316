/** End components and doomed states of random graphs, compared with a literal implementation of their definitions. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Components } from './components.js';
import { canReach } from './doomed.js';
import { graphOf, plansOf, type Plan } from './graphs.fixture.js';

const SIZE = 6;
const anyPlan = plansOf(SIZE);

const states = Array.from({ length: SIZE }, (_, i) => i);

function reach(from: number, next: (state: number) => readonly number[]): Set<number> {
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

function maximalAmong(allowed: readonly number[], plan: Plan): string[] {
  const subsets = Array.from({ length: 2 ** allowed.length }, (_, bits) => allowed.filter((_, i) => (bits >> i) & 1));
  const components = subsets.filter((set) => isEndComponent(set, plan));
  const isInside = (set: readonly number[], other: readonly number[]) =>
    set.length < other.length && set.every((state) => other.includes(state));
  return components
    .filter((set) => !components.some((other) => isInside(set, other)))
    .map(String)
    .sort();
}

test('the maximal end components among some states', () => {
  fc.assert(
    fc.property(anyPlan, fc.subarray(states), (plan, allowed) => {
      const found = [...new Components(graphOf(plan), true).among(allowed)].map((set) => String(set.toSorted((a, b) => a - b)));
      expect(found.sort()).toEqual(maximalAmong(allowed, plan));
    }),
    { numRuns: 500 },
  );
});

test('without draws they are the strongly connected components', () => {
  fc.assert(
    fc.property(anyPlan, fc.subarray(states), (groups, allowed) => {
      const plan = groups.map((of) => of.map(([target]) => [target!]));
      const found = [...new Components(graphOf(plan), false).among(allowed)].map((set) => String(set.toSorted((a, b) => a - b)));
      expect(found.sort()).toEqual(maximalAmong(allowed, plan));
    }),
    { numRuns: 500 },
  );
});

test('states that can reach a goal', () => {
  fc.assert(
    fc.property(anyPlan, fc.subarray(states), (plan, goals) => {
      const coreachable = canReach(graphOf(plan), (state) => goals.includes(state));
      const literally = states.map((state) =>
        goals.includes(state) || goals.some((goal) => reach(state, (at) => plan[at]!.flat()).has(goal)) ? 1 : 0,
      );
      expect([...coreachable]).toEqual(literally);
    }),
    { numRuns: 500 },
  );
});
