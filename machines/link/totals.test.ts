/** The properties of a link have the same results by totals as on the whole configuration. */
import { expect, test } from 'vitest';
import { compareLinks } from './totals.fixtures.js';

test('totals judge 1,500 damaged configurations like the whole configuration', () => {
  const { comparisons, verdicts } = compareLinks(1500, 3);
  expect(comparisons).toBeGreaterThanOrEqual(1500);
  expect(verdicts.size).toBe(5);
  for (const [name, [held, refuted]] of verdicts) expect([name, held > 40, refuted > 40]).toEqual([name, true, true]);
});
