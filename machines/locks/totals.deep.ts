/** The two forms of the properties of locks, on very many damaged configurations. */
import { expect, test } from 'vitest';
import { compareLocks } from './totals.fixtures.js';

test('100,000 damaged configurations without a difference', () => {
  expect(compareLocks(100_000, 2).comparisons).toBeGreaterThanOrEqual(100_000);
});
