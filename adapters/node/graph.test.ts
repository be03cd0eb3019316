import fc from 'fast-check';
import { expect, test } from 'vitest';
import { directoryCore } from '../../machines/directory/index.js';
import { locksCore } from '../../machines/locks/index.js';
import type { Link } from '../../machines/protocol.js';
import { createMetric } from '../../network/topology/metric.js';
import { networkGraphOf, unlinkedGraph } from './graph.js';

const lengths = fc.oneof(fc.nat(12), fc.double({ min: 0, max: 1, noNaN: true }));

/** Simple graphs of up to seven nodes, whole and broken lengths, zero among them. */
const topologies = fc.integer({ min: 1, max: 7 }).chain((n) => {
  const nodes = Array.from({ length: n }, (_, i) => `n${i}`);
  const pairs = nodes.flatMap((u, i) => nodes.slice(i + 1).map((v) => [u, v] as const));
  return fc
    .array(fc.option(lengths), { minLength: pairs.length, maxLength: pairs.length })
    .map((all) => ({ nodes, links: pairs.flatMap(([u, v], i) => (all[i] == null ? [] : [[u, v, all[i]] as Link])) }));
});

test('distances and ranks are those of a simulation, to the last bit', () => {
  fc.assert(
    fc.property(topologies, (topology) => {
      const graph = networkGraphOf(directoryCore, topology);
      const metric = createMetric(topology);
      for (const u of topology.nodes) {
        expect(graph.rank(u)).toBe(metric.rank(u));
        for (const v of topology.nodes) expect(graph.distance(u, v), `${u} ${v}`).toBe(metric.distance(u, v));
      }
    }),
    { numRuns: 100 },
  );
});

test('an unlisted node has neither a rank nor links nor distances', () => {
  expect(networkGraphOf(directoryCore, { nodes: ['a'], links: [] }).rank('b')).toBe(-1);
  const refused = 'node "b" is not in the topology. Name one of its 1 nodes';
  const alone = (links: readonly Link[] = []) => networkGraphOf(directoryCore, { nodes: ['a'], links });
  expect(() => alone([['a', 'b', 1]])).toThrow(refused);
  expect(() => alone([['b', 'a', 1]])).toThrow(refused);
  expect(() => alone().distance('a', 'b')).toThrow(refused);
  expect(() => alone().distance('b', 'a')).toThrow(refused);
});

test('in an open protocol all valid ids have the same rank, listed or not', () => {
  const topology = { nodes: ['a', 'b'], links: [] };
  for (const { rank, distance, ...graph } of [networkGraphOf(locksCore, topology), unlinkedGraph(topology.nodes)]) {
    expect(graph).toEqual({ topology });
    expect(['a', 'b', 'c', ''].map(rank)).toEqual([0, 0, 0, -1]);
    expect([distance('a', 'a'), distance('a', 'b')]).toEqual([0, Infinity]);
  }
});
