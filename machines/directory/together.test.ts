/** Several requests of one node, satisfied by one token (section 3 of the Arvy paper): every interleaving, and the savings. */
import { expect, test } from 'vitest';
import { simulateByName } from '../../testing/simulate.js';
import { explore } from '../../test/explore/explore.js';
import { directory } from './index.js';

const topology = { nodes: ['a', 'b', 'c'], links: [['a', 'b', 1] as const, ['b', 'c', 1] as const] };

test.each([
  [1, 60],
  [2, 301],
  [3, 864],
])('up to %i at once: every property holds in every order of unlimited requests', (together, states) => {
  const found = explore(directory, { topology, options: { together }, commands: 'unlimited' });
  expect(found.properties.filter(({ holds }) => holds !== true)).toEqual([]);
  expect(found.states).toBe(states);
});

const threeTimes = (together: number, nodes = ['n1', 'n3']) =>
  simulateByName({
    protocol: 'directory',
    topology: { kind: 'path', n: 4 },
    options: { together, hold: 5 },
    events: [0, 1, 2].flatMap((at) => nodes.map((node) => ({ at, node, do: 'request' }))),
  });

test('joined requests are served by the same token, without another find', () => {
  const [apart, joined] = [threeTimes(1).summary, threeTimes(3).summary];
  expect(apart).toMatchObject({ served: ['n1', 'n3', 'n1', 'n3', 'n1', 'n3'] });
  expect(joined).toMatchObject({ served: ['n1', 'n1', 'n1', 'n3', 'n3', 'n3'] });
  expect([apart, joined].map((summary) => summary['findMessages'])).toEqual([11, 3]);
  expect([threeTimes(1), threeTimes(3)].map(({ messages }) => messages.total)).toEqual([17, 5]);
  const neighbors = [1, 3].map((together) => threeTimes(together, ['n2', 'n3']).summary);
  expect(neighbors.map((summary) => summary['findMessages'])).toEqual([7, 3]);
});
