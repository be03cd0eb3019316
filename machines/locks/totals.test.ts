/** The promises of locks say the same by their totals as of the whole configuration. */
import { expect, test } from 'vitest';
import { compareLocks } from './totals.fixtures.js';

test('totals say what is promised, of 1,500 damaged configurations', () => {
  const { looks, verdicts } = compareLocks(1500, 3);
  expect(looks).toBeGreaterThanOrEqual(1500);
  expect(verdicts.size).toBe(7);
  for (const [name, [held, refuted]] of verdicts) expect([name, held > 40, refuted > 40]).toEqual([name, true, true]);
});
