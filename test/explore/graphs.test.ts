/** End components and doomed states of random graphs, compared with a literal implementation of their definitions. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Components } from './components.js';
import { canReach } from './doomed.js';
import { graphOf, maximalAmong, plansOf, reach } from './graphs.fixture.js';

const SIZE = 6;
const anyPlan = plansOf(SIZE);

const states = Array.from({ length: SIZE }, (_, i) => i);

test('the maximal end components among some states', () => {
  fc.assert(
    fc.property(anyPlan, fc.subarray(states), (plan, allowed) => {
      const found = [...new Components(graphOf(plan), true).among(allowed)].map((set) => String(set.toSorted((a, b) => a - b)));
      expect(found.sort()).toEqual(maximalAmong(allowed, plan).map(String).sort());
    }),
    { numRuns: 500 },
  );
});

test('without draws they are the strongly connected components', () => {
  fc.assert(
    fc.property(anyPlan, fc.subarray(states), (groups, allowed) => {
      const plan = groups.map((of) => of.map(([target]) => [target!]));
      const found = [...new Components(graphOf(plan), false).among(allowed)].map((set) => String(set.toSorted((a, b) => a - b)));
      expect(found.sort()).toEqual(maximalAmong(allowed, plan).map(String).sort());
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
