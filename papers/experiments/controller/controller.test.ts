/** Figures of the controller's experiment that take no time: the others are held against the expected ones whenever it is run. */
import { describe, expect, test } from 'vitest';
import { supervisorDistance } from '../../../machines/controller/bins.js';
import { agrees } from '../experiment.js';
import { judge } from './adaptive.js';
import { measureBits } from './bits.js';
import { stopBalls } from './budgets.js';
import { closedLoop } from './closed-loop.js';
import { expectedTable } from './expected.js';
import { refillsFor } from './hierarchy.js';
import { cellOf, chosenCell } from './index.js';
import { binary, chainShape, meanDepth } from './trees.js';

test.each(expectedTable)('adaptive on a $tree of $n, W = M/$share, is within a tenth of the cheapest', (row) => {
  expect(agrees(chosenCell(row)), `${chosenCell(row).value}`).toBe(true);
});

test('the same with its own run: the others are stopped when they have cost more', () => {
  expect(judge(chainShape(16), 10_000, 1_000)).toMatchObject({ chosen: 'bins', ratio: 1 });
});

describe('messages per permit, M = 100,000', () => {
  const rows = expectedTable.filter(({ tree, n, share }) => tree === 'chain' && n === 16 && share === 2);
  test.each(rows)('$tree of $n, W = M/$share', (row) => {
    for (const kind of ['bins', 'basic'] as const) {
      const { cell } = cellOf(row, kind);
      expect(agrees(cell), `${kind}: ${cell.value} against ${cell.expected}`).toBe(true);
    }
  });
});

test('the naive controller: a round trip of waiting; on a chain, twice the mean depth', () => {
  expect(closedLoop(chainShape(64), 2, { kind: 'naive', M: 128 })).toEqual({ mean: 63, messagesPerPermit: 63 });
  expect(2 * meanDepth(chainShape(64))).toBe(63);
});

test.each([5, 8])('Figure 2: supervisors refill the bins that a permit at depth %i empties', (depth) => {
  const refills = refillsFor(depth);
  expect(refills.length).toBeGreaterThan(2);
  for (const { depth: at, level, by } of refills) expect(at - by).toBe(supervisorDistance(level, at));
});

test('Lemma 4.4.5: a request contains its level, and one at a time waits for each link', () => {
  expect(measureBits(binary(16))).toMatchObject({ levels: 4, perMessage: 2, queuedPerLink: 1 });
});

test('a budget stops an endless protocol, whichever node begins', () => {
  expect(stopBalls('modified', 0, 4, 100)).toMatchObject({ spent: 100 });
});
