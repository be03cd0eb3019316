/** The deadlock of the printed rules as the inspector shows it: a cycle of nodes that wait for each other. */
import { expect, test } from 'vitest';
import { Simulation } from '../../network/simulation.js';
import { parseScenario } from '../../network/scenario/parse.js';
import { exclusion } from './index.js';
import { lock, P2, shipped } from './systems.fixtures.js';

const choices = shipped(P2, [1, 1], [], { rules: 'printed' }).counterexample!.choices;

test('two nodes that wait for each other point at each other', () => {
  const scenario = parseScenario(
    {
      protocol: 'exclusion',
      options: { rules: 'printed', priorities: 2, hold: 1 },
      topology: { kind: 'path', n: 2 },
      events: [lock('n0'), lock('n1')].map(({ node }: any) => ({ at: 0, node, do: 'lock' })),
    },
    { exclusion },
  );
  const simulation = new Simulation(scenario, { choices });
  simulation.start();
  while (simulation.advance());
  const { nodes, flights, links } = simulation.configuration;
  const marks = [...nodes].map(([id, node]) => exclusion.overlay!(node, id, links, simulation.configuration));
  expect(flights).toEqual([]);
  expect(marks.map(({ pointers, badge }) => ({ pointers, badge }))).toEqual([
    { pointers: [{ to: 'n1', kind: 'waits for' }], badge: 'compete' },
    { pointers: [{ to: 'n0', kind: 'waits for' }], badge: 'compete' },
  ]);
});
