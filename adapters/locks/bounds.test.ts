/** Grants in a loop; in bounds.deep.ts so many that their epoch runs out of numbers. */
import { expect, test } from 'vitest';
import { grantsAtFollower } from './grants.fixture.js';

test('five hundred grants in a loop at a follower: fences are unique, and grow', async () => {
  const fences = await grantsAtFollower(500);
  expect(fences.findIndex((fence, i) => i > 0 && fence <= fences[i - 1]!)).toBe(-1);
});
