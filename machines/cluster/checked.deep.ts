/** Exhaustive searches of larger systems of one actor. */
import { expect, test } from 'vitest';
import { activate, clique, create, granted, searched, send } from './systems.fixtures.js';

const commands = [create('a'), send('a'), granted('a', 1), ...activate('b', 2)];

test.each([
  ['lost', 70_265, { loss: 1 }],
  ['repeated', 198_786, { duplicate: 1 }],
])('two activations, one message %s: %i states', (_, states, faults) => {
  const found = searched(clique('a', 'b'), commands, { faults });
  expect([found.verdict, found.states]).toEqual(['valid', states]);
});

test('two activations, messages out of order: 490,718 states', () => {
  const found = searched(clique('a', 'b'), commands, { order: 'unordered', bounds: { states: 2_000_000 } });
  expect([found.verdict, found.states]).toEqual(['valid', 490_718]);
});
