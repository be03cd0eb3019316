/** Trees to begin with: each spans its graph, the lightest is the lightest, and low stretch is no higher than that of the others. */
import { expect, test } from 'vitest';
import { createTopology } from '../../network/topology/index.js';
import { isSpanningTree } from '../../machines/forest.js';
import { leastWeight, lowStretch, meanStretch, parentsOf, shortestPaths } from './trees.js';

const { nodes, links } = createTopology({ kind: 'ring', n: 6, weights: [1, 1, 1, 1, 1, 9] });
const ring = { nodes, links };

test('on a ring whose last link is long, the lightest tree leaves that out, and so does the one of low stretch', () => {
  for (const tree of [leastWeight(ring), lowStretch(ring)]) expect(tree.map(([, , weight]) => weight)).toEqual([1, 1, 1, 1, 1]);
  expect(meanStretch(leastWeight(ring), ring)).toBeCloseTo((5 * 1 + 5 / 9) / 6, 9);
});

test('trees span, and have their root where it is asked', () => {
  const { nodes, links } = createTopology({ kind: 'grid', rows: 3, columns: 3 });
  const grid = { nodes, links };
  const trees = [shortestPaths('n0', grid), leastWeight(grid), lowStretch(grid)];
  for (const tree of trees) {
    const pairs = tree.map(([u, v]) => [u, v] as const);
    expect(isSpanningTree(nodes, pairs)).toBe(true);
    expect(parentsOf('n4', { nodes, links: tree })['n4']).toBe('n4');
  }
  const [paths, , low] = trees.map((tree) => meanStretch(tree, grid));
  expect(low).toBeLessThanOrEqual(paths!);
});
