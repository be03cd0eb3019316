/** Rule 13: the open nodes are the cluster, like the tabs of one origin. Every interleaving of two and three of them. */
import { describe, expect, test } from 'vitest';
import type { ExploreOptions } from '../../test/explore/explore.js';
import { locks } from './index.js';
import { oneUser, oneUserPresent, undisturbedUser } from './users.fixtures.js';
import {
  again,
  all,
  ask,
  bootstrap,
  cut,
  join,
  mutant,
  searchOn,
  starting,
  notified,
  type Commands,
  type Search,
} from './systems.fixtures.js';

type Topology = ExploreOptions['topology'];
const nodes = ['a', 'b'];
const two: Topology = { nodes, links: [['a', 'b', 1]] };
const strangers: Topology = { nodes, links: [] };

const searched = (topology: Topology, protocol: typeof locks, commands: Commands, search: Search) =>
  searchOn(topology, protocol, commands, { ...search, options: { quorum: 'present' } });

/** They have met, and the epochs have not begun. */
const arriving = { memory: 'forgotten', members: [] } as const;
const bothArrive = starting({ a: arriving, b: arriving });
/** a is served without others, and b joins with a clock that is ahead of all numbers. */
const oneArrives = starting({ a: { members: ['a'], memory: 'known' }, b: { ...arriving, floor: 5 } });

const present: Search = { hold: 1, properties: [oneUserPresent] };
const keeps: Search = { hold: null, properties: [undisturbedUser('a')] };
const stop = [{ do: 'crash', node: 'a' } as const, notified('down', 'b', 'a')];

describe('all properties hold', () => {
  test.each<[string, number, Topology, typeof locks, Commands, Search]>([
    [
      'both come at once, and ask',
      228,
      two,
      bothArrive,
      [ask('a'), ask('b'), bootstrap('a'), bootstrap('b')],
      { hold: 1, properties: [oneUser] },
    ],
    ['one comes beside one that holds, and keeps its lock', 867, strangers, oneArrives, [ask('a'), join('a', 'b')], keeps],
    ['one of two crashes, both ask', 129, two, locks, [ask('a'), ask('b'), ...stop], present],
    ['three ask', 154, all, locks, ['a', 'b', 'c'].map((node) => ask(node)), { hold: 1, properties: [oneUser] }],
    ['the leader of three proposes again, a holds and keeps its lock', 14, all, locks, [ask('a'), again('a')], keeps],
  ])('%s: %i states', (_, states, topology, protocol, commands, search) => {
    const found = searched(topology, protocol, commands, search);
    expect([found.verdict, found.states]).toEqual(['valid', states]);
  });
});

describe('without one of its rules a promise breaks', () => {
  const cold = [ask('a'), ask('b')] as const;
  test.each<[string, string, Topology, typeof locks, Commands, Search]>([
    [
      'an arriving node founds before it has received messages of the present ones',
      'undisturbed',
      strangers,
      oneArrives,
      [ask('a'), bootstrap('b'), join('a', 'b')],
      keeps,
    ],
    [
      'the present nodes are not enough',
      'service',
      two,
      mutant({ guards: { mayBegin: ({ context: { reports } }) => reports.length === 2 } }),
      [ask('b'), cut('a', 'b')],
      { hold: 1 },
    ],
    [
      'two nodes found separate clusters',
      'one user',
      strangers,
      bothArrive,
      [...cold, bootstrap('a'), bootstrap('b')],
      { hold: null, properties: [oneUser] },
    ],
  ])('%s: %s', (_, property, topology, protocol, commands, search) => {
    const found = searched(topology, protocol, commands, { ...search, only: property });
    expect([found.verdict, found.counterexample?.property]).toEqual(['invalid', property]);
  });
});
