/** Excluding states before the search for components changes no answer: random charts, random graphs, and the directory. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { setup } from 'xstate';
import { effects, send } from '../../machines/effects.js';
import type { NodeView, Property } from '../../machines/protocol.js';
import type { Scenario } from '../../network/scenario/types.js';
import { createMetric } from '../../network/topology/metric.js';
import { Components } from './components.js';
import { canReach } from './doomed.js';
import { keepEndless } from './endless.js';
import { examine, type Exploration } from './examine.js';
import { explore } from './explore.js';
import { completeGraph } from './fixtures.js';
import { graphOf, plansOf } from './graphs.fixture.js';
import { Planes } from './planes.js';
import { anyTable, chartOf } from './random-charts.fixture.js';
import { questionOf } from './scenario.js';
import { StateStore } from './store.js';
import { toy, type ToyInput } from './toys.js';

const effectsOnly = { types: { context: {} as ToyInput, input: {} as ToyInput }, actions: effects() };

/** The answer without what depends on the memory and the number of chart runs. */
const counted = ({ bytesPerState: _, interpreterCalls: _calls, ...found }: Exploration) => found;

const isIn = (view: NodeView, state: string) => view['toy']!.value === state;
const made = { description: 'made for a test' };
const properties: readonly Property[] = [
  {
    ...made,
    name: 's2 follows s1',
    kind: 'eventually',
    when: ({ nodes }, node) => isIn(nodes.get(node)!, 's1'),
    holds: ({ nodes }, node) => isIn(nodes.get(node)!, 's2'),
  },
  {
    ...made,
    name: 's0 follows a message',
    kind: 'eventually',
    when: ({ flights }, node) => flights.some(({ to, message }) => to === node && message.type === 'm0'),
    holds: ({ nodes }, node) => isIn(nodes.get(node)!, 's0'),
  },
  {
    ...made,
    name: 'all reach s2',
    kind: 'converges',
    within: 1,
    holds: ({ nodes }) => [...nodes.values()].every((v) => isIn(v, 's2')),
  },
];

describe('random charts', () => {
  test.each([
    ['unordered', 0],
    ['unordered', 1],
    ['fifo', 0],
    ['fifo', 1],
    ['fifo', Infinity],
  ] as const)('%s, %s messages lost and duplicated: the same answers', (order, budget) => {
    const seen = { valid: 0, invalid: 0, unknown: 0 };
    const faults = { loss: budget, duplicate: budget };
    fc.assert(
      fc.property(anyTable, fc.constantFrom(...properties), fc.nat(1), (table, property, after) => {
        const reactions = () => [{ on: 'did', event: { type: 'react' }, after }];
        const protocol = toy({ chart: chartOf(table), commands: ['go'], network: { order }, reactions });
        const graph = createMetric(completeGraph(2));
        const network = { latency: 1, order, loss: 0, duplicate: 0, reorder: 0 };
        const events = [{ at: 0, do: 'command', name: 'go', node: 'n1', fields: {} }];
        const scenario = { protocol, options: {}, graph, contacts: [], network, events, seed: 1, until: { idle: true } };
        const asked = questionOf(scenario as unknown as Scenario, { properties: [property], bounds: { states: 1000 } });
        const question = {
          ...asked,
          plan: { ...asked.plan, budget: faults },
          unlimited: [{ name: 'go', event: { type: 'go' } }],
        };
        const quick = examine(question);
        // The search does not look for messages that are sent again if the protocol has times, here none.
        const times = () => ({ kinds: 0, node: (view: NodeView) => view, message: <M>(message: M) => message });
        expect(counted(quick)).toEqual(counted(examine({ ...question, protocol: { ...protocol, times } })));
        seen[quick.verdict]++;
      }),
      { numRuns: 60, seed: 7 },
    );
    expect(Math.min(seen.valid, seen.invalid)).toBeGreaterThan(5);
  });
});

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

test('no component is excluded, for 40 obligations at once', () => {
  let [pending, kept] = [0, 0];
  fc.assert(
    fc.property(anyPlan, fc.array(fc.subarray(states), { minLength: 40, maxLength: 40 }), (plan, sets) => {
      const graph = graphOf(plan);
      const planes = new Planes(sets.length);
      for (const state of states) {
        planes.add();
        sets.forEach((set, plane) => set.includes(state) && planes.set(state, plane));
      }
      keepEndless(planes, graph, new StateStore(), 0, undefined);
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
