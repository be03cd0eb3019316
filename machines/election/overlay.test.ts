/** The picture of the network while a search spreads and returns, and when nodes are notified of a new leader. */
import { expect, test } from 'vitest';
import { parseScenario } from '../../network/scenario/parse.js';
import { Simulation } from '../../network/simulation.js';
import { protocols } from '../index.js';
import { overlay } from './index.js';

const path = {
  protocol: 'election',
  topology: {
    nodes: ['a', 'b', 'c'],
    links: [
      ['a', 'b'],
      ['b', 'c'],
    ],
  },
  events: [{ at: 1, do: 'cut', link: ['a', 'b'] }],
};

/** Tone and ground of c, whenever they change. */
function seenAtEnd(options: object): string[] {
  const simulation = new Simulation(parseScenario({ ...path, options }, protocols), { host: 'snapshots' });
  simulation.start();
  const seen: string[] = [];
  do {
    const { tone, group, badge = '' } = overlay(simulation.configuration.nodes.get('c')!);
    const shown = `${tone}: ${group}${badge}`;
    if (seen.at(-1) !== shown) seen.push(shown);
  } while (simulation.advance());
  return seen;
}

test('the ground belongs to the leader, the search, its reflection, or the new leader', () => {
  expect(seenAtEnd({})).toEqual(['plain: follows a', 'active: search 1 of b, reflected', 'plain: follows b']);
});

test('with levels it belongs to the district; a badge counts the levels of a leader', () => {
  const seen = seenAtEnd({ radii: [1] });
  expect(seen[0]).toBe('plain: district of c1');
  expect(seen).toContain('active: search 1 of b, reflected1');
});

test('links point down, toward the leader', () => {
  const simulation = new Simulation(parseScenario(path, protocols), { host: 'snapshots' });
  simulation.start();
  const pointers = [...simulation.configuration.nodes].map(([id, node]) => [id, overlay(node).pointers]);
  expect(pointers).toEqual([
    ['a', []],
    ['b', [{ to: 'a', kind: 'down' }]],
    ['c', [{ to: 'b', kind: 'down' }]],
  ]);
});
