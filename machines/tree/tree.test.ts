/** The tree of spec part 3: the tree that a node computes from its entries, and the breadth-first tree as the final state of heartbeats. */
import { expect, test } from 'vitest';
import { createMetric } from '../../network/topology/metric.js';
import { childrenOf, ownEntry, type TreeEntry } from './bfs.js';
import { breadthFirst } from './breadth-first.js';

const entry = (id: number, root: number, dist: number, par: number | null = null): TreeEntry => ({ id, root, dist, par });
const own = (received: Record<string, TreeEntry | null>) => ownEntry({ identity: 5, limit: 8, received });

test('the order is: least root, least distance, parent of the smaller identity', () => {
  expect(own({ a: entry(3, 1, 4), b: entry(4, 0, 6) })).toMatchObject({ root: 0, dist: 7, via: 'b' });
  expect(own({ a: entry(4, 0, 3), b: entry(3, 0, 2) })).toMatchObject({ root: 0, dist: 3, via: 'b' });
  expect(own({ a: entry(4, 0, 2), b: entry(3, 0, 2) })).toMatchObject({ dist: 3, par: 3, via: 'b' });
});

test('a node is its own root if other identities are larger or unknown', () => {
  expect(own({ a: entry(6, 6, 0), b: entry(7, 5, 0), c: null })).toEqual({ id: 5, root: 5, dist: 0, par: null, via: null });
});

test('distances at the limit, negative or broken do not count', () => {
  for (const dist of [7, -1, 1.5]) expect(own({ a: entry(3, 0, dist) }).root).toBe(5);
});

test('children report this node as parent, with the same root, one step further', () => {
  const received = {
    parent: entry(1, 0, 0),
    child: entry(8, 0, 2, 5),
    first: entry(6, 0, 2, 5),
    deeper: entry(9, 0, 3, 5),
    elsewhere: entry(10, 0, 2, 4),
    otherRoot: entry(11, 3, 2, 5),
  };
  expect(childrenOf({ identity: 5, limit: 8, received })).toEqual(['first', 'child']);
});

test('the initial tree of a run is a fixed point: heartbeats would not change', () => {
  const nodes = Array.from({ length: 30 }, (_, i) => `n${i}`);
  const links = nodes
    .flatMap((node, i) => [7, 11].map((step) => [node, nodes[(i * step + 3) % 30]!, 1] as const))
    .filter(([a, b]) => a !== b);
  const graph = createMetric({
    nodes,
    links: [...new Map(links.map((link) => [[link[0], link[1]].sort().join(), link])).values()],
  });
  const { entries, neighbors, parents } = breadthFirst('n4', graph);
  for (const node of nodes) {
    const received = Object.fromEntries(neighbors[node]!.map((peer) => [peer, entries[peer]!]));
    const { via, ...reported } = ownEntry({ identity: entries[node]!.id, limit: 30, received });
    expect(reported).toEqual(entries[node]);
    expect(via ?? node).toBe(parents[node]);
  }
});
