/** While a channel, a node or a message is delayed by hand no bound on delays applies, so the time of convergence begins after it. */
import { expect, test } from 'vitest';
import { parseScenario } from './scenario/parse.js';
import { Simulation } from './simulation.js';
import { counter } from './world/counter.fixture.js';

const topology = { nodes: ['a', 'b'], links: [['a', 'b', 1]] } as const;
const within10 = {
  name: 'notified',
  description: 'Within 10 ticks b has been told.',
  kind: 'converges',
  within: 10,
  holds: (c: any) => c.nodes.get('b').counter.context.received > 0,
} as const;
const known = { counter: { ...counter, properties: () => [within10] } };

/** The results of a run in which `a` counts at these times, with these faults. */
function verdictOf(counts: readonly number[], events: readonly object[]) {
  const asked = counts.map((at) => ({ at, node: 'a', do: 'count' }));
  const scenario = parseScenario(
    { protocol: 'counter', topology, events: [...asked, ...events], until: { at: 60 } },
    known as never,
  );
  return new Simulation(scenario).run().properties.find(({ name }) => name === 'notified')!.holds;
}

test('b is notified in time', () => {
  expect(verdictOf([0], [])).toBe(true);
  expect(verdictOf([20], [])).toBe(false);
});

test.each([
  ['a channel', { do: 'clog', channel: ['a', 'b'] }, { do: 'unclog', channel: ['a', 'b'] }],
  ['a node', { do: 'pause', node: 'b' }, { do: 'resume', node: 'b' }],
  ['a message', { do: 'hold', message: 0 }, { do: 'deliver', message: 0 }],
])('%s is held up: the time begins after the last step before it is let go', (_, holds, lets) => {
  // In flight from tick 3, due at 4; delayed until 35, while `a` continues at 12, 20 and 30.
  const [first, last] = [
    { at: holds.do === 'hold' ? 4 : 2, ...holds },
    { at: 35, ...lets },
  ];
  expect(verdictOf([0], [first])).toBe(false);
  expect(verdictOf([0, 9, 18, 27], [first, last])).toBe(true);
});
