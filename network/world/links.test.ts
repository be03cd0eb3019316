/** Each direction of a link has its own status, and between ports a link takes one at each end. */
import { describe, expect, test } from 'vitest';
import { Links, lowestFreePort } from './links.js';

const NODES = ['a', 'b', 'c'];
const path = () =>
  new Links({
    nodes: NODES,
    links: [
      ['a', 'b', 2],
      ['b', 'c', 3],
    ],
  });
const withPorts = () =>
  new Links(
    {
      nodes: NODES,
      links: [
        ['a', 'b', 1],
        ['b', 'c', 1],
      ],
    },
    [
      ['a', 1, 'b', 2],
      ['b', 1, 'c', 3],
    ],
  );

/** Later notifications of a follower, without the initial ones. */
function notificationsOf(links: Links): string[] {
  const received: string[] = [];
  links.follow((from, to) => received.push(`${from}${to}`));
  received.length = 0;
  return received;
}

describe('links that are up', () => {
  test('both directions of every link of the topology, with its weight', () => {
    const links = path();
    expect([links.up('a', 'b'), links.up('b', 'a'), links.up('a', 'c')]).toEqual([true, true, false]);
    expect([links.weight('a', 'b'), links.weight('c', 'b')]).toEqual([2, 3]);
    expect(links.neighbors('b')).toEqual(['a', 'c']);
  });

  test('an unknown node has no links, and an undefined link has weight 1', () => {
    const links = path();
    expect([links.up('x', 'a'), links.neighbors('x'), links.port('x', 'a')]).toEqual([false, [], 0]);
    expect([links.weight('x', 'a'), links.weight('a', 'c'), links.port('a', 'c')]).toEqual([1, 1, 0]);
    expect(links.peerAt('x', 1)).toBeUndefined();
  });

  test('one direction changes without the other; a change without effect is reported', () => {
    const links = path();
    const received = notificationsOf(links);
    expect(links.set('a', 'b', false)).toBe(true);
    expect(links.set('a', 'b', false)).toBe(false);
    expect([links.up('a', 'b'), links.up('b', 'a')]).toEqual([false, true]);
    expect([links.neighbors('a'), links.neighbors('b')]).toEqual([[], ['a', 'c']]);
    expect(links.set('a', 'b', true)).toBe(true);
    expect([links.weight('a', 'b'), received]).toEqual([2, ['ab', 'ab']]);
  });

  test('an unknown link is down, and comes up with weight 1 and no port', () => {
    const links = path();
    expect(links.set('a', 'c', false)).toBe(false);
    expect(links.set('a', 'c', true)).toBe(true);
    expect([links.up('a', 'c'), links.up('c', 'a'), links.weight('a', 'c'), links.port('a', 'c')]).toEqual([true, false, 1, 0]);
  });

  test('a new node is linked both ways to its sponsor, with weight 1', () => {
    const links = path();
    const received = notificationsOf(links);
    links.addNode('d', 'c');
    expect([links.neighbors('d'), links.neighbors('c'), links.weight('d', 'c')]).toEqual([['c'], ['b', 'd'], 1]);
    expect(received).toEqual(['dc', 'cd']);
  });
});

describe('ports', () => {
  test('are those of the topology, each end with its own', () => {
    const links = withPorts();
    expect([links.port('a', 'b'), links.port('b', 'a'), links.port('b', 'c'), links.port('c', 'b')]).toEqual([1, 2, 1, 3]);
    expect([links.peerAt('b', 0), links.peerAt('b', 1), links.peerAt('b', 2), links.peerAt('b', 3)]).toEqual([
      'b',
      'c',
      'a',
      undefined,
    ]);
  });

  test('a port whose channel is down leads to no node', () => {
    const links = withPorts();
    links.set('b', 'c', false);
    expect(links.peerAt('b', 1)).toBeUndefined();
  });

  test('the lowest that is free', () => {
    expect(lowestFreePort((port) => [1, 2, 4].includes(port))).toBe(3);
    expect(lowestFreePort(() => false)).toBe(1);
  });

  test('a join takes the lowest free port at each end, before it comes up', () => {
    const links = withPorts();
    const received = notificationsOf(links);
    links.prepareJoin('c', 'a', 7, undefined, true);
    expect([links.port('c', 'a'), links.port('a', 'c'), links.weight('a', 'c'), links.weight('c', 'a')]).toEqual([1, 2, 7, 7]);
    expect([links.up('c', 'a'), links.up('a', 'c'), received]).toEqual([false, false, ['ca', 'ac']]);
  });

  test('a join takes the requested ports, rejects used ones and suggests the first free', () => {
    const links = withPorts();
    links.prepareJoin('a', 'c', 1, [5, 1], true);
    expect([links.port('a', 'c'), links.port('c', 'a')]).toEqual([5, 1]);
    const other = withPorts();
    expect(() => other.prepareJoin('a', 'c', 1, [1, 1], true)).toThrow('Port 1 of a is in use. Free ports start at 2.');
    expect(() => other.prepareJoin('a', 'c', 1, [2, 3], true)).toThrow('Port 3 of c is in use. Free ports start at 1.');
  });

  test('a join of a link with one direction up keeps its ports, also between names', () => {
    for (const [down, up] of [['ab', 'ba'] as const, ['ba', 'ab'] as const]) {
      const links = withPorts();
      links.set(down[0]!, down[1]!, false);
      links.prepareJoin('a', 'b', 1, [8, 9], true);
      expect([up, links.port('a', 'b'), links.port('b', 'a')]).toEqual([up, 1, 2]);
    }
    const named = path();
    named.prepareJoin('a', 'c', 4, undefined, false);
    expect([named.port('a', 'c'), named.port('c', 'a'), named.up('a', 'c'), named.weight('c', 'a')]).toEqual([0, 0, false, 4]);
  });

  test('a follower is notified of a taken port', () => {
    const links = withPorts();
    const received = notificationsOf(links);
    links.plugIn('a', 'b', 6);
    expect([links.port('a', 'b'), received]).toEqual([6, ['ab']]);
  });
});

test('a weight is that of both directions, and changes none of them', () => {
  const links = path();
  links.set('a', 'b', false);
  links.setWeight('a', 'b', 9);
  expect([links.weight('a', 'b'), links.weight('b', 'a'), links.up('a', 'b'), links.up('b', 'a')]).toEqual([9, 9, false, true]);
});

test('a follower is notified once of all existing channels', () => {
  const received: string[] = [];
  path().follow((from, to) => received.push(`${from}${to}`));
  expect(received).toEqual(['ab', 'ba', 'bc', 'cb']);
});

test('a copy is independent and sends no notifications', () => {
  const links = path();
  const received = notificationsOf(links);
  const copy = links.copy();
  copy.set('a', 'b', false);
  copy.setWeight('b', 'c', 8);
  expect([links.up('a', 'b'), links.weight('b', 'c'), received]).toEqual([true, 3, []]);
  expect([copy.up('a', 'b'), copy.up('b', 'a'), copy.weight('b', 'c')]).toEqual([false, true, 8]);
  const all: string[] = [];
  copy.follow((from, to) => all.push(`${from}${to}`));
  expect(all).toEqual(['ab', 'ba', 'bc', 'cb']);
});

test('under other names the links are the same', () => {
  const links = path();
  links.set('a', 'b', false);
  const image = links.renamed((node) => node.toUpperCase());
  expect([image.up('A', 'B'), image.up('B', 'A'), image.weight('B', 'C'), image.up('b', 'a')]).toEqual([false, true, 3, false]);
});

test('the topology has each link once, also where one direction alone is up', () => {
  const links = path();
  const listed = () => links.topology(NODES).links;
  expect(listed()).toEqual([
    ['a', 'b', 2],
    ['b', 'c', 3],
  ]);
  links.set('a', 'b', false);
  expect(listed()).toEqual([
    ['b', 'a', 2],
    ['b', 'c', 3],
  ]);
  links.set('b', 'a', false);
  expect(listed()).toEqual([['b', 'c', 3]]);
  links.set('a', 'b', true);
  expect(listed()[0]).toEqual(['a', 'b', 2]);
  expect(links.topology(NODES).nodes).toEqual(NODES);
});
