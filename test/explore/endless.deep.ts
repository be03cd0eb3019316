/** Excluding states before the search for components changes no answer: random graphs, and a message that is duplicated. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { setup } from 'xstate';
import { effects, send } from '../../machines/effects.js';
import type { Property } from '../../machines/protocol.js';
import { Components } from './components.js';
import { canReach } from './doomed.js';
import { keepEndless } from './endless.js';
import { explore } from './explore.js';
import { completeGraph } from './fixtures.js';
import { graphOf, plansOf } from './graphs.fixture.js';
import { Planes } from './planes.js';
import { toy, type ToyInput } from './toys.fixtures.js';

const effectsOnly = { types: { context: {} as ToyInput, input: {} as ToyInput }, actions: effects() };

const made = { description: 'made for a test' };

test.each([
  [Infinity, 'invalid'],
  [1, 'valid'],
])('a message that is not sent again, duplicated %s times', (duplicate, verdict) => {
  const chart = setup(effectsOnly).createMachine({
    context: ({ input }: { input: ToyInput }) => input,
    on: { go: { actions: send(({ context }: { context: ToyInput }) => ({ to: context.peers[0]!, message: { type: 'm0' } })) } },
  });
  const isPending: Property = {
    ...made,
    name: 'no message is in flight to n0',
    kind: 'eventually',
    when: ({ flights }, node) => flights.some(({ to }) => to === node),
    holds: () => false,
  };
  const found = explore(toy({ chart, commands: ['go'], network: { order: 'fifo' } }), {
    topology: completeGraph(2),
    commands: [{ do: 'command', name: 'go', node: 'n1', fields: {} }],
    faults: { duplicate },
    properties: [isPending],
    bounds: { states: 30 },
  });
  expect(found).toMatchObject({ verdict });
});

const SIZE = 7;
const states = Array.from({ length: SIZE }, (_, i) => i);
const anyPlan = plansOf(SIZE);

test('no component of a single action is excluded, for 40 obligations at once', () => {
  let [pending, kept] = [0, 0];
  fc.assert(
    fc.property(anyPlan, fc.array(fc.subarray(states), { minLength: 40, maxLength: 40 }), (plan, sets) => {
      const graph = graphOf(plan);
      const planes = new Planes(sets.length);
      for (const state of states) {
        planes.add();
        sets.forEach((set, plane) => set.includes(state) && planes.set(state, plane));
      }
      keepEndless(planes, graph);
      for (const [plane, set] of sets.entries()) {
        const left = set.filter((state) => planes.has(state, plane));
        const among = (some: readonly number[]) =>
          [...new Components(graph, true).among(some)].map((set) => String(set.toSorted())).sort();
        expect(among(left)).toEqual(among(set));
        pending += set.length;
        kept += left.length;
      }
    }),
    { numRuns: 50 },
  );
  expect(kept).toBeLessThan(pending);
});

test('a state with an action that no transition repeats is excluded', () => {
  // In the circle of 0 and 1, action 1 always leads to state 2.
  const plan = [[[1], [2]], [[0], [2]], [[0]]];
  const actions = [[0, 1], [0, 1], [2]];
  const left = (pending: readonly number[]) => {
    const planes = new Planes(1);
    plan.forEach(() => planes.add());
    for (const state of pending) planes.set(state, 0);
    keepEndless(
      planes,
      graphOf(plan, (state, group) => actions[state]![group]!),
    );
    return pending.filter((state) => planes.has(state, 0));
  };
  expect(left([0, 1, 2])).toEqual([0, 1, 2]);
  expect(left([0, 1])).toEqual([]);
});

test('a goal that a few passes do not reach is found backward', () => {
  // From the last state, the path alternates between low and high states, through all of them, to the first state, which is the
  // goal.
  const size = 400;
  const order = Array.from({ length: size }, (_, i) => (i % 2 === 0 ? i / 2 : size - (i + 1) / 2));
  const next = new Map(order.map((state, i, all) => [state, all[i - 1]]));
  const plan = Array.from({ length: size + 1 }, (_, state) => (next.get(state) === undefined ? [] : [[next.get(state)!]]));
  const coreachable = canReach(graphOf(plan), (state) => state === 0);
  expect([...coreachable]).toEqual(plan.map((_, state) => (state < size ? 1 : 0)));
});
