/** The longer searches of three voters, and mutants whose failures need longer searches. */
import { assign } from 'xstate';
import { expect, test } from 'vitest';
import { explore } from '../../test/explore/explore.js';
import { locks } from './index.js';
import { beginningOf, keptOf } from './promises.js';
import { oneUser, undisturbedUser } from './users.fixtures.js';
import {
  all,
  ask,
  again,
  crash,
  cut,
  forget,
  forgetful,
  mutant,
  nodes,
  pair,
  path,
  restart,
  rival,
  join,
  searchOn,
  starting,
  notified,
  type Commands,
  type Search,
} from './systems.fixtures.js';

test.each<[string, number, Commands, Search]>([
  ['a node is cut off', 15772, [ask('b'), cut('a', 'b'), cut('b', 'c')], { hold: 1 }],
  ['a holder is stopped and goes on', 16414, [ask('c'), ask('b'), ...crash('c'), restart('c')], { hold: 1 }],
  [
    'an epoch of one grant, three requests',
    12279,
    [ask('b'), ask('c'), ask('a')],
    { hold: 1, properties: [oneUser], options: { grants: 2 } },
  ],
  ['an epoch of one grant, one asks twice', 98033, [ask('b'), ask('c'), ask('a'), ask('b')], { hold: 1, options: { grants: 2 } }],
  ['grants are confirmed, and nothing fails', 2549, [ask('a'), ask('b'), ask('c')], { hold: 1, options: { confirm: true } }],
  [
    'grants are confirmed, and one link is cut',
    3832,
    [ask('a'), ask('b'), cut('a', 'b')],
    { hold: 1, options: { confirm: true } },
  ],
])('%s: %i states', (_, states, commands, search) => {
  const found = searchOn(all, locks, commands, search);
  expect(found).toMatchObject({ verdict: 'valid' });
  expect(found.states).toBe(states);
});

test('5a: without the kept locks of an epoch, a later one takes a lock from its holder', () => {
  const forgetsKept = mutant({
    actions: {
      conclude: assign(({ context }: any) => ({
        served: beginningOf(context, (reports, voters) =>
          keptOf(
            reports.map((report) => ({ ...report, kept: [] })),
            voters,
          ),
        ),
      })) as never,
    },
  });
  const found = searchOn(all, forgetsKept, [ask('b'), rival('c'), again('a')], {
    hold: null,
    properties: [undisturbedUser('b')],
  });
  expect(found).toMatchObject({ verdict: 'invalid', counterexample: { property: 'undisturbed' } });
});

const away = [notified('down', 'b', 'a'), notified('down', 'b', 'c'), forget('b'), notified('up', 'b', 'c')];

test.each<[string, number, ReturnType<typeof pair>, Commands]>([
  ['both others ask', 54794, path, [ask('a'), ...away, ask('c')]],
  ['it asked before and comes back', 11629, pair('a', 'b'), [ask('b'), cut('a', 'b'), forget('b'), join('a', 'b')]],
])('a peer that starts again, knowing nothing: %s, %i states', (_, states, topology, commands) => {
  const found = searchOn(
    topology,
    forgetful(() => 0),
    commands,
    { hold: 1 },
  );
  expect(found).toMatchObject({ verdict: 'valid', states });
});

test('a peer starts and reaches the leader before the holder: 77115 states', () => {
  const ofTwo = { members: ['a', 'c'], memory: 'known' } as const;
  const found = explore(starting({ a: ofTwo, c: ofTwo }), {
    topology: pair('a', 'c'),
    options: { hold: null },
    commands: [ask('c'), join('a', 'b'), join('b', 'c')],
    oneByOne: true,
    properties: [...locks.properties({} as never), undisturbedUser('c')],
  });
  expect(found).toMatchObject({ verdict: 'valid', states: 77_115 });
});

/** Three voters, and a client that is linked with these of them. */
const withClient = (...linked: readonly string[]) => ({
  nodes: [...nodes, 'x'],
  links: [...all.links, ...linked.map((voter) => [voter, 'x', 1])],
});
const stops = (voter: string) => [...crash(voter), { do: 'down', channel: ['x', voter] }];

/** a is the voter to which the client is attached; b is another. */
test.each<[string, number, object, string, Search]>([
  ['its voter stops, x is linked with another', 115_644, withClient('a', 'b'), 'a', { hold: null }],
  ['its voter stops, x is linked with all', 184_857, withClient('a', 'b', 'c'), 'a', { hold: null }],
  ['another stops, x is linked with all', 176_876, withClient('a', 'b', 'c'), 'b', { hold: null }],
  ['its voter stops as it holds the lock for a moment', 326_670, withClient('a', 'b', 'c'), 'a', { hold: 1 }],
  ['another stops as it holds the lock for a moment', 259_190, withClient('a', 'b', 'c'), 'b', { hold: 1 }],
])('a client of three voters asks: %s: %i states', (_, states, topology, voter, { hold = null }) => {
  const properties = hold === null ? [undisturbedUser('x')] : [];
  const commands = [ask('x'), ...stops(voter)] as never;
  const found = searchOn(topology as never, locks, commands, { hold, options: { clients: ['x'] }, properties });
  expect(found).toMatchObject({ verdict: 'valid', states });
});

/** Patience does not end for a client that reaches a voter (locksMayFire): a node that waits for it waits forever here. */
test.each<[string, number, Search]>([
  ['is served', 2_811_626, { hold: 1 }],
  ['keeps its lock', 1_991_906, { hold: null, properties: [undisturbedUser('x')] }],
])('the client moves to a voter that may join the epoch later, and %s: %i states', (_, states, search) => {
  const commands = [ask('x'), again('a'), cut('a', 'x')] as never;
  const limits = { options: { clients: ['x'] }, states: 3_000_000 };
  expect(searchOn(withClient('a', 'b') as never, locks, commands, { ...search, ...limits })).toMatchObject({
    verdict: 'valid',
    states,
  });
});
