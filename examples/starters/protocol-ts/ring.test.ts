import { describe, expect, test } from 'vitest';
import { describeProtocol, explore } from 'xstate-quiver/check';
import { ring } from './ring.js';

const topology = {
  nodes: ['a', 'b', 'c'],
  links: [
    ['a', 'b', 1],
    ['b', 'c', 1],
    ['c', 'a', 1],
  ],
} as const;

// Paths through the chart, walks through small systems, and a check that they cover all of it.
describeProtocol(ring, { describe, test, expect });

test('three nodes, any of which may call: every interleaving keeps the promises', () => {
  expect(explore(ring, { topology, commands: 'unlimited' })).toMatchObject({ verdict: 'valid', doomed: 0 });
});

test('a lost message breaks one, and this is the shortest way', () => {
  const { counterexample } = explore(ring, { topology, commands: 'unlimited', faults: { loss: 1 } });
  expect(counterexample).toMatchObject({ property: 'an election ends' });
});
