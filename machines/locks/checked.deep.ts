/** The long searches of three nodes with failures: no fence twice, one token an epoch, and a majority that settles serves everybody. */
import { assign } from 'xstate';
import { expect, test } from 'vitest';
import type { LinkEvent } from '../effects.js';
import { locks } from './index.js';
import { linksAfter } from './knowledge.js';
import { ask, crash, cut, join, mutant, restart, search, type Commands } from './systems.fixtures.js';

test.each<[string, number, Commands]>([
  ['a holder crashes', 4464, [ask('b'), ask('c'), ...crash('c')]],
  ['the leader is cut off', 24318, [ask('a'), ask('c'), cut('a', 'b'), cut('a', 'c')]],
  ['a node is cut off', 6163, [ask('b'), cut('a', 'b'), cut('b', 'c')]],
  ['a link is cut and comes back', 68147, [cut('b', 'c'), join('b', 'c')]],
  ['the link of a holder is cut and comes back', 133726, [ask('b'), cut('a', 'b'), join('a', 'b')]],
  ['a holder is stopped and goes on', 6621, [ask('c'), ask('b'), ...crash('c'), restart('c')]],
  ['the leader is stopped and goes on', 640, [ask('b'), ...crash('a'), restart('a')]],
  ['the leader crashes while the others are parted', 11407, [ask('b'), ...crash('a'), cut('b', 'c')]],
])('%s: %i states', (_, states, commands) => {
  const found = search(locks, commands, 1);
  expect(found).toMatchObject({ verdict: 'valid' });
  expect(found.states).toBe(states);
});

test('forgetting what a link has lost when it comes back leaves somebody waiting', () => {
  const forgetful = mutant({
    actions: { noteLinks: assign(({ context, event }) => ({ links: linksAfter(context.links, event as LinkEvent) })) },
  });
  const found = search(forgetful, [ask('b'), cut('a', 'b'), join('a', 'b')], 0);
  expect(found).toMatchObject({ verdict: 'invalid', counterexample: { property: 'service' } });
});
