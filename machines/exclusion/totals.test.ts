/** The properties of local mutual exclusion give the same results by totals as by the whole configuration. */
import { expect, test } from 'vitest';
import { compareExclusions } from './totals.fixtures.js';

test('totals match the specification, for 5,000 damaged configurations', () => {
  const { comparisons, verdicts } = compareExclusions(5000, 3);
  expect(comparisons).toBeGreaterThanOrEqual(5000);
  expect(verdicts.size).toBe(8);
  for (const [name, [held, refuted]] of verdicts) expect([name, held > 100, refuted > 100]).toEqual([name, true, true]);
});
