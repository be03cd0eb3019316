/** The published count of Dijkstra's ring: six machines of six states, from each of which the search begins. */
import { expect, test } from 'vitest';
import { explore } from '../../test/index.js';
import { dijkstraRing } from './dijkstra-ring.js';

test('six machines of six states: 46,656 states, 202,176 moves, all of them to one privilege', () => {
  const topology = { nodes: ['ring'], links: [] };
  const found = explore(dijkstraRing, { topology, options: { machines: 6, states: 6 }, corrupt: ['ring'] });
  expect(found).toMatchObject({ verdict: 'valid', states: 46_656, transitions: 202_176 });
});
