/** Every interleaving of three voters, with link changes notified at each end separately; and the violations without one of the rules. */
import { assign } from 'xstate';
import { describe, expect, test } from 'vitest';
import { explore, type ExploreOptions } from '../../test/explore/explore.js';
import type { Property } from '../protocol.js';
import { locks } from './index.js';
import type { EpochsContext } from './knowledge.js';
import { beginningOf, keptOf, pendingAfter, type PromiseReport } from './promises.js';
import { oneUser, undisturbedUser } from './users.fixtures.js';
import {
  again,
  all,
  apart,
  ask,
  bootstrap,
  cancel,
  crash,
  cut,
  forget,
  forgetful,
  join,
  mutant,
  namingByName,
  pair,
  path,
  remembering,
  restart,
  rival,
  searchOn,
  starting,
  notified,
  type Commands,
  type Search,
} from './systems.fixtures.js';
import { isServing, usesOf } from './view.js';

const keeps = (user: string): Search => ({ hold: null, properties: [undisturbedUser(user)] });
const quiet: Search = { hold: 1, properties: [oneUser] };
const allRemember = (memory: 'new' | 'forgotten') => remembering({ a: memory, b: memory, c: memory });

/** b and c hold locks, and do not reach each other: a is linked with both. */
const parted = [ask('b', 'x'), ask('c', 'y'), cut('b', 'c')];
const goesOn: Property = {
  name: 'goes on',
  description: 'The leader serves again, with a majority of the nodes that it reaches.',
  kind: 'eventually',
  when: (c, node) => node === 'a' && !isServing(c.nodes.get('a')!),
  holds: (c) => isServing(c.nodes.get('a')!),
};

describe('all properties hold', () => {
  test.each<[string, number, Commands, Search]>([
    ['nothing fails', 154, [ask('a'), ask('b'), ask('c')], quiet],
    ['the first holder and leader crashes', 3080, [ask('b'), ask('c'), ...crash('a')], { hold: 1 }],
    ['one link is cut', 903, [ask('a'), ask('b'), cut('a', 'b')], { hold: 1 }],
    ['a holder crashes', 10808, [ask('c'), ask('b'), ...crash('c')], { hold: 1 }],
    ['the leader is stopped and goes on', 532, [ask('b'), ...crash('a'), restart('a')], { hold: 1 }],
    ['the leader proposes twice more, b holds', 312, [ask('b'), again('a'), again('a')], keeps('b')],
    ['two hold, and the link between them is cut', 3745, parted, { hold: null, properties: [goesOn] }],
    [
      'an epoch with room for one lock, three names',
      99,
      [ask('a', 'x'), ask('a', 'y'), ask('b', 'z')],
      { hold: null, options: { locks: 1 } },
    ],
    [
      'an epoch with room for two locks, three names',
      162,
      [ask('a', 'x'), ask('a', 'y'), ask('b', 'z')],
      { hold: null, options: { locks: 2 } },
    ],
    [
      'one requests twice, and the others confirm before they have begun the epoch',
      778,
      [ask('b'), ask('b'), again('a')],
      { options: { confirm: true } },
    ],
  ])('%s: %i states', (_, states, commands, search) => {
    const found = searchOn(all, locks, commands, search);
    expect(found).toMatchObject({ verdict: 'valid' });
    expect(found.states).toBe(states);
  });

  test.each<[string, number, typeof locks, Commands]>([
    ['new', 613, allRemember('new'), [ask('a'), join('a', 'b')]],
    ['forgotten, and no request is granted before the third is there', 446, allRemember('forgotten'), [ask('a'), join('a', 'b')]],
    [
      'forgotten, and the application says that the cluster is new',
      1533,
      allRemember('forgotten'),
      [ask('a'), join('a', 'b'), bootstrap('a')],
    ],
  ])('a cold start of two of three, %s: %i states', (_, states, protocol, commands) => {
    const found = searchOn(apart, protocol, commands, quiet);
    expect(found).toMatchObject({ verdict: 'valid', states });
  });

  test('one of two voters cancels and repeats its request; their link is cut and joined', () => {
    const two: ExploreOptions['topology'] = { nodes: ['a', 'b'], links: [['a', 'b', 1]] };
    const found = searchOn(two, locks, [ask('b'), cancel('b'), ask('b'), cut('a', 'b'), join('a', 'b')], quiet);
    expect([found.verdict, found.states]).toEqual(['valid', 12_546]);
  });

  const away = [notified('down', 'b', 'a'), notified('down', 'b', 'c'), forget('b'), notified('up', 'b', 'c')];
  test('a node that restarts without memory breaks no promise at any clock: 4313 states', () => {
    expect(
      searchOn(
        path,
        forgetful(() => 0),
        away,
      ),
    ).toMatchObject({ verdict: 'valid', states: 4313 });
  });
});

/** a and c serve, and c holds a lock; b starts, and its links come up one by one. Each event follows a quiescent state. */
const starts = (protocol: typeof locks, ...links: readonly ReturnType<typeof join>[]) =>
  explore(starting({ a: ofTwo, c: ofTwo }, protocol), {
    topology: pair('a', 'c'),
    options: { hold: null },
    commands: [ask('c'), ...links],
    oneByOne: true,
    properties: [...protocol.properties({} as never), undisturbedUser('c')],
  });
const ofTwo = { members: ['a', 'c'], memory: 'known' } as const;

describe('a peer starts and reaches the leader before the holder', () => {
  test('the holder keeps its lock: 3417 states', () => {
    expect(starts(locks, join('a', 'b'))).toMatchObject({ verdict: 'valid', states: 3417 });
  });

  test('it loses the lock if the leader orders members by name: undisturbed', () => {
    const { verdict, counterexample } = starts(namingByName, join('a', 'b'), join('b', 'c'));
    expect([verdict, counterexample?.property]).toEqual(['invalid', 'undisturbed']);
  });
});

test('two may hold the lock at once, because one cannot know that it was given up', () => {
  const { verdict, counterexample } = searchOn(all, locks, [ask('b'), ask('c'), cut('a', 'b'), cut('b', 'c')], {
    hold: null,
    properties: [oneUser],
  });
  expect(verdict).toBe('invalid');
  expect(counterexample!.property).toBe('one user');
});

test('a minority grants nothing, and its holder is notified at once', () => {
  const { verdict } = explore(locks, {
    topology: all,
    options: { hold: null },
    commands: [ask('b'), cut('a', 'b'), cut('b', 'c')],
    properties: [
      {
        name: 'notified',
        description: 'A node without links neither serves nor holds a lock.',
        kind: 'always',
        holds: (c) => {
          const isAlone = !c.links.neighbors('b').length;
          return !isAlone || (!isServing(c.nodes.get('b')!) && usesOf(c).every(({ node }) => node !== 'b'));
        },
      },
    ],
  });
  expect(verdict).toBe('valid');
});

const never = () => false;
type In = { context: EpochsContext; event: any };
/** Rule 5, changed. */
const keeping = (how: (reports: readonly PromiseReport[], voters: readonly string[]) => ReturnType<typeof keptOf>) => ({
  conclude: assign(({ context }: In) => ({ served: beginningOf(context, how) })) as never,
});
/** Rule 3, left out. */
const takingNothingBack = {
  notePromise: assign(({ context: { pending, promised, served }, event: { epoch, from, members, next } }: In) => {
    const ballot = { epoch, proposer: from, members, next };
    return {
      promised: ballot,
      pending: pendingAfter(pending, promised, ballot, { served: served.epoch, servedByProposer: Infinity }),
    };
  }) as never,
};

describe('without one of its rules a promise breaks, shown by a counterexample', () => {
  const away = [notified('down', 'b', 'a'), notified('down', 'b', 'c'), forget('b'), notified('up', 'b', 'c')];
  const isWhole = (({ context: { reports, promised } }: In) => reports.length === promised!.members.length) as never;
  type Early = EpochsContext['early'];
  const keepingEarly = (how: (early: Early, message: Early[number]) => Early) => {
    const keepEarly = assign(({ context: { early }, event }: In) => ({ early: how(early, event) }));
    return mutant({ actions: { keepEarly: keepEarly as never } });
  };
  const confirmedTwice = [[ask('b'), ask('b'), again('a')], { options: { confirm: true } }] as const;
  test.each<[string, string, typeof locks, Commands, Search, ExploreOptions['topology']?]>([
    [
      '2: an epoch is promised twice',
      'one beginning an epoch',
      mutant({ guards: { isPast: never } }),
      [cut('a', 'b'), rival('b')],
      {},
    ],
    [
      '2: the leader does not propose again',
      'service',
      mutant({ guards: { isElected: never, leads: never, receivesAndLeads: never } }),
      [ask('b'), ...crash('a')],
      {},
    ],
    [
      '3 and 5c: no promise is withdrawn, and any later one counts',
      'undisturbed',
      mutant({
        actions: {
          ...takingNothingBack,
          ...keeping((reports, voters) => (reports.some(({ pending }) => pending.length > 0) ? [] : keptOf(reports, voters))),
        },
      }),
      [ask('b'), again('a'), again('a')],
      keeps('b'),
    ],
    [
      '4a: a voter that has forgotten counts as one that remembers',
      'one beginning an epoch',
      forgetful(() => 0, mutant({ guards: { mayBegin: isWhole } })),
      away,
      {},
      path,
    ],
    ['5: nobody keeps a lock', 'undisturbed', mutant({ actions: keeping(() => []) }), [ask('b'), again('a')], keeps('b')],
    [
      '6: the leader waits for a holder forever',
      'goes on',
      mutant({ guards: { leavesOutUsersNewly: never } }),
      parted,
      { hold: null, properties: [goesOn] },
    ],
    [
      '7: a node is not notified of the epoch that leaves it out',
      'notification',
      mutant({ guards: { leavesUsOut: never } }),
      [cut('a', 'b')],
      {},
    ],
    [
      '8: the fences of an epoch are not limited',
      'bounds',
      mutant({}, { guards: { isBeyondNumbers: never } }),
      [ask('b'), ask('c')],
      { hold: 1, options: { grants: 2 } },
    ],
    [
      '8: the room of an epoch is not limited',
      'bounds',
      mutant({ guards: { findsNoRoom: never, isFindWithoutRoom: never } }),
      [ask('a', 'x'), ask('a', 'y'), ask('b', 'z')],
      { hold: null, options: { locks: 1 } },
    ],
    [
      '8: early messages are dropped',
      'service',
      // Both tokens start at c, which begins last.
      keepingEarly((early) => early),
      [ask('b', 'p'), ask('b', 'w'), again('a')],
      { hold: null },
    ],
    [
      '8: an early message does not replace the earlier one',
      'bounds',
      keepingEarly((early, message) => [...early, message]),
      ...confirmedTwice,
    ],
    ['8: messages of other epochs are kept as well', 'bounds', mutant({ guards: { isForThis: () => true } }), ...confirmedTwice],
  ])('%s: %s', (_, property, protocol, commands, search, topology = all) => {
    const found = searchOn(topology, protocol, commands, search);
    expect(found.verdict).toBe('invalid');
    expect(found.counterexample?.property).toBe(property);
  });
});
