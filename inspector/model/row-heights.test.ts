import { describe, expect, test } from 'vitest';
import { RowHeights } from './row-heights.js';

/** Ten rows of 20 pixels; row 2 is measured at 50 and row 5 at 30. */
function measured(): RowHeights {
  const heights = new RowHeights(20, 10_000);
  expect(heights.measured(2, [50, 20, 20, 30])).toBe(true);
  return heights;
}

describe('rows of different heights', () => {
  test('places are sums of the heights above', () => {
    const heights = measured();
    expect([0, 2, 3, 5, 6, 10].map((row) => heights.placeOf(row, 10))).toEqual([0, 40, 90, 130, 160, 240]);
    expect(heights.between(2, 6)).toBe(120);
  });

  test('each pixel belongs to the row that covers it', () => {
    const heights = measured();
    for (let row = 0; row < 10; row++)
      for (const place of [heights.placeOf(row, 10), heights.placeOf(row + 1, 10) - 1])
        expect(heights.rowAt(place, 10)).toBe(row);
  });

  test('the same heights again are not new, and a row can shrink', () => {
    const heights = measured();
    expect(heights.measured(2, [50, 20, 20, 30])).toBe(false);
    expect(heights.measured(2, [20])).toBe(true);
    expect(heights.placeOf(10, 10)).toBe(210);
  });
});

test('a compressed list has rows of their real heights', () => {
  const heights = new RowHeights(20, 10_000);
  expect(heights.placeOf(1_000_000, 1_000_000)).toBe(10_000);
  expect(heights.rowAt(5000, 1_000_000)).toBe(500_000);
  expect(heights.between(7, 9)).toBe(40);
});

test('only the rows that were measured last are known', () => {
  const heights = new RowHeights(20, 1_000_000);
  heights.measured(
    0,
    Array.from({ length: 3000 }, () => 21),
  );
  expect(heights.placeOf(3000, 3000)).toBe(62_000);
  expect(heights.placeOf(1000, 3000)).toBe(20_000);
});
