/** The election's properties give the same results by totals as by the whole configuration. */
import { expect, test } from 'vitest';
import { compareElections } from './totals.fixtures.js';

test('totals match the specification, for 1,500 damaged configurations', () => {
  const { comparisons, verdicts } = compareElections(1500, 3);
  expect(comparisons).toBeGreaterThanOrEqual(1500);
  expect(verdicts.size).toBe(10);
  for (const [name, [held, refuted]] of verdicts) expect([name, held > 40, refuted > 40]).toEqual([name, true, true]);
});
