/** The queue's promises say the same by their totals as of the whole configuration. */
import { expect, test } from 'vitest';
import { compareQueues } from './totals.fixtures.js';

test('totals say what the specification says, of 5,000 damaged configurations', () => {
  const { looks, verdicts } = compareQueues(5000, 3);
  expect(looks).toBeGreaterThanOrEqual(5000);
  expect(verdicts.size).toBe(3);
  for (const [name, [held, refuted]] of verdicts) expect([name, held > 100, refuted > 100]).toEqual([name, true, true]);
});
