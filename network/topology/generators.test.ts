import fc from 'fast-check';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { Random } from '../random.js';
import { createTopology } from './index.js';
import { createMetric } from './metric.js';
import { closePairs } from './random-graphs.js';

const of = (spec: Record<string, unknown>) => createTopology(spec);
const pairs = (spec: Record<string, unknown>) =>
  of(spec)
    .links.map(([u, v]) => `${u.slice(1)}-${v.slice(1)}`)
    .join(' ');
const degrees = (spec: Record<string, unknown>) => {
  const { nodes, links } = of(spec);
  return nodes.map((node) => links.filter(([u, v]) => u === node || v === node).length);
};

describe('regular topologies: nodes n0 to n(k-1), links in a stated order', () => {
  test.each([
    [{ kind: 'path', n: 4 }, '0-1 1-2 2-3'],
    [{ kind: 'path', n: 1 }, ''],
    [{ kind: 'ring', n: 4 }, '0-1 1-2 2-3 3-0'],
    [{ kind: 'star', n: 4 }, '0-1 0-2 0-3'],
    [{ kind: 'grid', rows: 2, columns: 3 }, '0-1 0-3 1-2 1-4 2-5 3-4 4-5'],
    [{ kind: 'grid', rows: 1, columns: 1 }, ''],
    [{ kind: 'torus', rows: 3, columns: 3 }, '0-1 0-3 1-2 1-4 2-0 2-5 3-4 3-6 4-5 4-7 5-3 5-8 6-7 6-0 7-8 7-1 8-6 8-2'],
    [{ kind: 'tree', n: 7 }, '0-1 0-2 1-3 1-4 2-5 2-6'],
    [{ kind: 'tree', n: 6, arity: 3 }, '0-1 0-2 0-3 1-4 1-5'],
    [{ kind: 'complete', n: 4 }, '0-1 0-2 0-3 1-2 1-3 2-3'],
  ])('%o', (spec, links) => {
    expect(pairs(spec)).toBe(links);
    expect(of(spec).links.every(([, , weight]) => weight === 1)).toBe(true);
  });

  test('a torus has degree four everywhere', () => {
    expect(new Set(degrees({ kind: 'torus', rows: 4, columns: 5 }))).toEqual(new Set([4]));
  });

  test('weights go to the links in their order', () => {
    expect(of({ kind: 'ring', n: 3, weights: [1, 2.5, 0] }).links).toEqual([
      ['n0', 'n1', 1],
      ['n1', 'n2', 2.5],
      ['n2', 'n0', 0],
    ]);
  });
});

describe('random topologies', () => {
  test.each([
    { kind: 'geometric', n: 60, radius: 0.25 },
    { kind: 'erdos-renyi', n: 60, p: 0.08 },
  ])('$kind: connected, the same for a seed, another for another seed', (spec) => {
    for (let seed = 1; seed <= 20; seed++) {
      const topology = of({ ...spec, seed });
      expect(createMetric(topology).isConnected()).toBe(true);
      expect(of({ ...spec, seed })).toEqual(topology);
      expect(of({ ...spec, seed: seed + 1 })).not.toEqual(topology);
    }
    expect(of(spec)).toEqual(of({ ...spec, seed: 1 }));
  });

  test('erdos-renyi has about p of all pairs', () => {
    const { links } = of({ kind: 'erdos-renyi', n: 400, p: 0.1 });
    const mean = 0.1 * ((400 * 399) / 2);
    expect(Math.abs(links.length - mean)).toBeLessThan(4 * Math.sqrt(mean * 0.9));
  });

  test('geometric links exactly the pairs within the radius, in order, as brute force', () => {
    const coordinate = fc.integer({ min: 0, max: 999 }).map((x) => x / 1000);
    const points = fc.array(fc.tuple(coordinate, coordinate), { maxLength: 60, size: 'max' });
    fc.assert(
      fc.property(
        points,
        fc.integer({ min: 1, max: 1500 }).map((x) => x / 1000),
        (all, radius) => {
          const expected = all.flatMap(([x, y], i) =>
            all.flatMap(([a, b], j) => (j > i && (a - x) ** 2 + (b - y) ** 2 <= radius ** 2 ? [[i, j]] : [])),
          );
          expect(closePairs(all, radius)).toEqual(expected);
        },
      ),
      { numRuns: 300 },
    );
  });

  test('a graph that is hardly ever connected is rejected and not drawn forever', () => {
    expect(() => of({ kind: 'erdos-renyi', n: 50, p: 0.01 })).toThrow(
      /none of 100 random graphs is connected. Raise p, or set another seed in the topology/,
    );
    expect(() => of({ kind: 'geometric', n: 50, radius: 0.01 })).toThrow(/none of 100 random graphs is connected. Raise radius/);
    // A draw ends with the first node that no link reaches.
    const chance = vi.spyOn(Random.prototype, 'chance');
    onTestFinished(() => chance.mockRestore());
    expect(() => of({ kind: 'erdos-renyi', n: 10_000, p: 1e-5 })).toThrow(/none of 3 random graphs/);
    expect(chance.mock.calls.length).toBeLessThan(1_000_000);
  });

  test('10,000 random geometric nodes', () => {
    const { nodes, links } = of({ kind: 'geometric', n: 10_000, radius: 0.02 });
    expect(nodes).toHaveLength(10_000);
    // Expected n^2 pi r^2 / 2, a little fewer at the border.
    expect(links.length).toBeGreaterThan(58_000);
    expect(links.length).toBeLessThan(63_500);
  });
});

describe('rejected, each with its place', () => {
  test.each([
    [{ kind: 'rung', n: 3 }, 'topology.kind is "rung", which is unknown. Did you mean "ring"?'],
    [{ kind: 'constructor', n: 3 }, 'topology.kind is "constructor", which is unknown'],
    [{ kind: 'ring', n: 2 }, 'topology.n must be an integer, 3 to 1000000, but is 2'],
    [{ kind: 'ring', n: 2.5 }, 'topology.n must be an integer, 3 to 1000000, but is 2.5'],
    [{ kind: 'ring' }, 'topology.n is missing'],
    [{ kind: 'ring', n: 4, m: 1 }, 'topology.m is an unknown key. Known: kind, n, weights'],
    [{ kind: 'ring', n: 4, seed: 1 }, 'topology.seed is an unknown key'],
    [
      { kind: 'ring', n: 3, weights: [1, 2] },
      'topology.weights must list one weight for each link, in their order: 3, and not 2',
    ],
    [{ kind: 'ring', n: 3, weights: [1, 2, -3] }, 'topology.weights[2] must be a weight, 0 to 10000000000000, but is -3'],
    [{ kind: 'path', n: 0 }, 'topology.n must be an integer, 1 to 1000000, but is 0'],
    [{ kind: 'path', n: 1e9 }, 'topology.n must be an integer, 1 to 1000000, but is 1000000000'],
    [{ kind: 'grid', rows: 10_000, columns: 10_000 }, 'topology has 100000000 nodes. The limit is 1000000.'],
    [{ kind: 'complete', n: 100_000 }, 'topology of kind complete has too many links for one computer. Lower n.'],
    [{ kind: 'erdos-renyi', n: 100_000, p: 1e-3 }, 'topology of kind erdos-renyi has too many links for one computer. Lower n.'],
    [{ kind: 'geometric', n: 100_000, radius: 1 }, 'topology of kind geometric has too many links for one computer. Lower n.'],
    [{ kind: 'geometric', n: 5, radius: 0 }, 'topology.radius must be a number'],
    [{ kind: 'erdos-renyi', n: 5, p: 1.1 }, 'topology.p must be a chance, 0 to 1, but is 1.1'],
    [
      { kind: 'churn', n: 2, birth: 1, death: 0, steps: 11, every: 1e12 },
      'topology of kind churn continues beyond tick 10000000000000. Lower every or steps.',
    ],
    [{ kind: 'abilene', n: 5 }, 'topology.n is an unknown key. Known: kind'],
  ])('%o', (spec, complaint) => {
    expect(() => of(spec)).toThrow(complaint);
  });
});
