/** The two forms of the controller's properties on very many damaged configurations. */
import { expect, test } from 'vitest';
import { compareControllers } from './totals.fixtures.js';

test('100,000 damaged configurations without a difference', () => {
  expect(compareControllers(100_000, 2).comparisons).toBeGreaterThanOrEqual(100_000);
});
