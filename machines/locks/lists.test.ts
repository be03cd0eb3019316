/** Voters with different lists: every interleaving of small systems, and the violations without rule 14. */
import { assign } from 'xstate';
import { describe, expect, test } from 'vitest';
import type { ExploreOptions } from '../../test/explore/explore.js';
import type { NodeId } from '../effects.js';
import type { Property } from '../protocol.js';
import { epochsGuards } from './guards.js';
import { locks } from './index.js';
import { isUnbound, opposedTo } from './lists.js';
import { firstMembership, isMajorityOf, type Membership } from './membership.js';
import { mutant, searchOn, starting } from './systems.fixtures.js';
import { epochsOf, isServing } from './view.js';

/** The lists meet at the link of a and c, which is up from the start: a proposer receives the other list before it begins. */
const line: ExploreOptions['topology'] = {
  nodes: ['a', 'b', 'c', 'x'],
  links: [
    ['a', 'b', 1],
    ['a', 'c', 1],
    ['c', 'x', 1],
  ],
};
/** x is connected with no other node. */
const three: ExploreOptions['topology'] = { nodes: line.nodes, links: line.links.slice(0, 2) };
const ours = ['a', 'b', 'c'];

/** The first of a list leads. */
const given = (lists: Readonly<Record<NodeId, readonly NodeId[]>>, protocol = locks) =>
  starting(
    Object.fromEntries(Object.entries(lists).map(([id, list]) => [id, { membership: firstMembership(list), leader: list[0]! }])),
    protocol,
  );
const twoClusters = { a: ours, b: ours, c: ['c', 'a', 'x'], x: ['c', 'a', 'x'] };
/** c promises, and does not propose. */
const ledByX = { a: ours, b: ours, c: ['x', 'a', 'c'], x: ['x', 'a', 'c'] };
const oneMore = { ...twoClusters, c: ['c', 'a', 'b', 'x'] };

const oneCluster: Property = {
  name: 'one cluster',
  description: 'At most one of two lists that were compared before they were served is served by its majority.',
  kind: 'always',
  holds: (c) => {
    const serving = [...c.nodes.values()].filter(isServing).map((node) => epochsOf(node).context);
    const lists = new Map<string, { readonly nodes: NodeId[]; readonly membership: Membership }>();
    for (const { id, membership } of serving) {
      const key = membership.voters.join();
      lists.set(key, { nodes: [...(lists.get(key)?.nodes ?? []), id], membership });
    }
    return [...lists.values()].filter(({ nodes, membership }) => isMajorityOf(nodes, membership)).length < 2;
  },
};
/** Voters with the list of most voters never end. */
const rightGoOn: Property = {
  name: 'the right go on',
  description: 'Neither a nor b, which have the same list, ends because a third node has another one.',
  kind: 'always',
  holds: (c) => ['a', 'b'].every((id) => epochsOf(c.nodes.get(id)!).value !== 'closed'),
};
const theyServe: Property = {
  name: 'they serve',
  description: 'The nodes with one list that are a majority of it come to serve.',
  kind: 'eventually',
  when: (c, node) => node === 'b' && !isServing(c.nodes.get('b')!),
  holds: (c, node) => node !== 'b' || isServing(c.nodes.get('b')!),
};

const search = (topology: ExploreOptions['topology'], protocol: typeof locks, property: Property) =>
  searchOn(topology, protocol, [] as never, { hold: null, properties: [property], only: property.name });

describe('different lists', () => {
  test.each([
    ['two clusters that share a and c', line, twoClusters, oneCluster],
    ['the same, and c does not propose', line, ledByX, oneCluster],
    ['c is alone with its list', three, twoClusters, oneCluster],
    ['c is alone with its list: a and b go on', three, twoClusters, rightGoOn],
    ['c is alone with its list: a and b serve', three, twoClusters, theyServe],
    ['the list of c has one more: a and b serve', three, oneMore, theyServe],
  ] as const)('%s', (_, topology, lists, property) => {
    expect(search(topology, given(lists), property)).toMatchObject({ verdict: 'valid' });
  });

  const deaf = mutant({ actions: { noteDiffering: assign({}) as never, noteGivenWay: assign({}) as never } });
  const hasty = mutant({ guards: { isOutvoted: epochsGuards.isForeign } as never });
  const stubborn = mutant({ guards: { mayGiveWay: () => false } as never });
  test.each([
    ['who has another list is forgotten', deaf, line, twoClusters, oneCluster],
    ['the same, where c does not propose', deaf, line, ledByX, oneCluster],
    ['who hears another list ends', hasty, three, twoClusters, rightGoOn],
    ['nobody gives way', stubborn, three, twoClusters, theyServe],
  ] as const)('without rule 14, or a part of it, a promise breaks: %s', (_, protocol, topology, lists, property) => {
    const found = search(topology, given(lists, protocol), property);
    expect(found.counterexample?.property).toBe(property.name);
  });

  test('a node that has promised to another, or has served, does not give way', () => {
    const ballot = { epoch: 1, proposer: 'a', members: ['a', 'c'], next: firstMembership(ours) };
    const served = { epoch: 0, members: [], kept: [], membership: ballot.next };
    const isFree = (of: object) => isUnbound({ id: 'a', promised: null, pending: [], served, ...of } as never);
    expect(isFree({})).toBe(true);
    expect(isFree({ promised: ballot })).toBe(true);
    expect(isFree({ id: 'c', promised: ballot })).toBe(false);
    expect(isFree({ id: 'c', pending: [ballot] })).toBe(false);
    expect(isFree({ served: { ...served, epoch: 1 } })).toBe(false);
  });

  test('possible majorities of another list next to an epoch', () => {
    const differing = (node: NodeId, voters: readonly NodeId[], hasGivenWay = false) => ({
      differing: [{ node, membership: firstMembership(voters), hasGivenWay }],
    });
    expect(opposedTo(['a', 'b'], differing('c', ['a', 'c', 'x']))).toEqual(['c']);
    expect(opposedTo(['a', 'b'], differing('c', ['a', 'c', 'x'], true))).toEqual([]);
    expect(opposedTo(['a', 'b'], differing('c', ['a', 'b', 'c', 'd']))).toEqual([]);
    expect(opposedTo(['a', 'b'], differing('d', ['a', 'b', 'd']))).toEqual([]);
  });
});
