/** The two forms of the promises of local mutual exclusion on very many damaged configurations. */
import { expect, test } from 'vitest';
import { compareExclusions } from './totals.fixtures.js';

test('100,000 damaged configurations without a difference', () => {
  expect(compareExclusions(100_000, 2).comparisons).toBeGreaterThanOrEqual(100_000);
});
