/** The two forms of the directory's properties on very many damaged configurations. */
import { expect, test } from 'vitest';
import { compareDirectories } from './totals.fixtures.js';

test('160,000 damaged configurations without a difference', () => {
  expect(compareDirectories(20_000, 2).comparisons).toBe(160_000);
});
