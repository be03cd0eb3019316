/** The rows of the table that take too long for `quiver paper`: sizes 256 and 1024, up to ten million messages each. */
import { describe, expect, test } from 'vitest';
import { agrees } from '../experiment.js';
import { expectedTable } from './expected.js';
import { cellOf, isQuick, KINDS } from './index.js';

/** The naive controller's hundred million messages say no more than its mean depth does. */
const long = expectedTable.flatMap((row) =>
  KINDS.filter((kind) => !isQuick(row, kind) && row[kind] <= 100).map((kind) => ({ ...row, row, kind })),
);

describe('messages per permit, M = 100,000', () => {
  test.each(long)('$tree of $n, W = M/$share, $kind', ({ row, kind }) => {
    const { cell } = cellOf(row, kind);
    expect(agrees(cell), `${cell.value} against ${cell.expected}`).toBe(true);
  });
});
