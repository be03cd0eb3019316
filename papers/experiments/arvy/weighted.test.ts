/** Theorem 7: exact ratios on rings with weights, where Arrow exceeds the bound. */
import { expect, test } from 'vitest';
import { agrees } from '../experiment.js';
import { weightedTable, worstOn } from './weighted.js';

test('four nodes with two long edges are as bad as the ring of unit edges', () => {
  expect(worstOn([3, 1, 3, 1], 'bridge')).toBeCloseTo(34 / 10, 9);
  expect(worstOn([31, 1, 31, 1], 'bridge')).toBeCloseTo(314 / 66, 9);
});

test('every ring of the table stays below 5', () => {
  expect(weightedTable().rows.map(({ cells }) => agrees(cells[0]!))).toEqual(Array.from({ length: 10 }, () => true));
});

test('Arrow pays the length of the ring without its gap', () => {
  expect(worstOn([3, 1, 3, 1], 'arrow')).toBe(7);
  expect(worstOn([5, 2, 4, 3, 1], 'arrow')).toBe(14);
});
