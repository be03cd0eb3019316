/** The two forms of the properties of a link, on very many damaged configurations. */
import { expect, test } from 'vitest';
import { compareLinks } from './totals.fixtures.js';

test('100,000 damaged configurations without a difference', () => {
  expect(compareLinks(100_000, 2).comparisons).toBeGreaterThanOrEqual(100_000);
});
