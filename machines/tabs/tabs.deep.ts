/** Every interleaving of three tabs that arrive at once. */
import { expect, test } from 'vitest';
import { explore } from '../../test/explore/explore.js';
import { tabs } from './index.js';
import { firstKnown, noPeerMissed } from './company.fixtures.js';

test('three tabs arrive: 22653 states', () => {
  const nodes = ['a', 'b', 'c'];
  const found = explore(tabs, {
    topology: {
      nodes,
      links: [
        ['a', 'b', 1],
        ['a', 'c', 1],
        ['b', 'c', 1],
      ],
    },
    options: { patience: 1, answer: 1 },
    commands: nodes.map((node) => ({ do: 'command', name: 'arrive', node, fields: {} })),
    bounds: { states: 100_000 },
    properties: [...tabs.properties({} as never), firstKnown, noPeerMissed],
  });
  expect([found.verdict, found.states]).toEqual(['valid', 22653]);
});
