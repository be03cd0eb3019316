/** Rule 13 with three nodes: the longer searches. */
import { expect, test } from 'vitest';
import { locks } from './index.js';
import { oneUserPresent } from './users.fixtures.js';
import { all, ask, crash, restart, searchOn, type Commands } from './systems.fixtures.js';

test.each<[string, number, Commands]>([
  ['the first holder and leader crashes', 3080, [ask('b'), ask('c'), ...crash('a')]],
  ['a holder crashes', 10808, [ask('c'), ask('b'), ...crash('c')]],
  ['a holder is stopped and goes on', 16414, [ask('c'), ask('b'), ...crash('c'), restart('c')]],
])('%s: %i states', (_, states, commands) => {
  const found = searchOn(all, locks, commands, { hold: 1, options: { quorum: 'present' }, properties: [oneUserPresent] });
  expect([found.verdict, found.states]).toEqual(['valid', states]);
});
