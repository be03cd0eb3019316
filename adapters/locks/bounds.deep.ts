/** The limits of an epoch, reached: the fences of its grants. */
import { expect, test } from 'vitest';
import { grantsAtFollower } from './grants.fixture.js';

test('8,500 grants in a loop at a follower: fences are unique, grow and stay bounded', async () => {
  const fences = await grantsAtFollower(8_500);
  expect(fences.findIndex((fence, i) => i > 0 && fence <= fences[i - 1]!)).toBe(-1);
});
