/** Trees to begin with: each spans its graph, the lightest is the lightest, and low stretch is not a higher than that of the others. */
import { expect, test } from 'vitest';
import { parseScenario } from '../../network/scenario/parse.js';
import { createTopology } from '../../network/topology/index.js';
import { createMetric } from '../../network/topology/metric.js';
import { directory } from './index.js';
import { isSpanningTree } from './plain.fixtures.js';
import { startTree, startTrees, stretchOf, type StartTree } from './start-trees.js';

type Shape = Parameters<typeof createTopology>[0];

/** The links of a tree, which its parents are read for. */
function treeOf(kind: StartTree, root: string, shape: Shape) {
  const { nodes, links } = createTopology(shape);
  const parents = startTree(kind, root, createMetric({ nodes, links }));
  return { nodes, links, parents, tree: links.filter(([u, v]) => parents[u] === v || parents[v] === u) };
}

const uneven = { kind: 'ring', n: 6, weights: [1, 1, 1, 1, 1, 9] };

test.each(['lightest', 'lowStretch'] as const)('on a ring whose last link is long, %s leaves that out', (kind) => {
  const { tree, links } = treeOf(kind, 'n0', uneven);
  expect(tree.map(([, , weight]) => weight)).toEqual([1, 1, 1, 1, 1]);
  expect(stretchOf(tree, links)).toBeCloseTo((5 * 1 + 5 / 9) / 6, 9);
});

test.each(startTrees)('%s spans, has its root where it is asked, and is what a scenario begins with', (kind) => {
  const grid = { kind: 'grid', rows: 3, columns: 3 };
  const { nodes, tree, parents } = treeOf(kind, 'n4', grid);
  expect(
    isSpanningTree(
      nodes,
      tree.map(([u, v]) => [u, v] as const),
    ),
  ).toBe(true);
  expect(parents['n4']).toBe('n4');
  const scenario = { protocol: 'directory', topology: grid, options: { root: 'n4', tree: kind } };
  expect(parseScenario(scenario, { directory }).options).toMatchObject({ root: 'n4', parents });
});

test('no exchange of an edge makes low stretch lower, and no other tree is', () => {
  const grid = { kind: 'grid', rows: 3, columns: 3 };
  const { tree, links } = treeOf('lowStretch', 'n0', grid);
  const least = stretchOf(tree, links);
  for (const kind of ['shortest', 'lightest'] as const)
    expect(least).toBeLessThanOrEqual(stretchOf(treeOf(kind, 'n0', grid).tree, links));
  for (const gone of tree) {
    for (const link of links.filter((other) => !tree.includes(other))) {
      const other = [...tree.filter((edge) => edge !== gone), link];
      const spans = isSpanningTree(
        links.flatMap(([u, v]) => [u, v]),
        other.map(([u, v]) => [u, v] as const),
      );
      if (spans) expect(stretchOf(other, links)).toBeGreaterThanOrEqual(least - 1e-9);
    }
  }
});

test('links that weigh nothing count for nothing in it', () => {
  const { tree, links } = treeOf('lowStretch', 'n0', { kind: 'ring', n: 3, weights: [0, 2, 2] });
  expect(stretchOf(tree, links)).toBe(1);
});
