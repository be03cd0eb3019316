import { describe, expect, test } from 'vitest';
import { communitiesOf, gathered, sideAt } from './communities.js';

/** A grid of nodes, 90 apart. */
const grid = (columns: number, rows: number) => ({
  xs: Float64Array.from({ length: columns * rows }, (_, i) => 90 * (i % columns)),
  ys: Float64Array.from({ length: columns * rows }, (_, i) => 90 * Math.floor(i / columns)),
});
const one = () => '';

describe('communities', () => {
  const positions = grid(40, 25);

  test('each node is in exactly one, and no two circles overlap', () => {
    for (const scale of [0.05, 0.1, 0.2, 0.39]) {
      const communities = communitiesOf(positions, sideAt(scale, 1000)!, one);
      expect(communities.flatMap(({ nodes }) => nodes).sort((a, b) => a - b)).toEqual([...positions.xs.keys()]);
      for (const [i, a] of communities.entries())
        for (const b of communities.slice(i + 1))
          expect(Math.hypot(a.x - b.x, a.y - b.y)).toBeGreaterThanOrEqual(0.99 * (a.radius + b.radius));
    }
  });

  test('there are more at a larger scale, and none where nodes are readable or few', () => {
    const count = (scale: number) => communitiesOf(positions, sideAt(scale, 1000)!, one).length;
    expect(count(0.05)).toBeLessThan(count(0.1));
    expect(count(0.1)).toBeLessThan(count(0.2));
    expect(count(0.2)).toBeLessThan(100);
    expect(sideAt(0.4, 1000)).toBeNull();
    expect(sideAt(0.1, 200)).toBeNull();
  });

  test('nodes of different groups stay apart', () => {
    const parity = (node: number) => String(node % 2);
    for (const { nodes } of communitiesOf(positions, sideAt(0.1, 1000)!, parity)) expect(new Set(nodes.map(parity)).size).toBe(1);
  });

  test('nodes are in the middle of their community', () => {
    const communities = communitiesOf(positions, sideAt(0.1, 1000)!, one);
    const { xs, ys } = gathered(positions, communities);
    for (const { nodes, x, y } of communities) for (const node of nodes) expect([xs[node], ys[node]]).toEqual([x, y]);
  });
});
