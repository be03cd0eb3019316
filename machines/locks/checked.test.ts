/** Every interleaving of three nodes with failures, each end of a link told by itself; and what becomes of it without one of the rules. */
import { describe, expect, test } from 'vitest';
import { explore, type ExploreOptions } from '../../test/index.js';
import { locks } from './index.js';
import { ask, crash, cut, mutant, search, topology, type Changes, type Commands } from './systems.fixtures.js';
import { isServing, usesOf } from './view.js';

describe('no fence twice, one token an epoch, and a majority that settles serves everybody', () => {
  test.each<[string, number, Commands]>([
    ['nothing fails', 154, [ask('a'), ask('b'), ask('c')]],
    ['the first holder and leader crashes', 3274, [ask('b'), ask('c'), ...crash('a')]],
    ['one link is cut', 480, [ask('a'), ask('b'), cut('a', 'b')]],
  ])('%s: %i states', (_, states, commands) => {
    const found = search(locks, commands, 1);
    expect(found).toMatchObject({ verdict: 'valid' });
    expect(found.states).toBe(states);
  });
});

test('two may hold the lock at once, for one of them cannot know that it was given up', () => {
  const overlap = {
    name: 'never two',
    says: 'Nobody holds the lock while somebody else does: more than any protocol without clocks can promise.',
    kind: 'always',
    holds: (c) => usesOf(c).length < 2,
  } as const satisfies ExploreOptions['properties'] extends readonly (infer P)[] | undefined ? P : never;
  const { verdict, counterexample } = explore(locks, {
    topology,
    options: { hold: null },
    commands: [ask('b'), ask('c'), cut('a', 'b'), cut('b', 'c')],
    properties: [overlap],
  });
  expect(verdict).toBe('invalid');
  expect(counterexample!.steps.at(-1)).toMatch(/lock.granted/);
  expect(counterexample!.steps).toHaveLength(10);
});

test('a minority serves nobody, and its user is told at once', () => {
  const { verdict } = explore(locks, {
    topology,
    options: { hold: null },
    commands: [ask('b'), cut('a', 'b'), cut('b', 'c')],
    properties: [
      {
        name: 'told',
        says: 'A node without links neither serves nor uses.',
        kind: 'always',
        holds: (c) => {
          const isAlone = !c.links.neighbours('b').length;
          return !isAlone || (!isServing(c.nodes.get('b')!) && usesOf(c).every(({ node }) => node !== 'b'));
        },
      },
    ],
  });
  expect(verdict).toBe('valid');
});

describe('without one of its rules a promise breaks, and the search shows how', () => {
  test.each<[string, string, Changes, Commands]>([
    [
      'an epoch is promised twice',
      'one beginning an epoch',
      { guards: { isPast: () => false, isNews: () => false } },
      [cut('a', 'b'), { do: 'down', channel: ['c', 'a'] }],
    ],
    [
      'messages of earlier epochs are taken',
      'service',
      { guards: { isOfThisEpoch: () => true } },
      [ask('c'), ask('b'), ...crash('c')],
    ],
    ['nobody hears of the epoch that leaves it out', 'notice', { guards: { goesOnWithoutUs: () => false } }, [cut('a', 'b')]],
    [
      'the leader does not begin anew',
      'service',
      { guards: { isElected: () => false, isNews: () => false } },
      [ask('b'), ...crash('a')],
    ],
  ])('%s: %s', (_, property, changes, commands) => {
    const found = search(mutant(changes), commands, 0);
    expect(found.verdict).toBe('invalid');
    expect(found.counterexample?.property).toBe(property);
  });
});
