/** Rule 11: clients take locks through voters, in every interleaving of small systems and in runs. */
import { describe, expect, test } from 'vitest';
import { locks } from './index.js';
import { oneUser, undisturbedUser } from './properties.js';
import { again, ask, cut, join, searchOn, type Commands, type Search } from './systems.fixtures.js';
import type { ExploreOptions } from '../../test/index.js';

type Topology = ExploreOptions['topology'];
const keeps: Search = { hold: null, properties: [undisturbedUser('x')] };
const clients = { clients: ['x'] };
/** One voter, or two, or three, and x is linked with all of them. */
const among = (voters: readonly string[], linked: readonly string[] = voters): Topology => ({
  nodes: [...voters, 'x'],
  links: [
    ...voters.flatMap((u, i) => voters.slice(i + 1).map((v) => [u, v, 1] as [string, string, number])),
    ...linked.map((v) => [v, 'x', 1] as [string, string, number]),
  ],
});
/** It stops, and whoever was linked with it hears of it. */
const stop = (node: string, peers: readonly string[]) => [
  { do: 'crash', node } as const,
  ...peers.map((peer) => ({ do: 'down', channel: [peer, node] }) as const),
];

describe('every interleaving', () => {
  test.each<[string, number, Topology, Commands, Search]>([
    ['a client asks one voter', 20, among(['a']), [ask('x')], { hold: 1 }],
    ['both ask', 61, among(['a']), [ask('x'), ask('a')], { hold: 1, properties: [oneUser] }],
    [
      'a client of three voters asks, and one of them',
      53,
      among(['a', 'b', 'c']),
      [ask('x'), ask('b')],
      { hold: 1, properties: [oneUser] },
    ],
    ['a client that holds stops', 138, among(['a']), [ask('x'), ask('a'), ...stop('x', ['a'])], { hold: null }],
    ['its link is cut and comes back', 3848, among(['a']), [ask('x'), ask('a'), cut('a', 'x'), join('a', 'x')], { hold: 1 }],
    ['the epoch changes', 98, among(['a', 'b']), [ask('x'), ask('b'), again('a')], { hold: 1, properties: [oneUser] }],
    ['the epoch changes, x holds', 20, among(['a', 'b']), [ask('x'), again('a')], keeps],
  ])('%s: %i states', (_, states, topology, commands, search) => {
    const found = searchOn(topology, locks, commands, { ...search, options: { ...clients, ...search.options } });
    expect([found.verdict, found.states]).toEqual(['valid', states]);
  });
});
