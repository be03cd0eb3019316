/** One of two or three voters restarts with its stored state, in every interleaving. */
import { expect, test } from 'vitest';
import { locks } from './index.js';
import { ask, change, pair, reload, searchOn } from './systems.fixtures.js';

test('a requester restarts with its stored state: 11820 states', () => {
  const found = searchOn(pair('a', 'b'), locks, [ask('b'), ...reload('b')], { options: { storage: 1 }, hold: 0 });
  expect(found).toMatchObject({ verdict: 'valid', states: 11820 });
});

test('one of two or three voters restarts with its stored state: 11785 states', () => {
  const found = searchOn(pair('a', 'b'), locks, reload('b'), { options: { storage: 1 }, hold: 0 });
  expect(found).toMatchObject({ verdict: 'valid', states: 11785 });
});

test('a single voter adds another, and restarts with its stored state: 76098 states', () => {
  const commands = [change('a', { add: 'b' }), ...reload('a')];
  const found = searchOn(pair('a', 'b'), locks, commands, { options: { voters: ['a'], storage: 1 }, hold: 1 });
  expect(found).toMatchObject({ verdict: 'valid', states: 76098 });
});
