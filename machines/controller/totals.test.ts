/** The controller's properties say the same by their totals as of the whole configuration. */
import { expect, test } from 'vitest';
import { compareControllers } from './totals.fixtures.js';

test('totals say what the specification says, of 5,000 damaged configurations', () => {
  const { looks, verdicts } = compareControllers(5000, 3);
  expect(looks).toBeGreaterThanOrEqual(5000);
  expect(verdicts.size).toBe(25);
  for (const [name, [held, refuted]] of verdicts) expect([name, held > 100, refuted > 0]).toEqual([name, true, true]);
});
