/** The two forms of the queue's promises on very many damaged configurations. */
import { expect, test } from 'vitest';
import { compareQueues } from './totals.fixtures.js';

test('100,000 damaged configurations without a difference', () => {
  expect(compareQueues(100_000, 2).comparisons).toBeGreaterThanOrEqual(100_000);
});
