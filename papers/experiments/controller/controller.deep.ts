/**
 * The rows of the table that take too long for `quiver paper`: sizes 256 and 1024, up to ten million messages each; and `adaptive` judged
 * by runs on all of them. They take an hour of one core; `-t 'of 256'` runs a part.
 */
import { describe, expect, test } from 'vitest';
import { agrees } from '../experiment.js';
import { judge } from './adaptive.js';
import { expectedTable, type ExpectedFigures } from './expected.js';
import { cellOf, isQuick, KINDS, M, shapeOf, wasteOf, type KindOfTable } from './index.js';

const reported = (what: string): void => console.log(what);

describe('messages per permit, M = 100,000', () => {
  /** If every permit comes from the root, a small tree is as good as a large one: twice the mean depth, whatever the kind. */
  const isFromRoot = ({ share }: ExpectedFigures, kind: KindOfTable) => kind === 'naive' || (share === 0 && kind !== 'modified');
  const isWorthIt = (row: ExpectedFigures, kind: KindOfTable) => !isQuick(row, kind) && (!isFromRoot(row, kind) || row.n === 16);
  const long = expectedTable.flatMap((row) =>
    KINDS.filter((kind) => isWorthIt(row, kind)).map((kind) => ({ ...row, row, kind })),
  );
  test.each(long)('$tree of $n, W = M/$share, $kind', ({ tree, n, share, row, kind }) => {
    const { cell } = cellOf(row, kind);
    reported(`${tree} ${n} M/${share} ${kind} ${(cell.value as number).toPrecision(4)}`);
    expect(agrees(cell), `${cell.value} against ${cell.expected}`).toBe(true);
  });
});

describe('adaptive is within a tenth of the cheapest of bins, basic and halving', () => {
  test.each(expectedTable)('$tree of $n, W = M/$share', (row) => {
    const { chosen, cost, ratio } = judge(shapeOf(row), M, wasteOf(row));
    reported(
      `${row.tree} ${row.n} M/${row.share} chooses ${chosen}: ${cost.toPrecision(4)}, ${ratio.toPrecision(4)} of the cheapest`,
    );
    expect(ratio).toBeLessThanOrEqual(1.1);
  });
});
