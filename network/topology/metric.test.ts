import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Link, Topology } from '../../machines/protocol.js';
import { createMetric } from './metric.js';

const name = (i: number) => `n${i}`;

/** Any simple graph of up to nine nodes, whole weights, zero among them. */
const anyTopology: fc.Arbitrary<Topology> = fc.integer({ min: 1, max: 9 }).chain((n) => {
  const pairs = Array.from({ length: n }, (_, i) => Array.from({ length: i }, (_, j) => [j, i] as const)).flat();
  return fc.array(fc.option(fc.nat(12)), { minLength: pairs.length, maxLength: pairs.length }).map((weights) => ({
    nodes: Array.from({ length: n }, (_, i) => name(i)),
    links: pairs.flatMap(([i, j], k) => (weights[k] == null ? [] : [[name(i), name(j), weights[k]] as Link])),
  }));
});

/** The dumb oracle. */
function floydWarshall({ nodes, links }: Topology): number[][] {
  const d = nodes.map((_, i) => nodes.map((_, j) => (i === j ? 0 : Infinity)));
  for (const [u, v, w] of links) {
    const [i, j] = [nodes.indexOf(u), nodes.indexOf(v)];
    d[i]![j] = d[j]![i] = w;
  }
  for (let k = 0; k < nodes.length; k++) {
    for (const from of d) for (let j = 0; j < nodes.length; j++) from[j] = Math.min(from[j]!, from[k]! + d[k]![j]!);
  }
  return d;
}

describe('against Floyd-Warshall', () => {
  test('distances, connectedness and diameter, also with memory for two sources only', () => {
    fc.assert(
      fc.property(anyTopology, fc.constantFrom(undefined, 4), (topology, cellsMax) => {
        const metric = createMetric(topology, cellsMax);
        const oracle = floydWarshall(topology);
        const measured = topology.nodes.map((u) => topology.nodes.map((v) => metric.distance(u, v)));
        expect(measured).toEqual(oracle);
        expect(metric.diameter()).toBe(Math.max(...oracle.flat()));
        expect(metric.isConnected()).toBe(!oracle.flat().includes(Infinity));
      }),
      { numRuns: 300 },
    );
  });

  test('a path runs along links and is as long as the distance; none where there is none', () => {
    fc.assert(
      fc.property(anyTopology, (topology) => {
        const metric = createMetric(topology);
        const weights = new Map(
          topology.links.flatMap(([u, v, w]) => [
            [`${u} ${v}`, w],
            [`${v} ${u}`, w],
          ]),
        );
        for (const u of topology.nodes) {
          for (const v of topology.nodes) {
            const path = metric.path(u, v);
            if (!path) {
              expect(metric.distance(u, v)).toBe(Infinity);
              continue;
            }
            expect([path[0], path.at(-1)]).toEqual([u, v]);
            const hops = path.slice(1).map((to, i) => weights.get(`${path[i]} ${to}`) ?? NaN);
            expect(hops.reduce((sum, w) => sum + w, 0)).toBe(metric.distance(u, v));
          }
        }
      }),
    );
  });
});

test('results do not depend on earlier queries, to the last bit', () => {
  const weights = [0.1, 0.7, 0.2, 0.3, 0.6, 0.15];
  const topology = {
    nodes: weights.map((_, i) => name(i)),
    links: weights.slice(1).map((w, i) => [name(i), name(i + 1), w] as const),
  };
  const fresh = createMetric(topology).distance('n0', 'n5');
  const asked = createMetric(topology);
  asked.distance('n5', 'n0');
  asked.path('n5', 'n2');
  expect(asked.distance('n0', 'n5')).toBe(fresh);
});

test('a link longer than its detour is not the shortest path', () => {
  const metric = createMetric({
    nodes: ['a', 'b', 'c'],
    links: [
      ['a', 'b', 5],
      ['b', 'c', 2],
      ['a', 'c', 2],
    ],
  });
  expect(metric.distance('a', 'b')).toBe(4);
  expect(metric.path('a', 'b')).toEqual(['a', 'c', 'b']);
});

test('an unknown node is named', () => {
  expect(() => createMetric({ nodes: ['a'], links: [] }).distance('a', 'b')).toThrow('Unknown node "b". Name one of the');
});

describe('at size', () => {
  const n = 100_000;
  const nodes = Array.from({ length: n }, (_, i) => name(i));
  const ring = { nodes, links: nodes.map((u, i) => [u, nodes[(i + 1) % n]!, 1] as Link) };

  // With a search for each, at some 50 ms, the neighbors alone would take more than an hour.
  test('100,000 nodes: requests of neighbors need no search, one source needs one', { timeout: 20_000 }, () => {
    const metric = createMetric(ring);
    for (let i = 0; i < n; i++) if (metric.distance(name(i), name((i + 1) % n)) !== 1) expect.unreachable(name(i));
    for (let i = 0; i < n; i++) if (metric.distance('n0', name(i)) !== Math.min(i, n - i)) expect.unreachable(name(i));
  });
});
