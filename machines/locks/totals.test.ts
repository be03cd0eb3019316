/** The properties of locks have the same results by totals as on the whole configuration. */
import { expect, test } from 'vitest';
import { compareLocks } from './totals.fixtures.js';

test('totals judge 1,500 damaged configurations like the whole configuration', () => {
  const { comparisons, verdicts } = compareLocks(1500, 3);
  expect(comparisons).toBeGreaterThanOrEqual(1500);
  expect(verdicts.size).toBe(7);
  for (const [name, [held, refuted]] of verdicts) expect([name, held > 40, refuted > 40]).toEqual([name, true, true]);
});
