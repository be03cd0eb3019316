/** The long searches: an edge with up to two finds and two observers in each direction, and trees of three nodes, from every state. */
import { expect, test } from 'vitest';
import { explore } from '../../test/explore/explore.js';
import { anywhere, variant } from './checked.fixtures.js';

const systems = [
  ['one edge, two finds and two observers in each direction', { a: 'a', b: 'a' }, 4, [740_486, 3_245_026]],
  ['a path of three nodes, channels empty at first', { a: 'a', b: 'a', c: 'b' }, 0, [59_857, 364_756]],
  ['a star of three nodes, channels empty at first', { a: 'a', b: 'a', c: 'a' }, 0, [58_856, 358_440]],
] as const;

test.each(systems)('%s', (_, parents, messages, counts) => {
  const { verdict, states, transitions, counterexample } = explore(variant({ messages }), anywhere(parents));
  expect(counterexample?.property).toBe(undefined);
  expect({ verdict, counts: [states, transitions] }).toEqual({ verdict: 'valid', counts });
});
