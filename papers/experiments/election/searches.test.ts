/** Properties D, F, G, H and Lemma 2 over random runs, and mistakes in the chart that break each of them. */
import { expect, test } from 'vitest';
import { assign } from 'xstate';
import { election } from '../../../machines/election/index.js';
import { electionMachine, type ElectionContext } from '../../../machines/election/machine.js';
import type { Height } from '../../../machines/election/height.js';
import { watchSearches } from './searches.js';

const RUNS = Array.from({ length: 12 }, (_, i) => i + 1);

test.each(['perfect', 'logical'] as const)('D, F, G, H and Lemma 2 hold after the last change, with %s clocks', (clock) => {
  const { looked, broken } = watchSearches(election, RUNS, { clock });
  expect(broken).toEqual({ D: 0, F: 0, G: 0, H: 0, 'Lemma 2': 0 });
  for (const count of Object.values(looked)) expect(count).toBeGreaterThan(20);
});

/** The chart, with something else done to the height. */
const changed = (
  action: 'adoptLeaderPair' | 'propagateLargestRefLevel' | 'reflectRefLevel',
  change: (height: Height) => Height,
) => {
  const original = electionMachine.implementations.actions[action] as unknown as { assignment: any };
  const chart = electionMachine.provide({
    actions: {
      [action]: assign((args: any) => ({ height: change(original.assignment.height(args)) })),
    } as never,
  });
  return { ...election, charts: { ...election.charts, election: chart } };
};

test.each([
  ['D', 'adoptLeaderPair', (height: Height) => ({ ...height, delta: height.delta + 1 })],
  ['Lemma 2', 'adoptLeaderPair', (height: Height) => ({ ...height, delta: Math.max(1, 20 - height.delta) })],
  ['H', 'propagateLargestRefLevel', (height: Height) => ({ ...height, delta: height.delta + 2 })],
  ['G', 'propagateLargestRefLevel', (height: Height) => ({ ...height, r: 1 as const })],
] as const)('%s is broken by a mistake in %s', (property, action, change) => {
  const { broken } = watchSearches(changed(action, change), RUNS, { clock: 'perfect' });
  expect(broken[property]).toBeGreaterThan(0);
});

test('F is broken by a node that takes a search on together with a leader', () => {
  const original = electionMachine.implementations.actions['adoptLeaderPair'] as unknown as { assignment: any };
  const chart = electionMachine.provide({
    actions: {
      adoptLeaderPair: assign((args: any) => {
        const { context } = args as { context: ElectionContext };
        const adopted: Height = original.assignment.height(args);
        const searching = context.links.find(({ height }) => height?.tau)?.height;
        return { height: searching ? { ...adopted, tau: searching.tau, oid: searching.oid } : adopted };
      }),
    } as never,
  });
  const { broken } = watchSearches({ ...election, charts: { ...election.charts, election: chart } }, RUNS, { clock: 'perfect' });
  expect(broken.F).toBeGreaterThan(0);
});
