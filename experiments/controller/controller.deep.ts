/**
 * The rows of the table that take too long for `quiver paper`: sizes 256 and 1024, up to ten million messages each; and `adaptive`
 * judged by runs of our own on all of them. Half an hour of one core; `-t 'chain of 1024'` and the like run a part.
 */
import { describe, expect, test } from 'vitest';
import { agrees } from '../experiment.js';
import { judge } from './adaptive.js';
import { expectedTable } from './expected.js';
import { cellOf, isQuick, KINDS, M, shapeOf, wasteOf } from './index.js';

const said = (what: string): void => console.log(what);

describe('messages per permit, M = 100,000', () => {
  /** The naive controller's hundred million messages say no more than its mean depth does. */
  const long = expectedTable.flatMap((row) =>
    KINDS.filter((kind) => !isQuick(row, kind) && row[kind] <= 100).map((kind) => ({ ...row, row, kind })),
  );
  test.each(long)('$tree of $n, W = M/$share, $kind', ({ tree, n, share, row, kind }) => {
    const { cell } = cellOf(row, kind);
    said(`${tree} ${n} M/${share} ${kind} ${(cell.value as number).toPrecision(4)}`);
    expect(agrees(cell), `${cell.value} against ${cell.expected}`).toBe(true);
  });
});

describe('adaptive is within a tenth of the cheapest of bins, basic and halving', () => {
  test.each(expectedTable)('$tree of $n, W = M/$share', (row) => {
    const { chosen, cost, ratio } = judge(shapeOf(row), M, wasteOf(row));
    said(
      `${row.tree} ${row.n} M/${row.share} chooses ${chosen}: ${cost.toPrecision(4)}, ${ratio.toPrecision(4)} of the cheapest`,
    );
    expect(ratio).toBeLessThanOrEqual(1.1);
  });
});
