import { expect, test } from 'vitest';
import { distanceInto } from './sight.js';

test.each([
  ['within', [20, 30], 0],
  ['before it', [-5, 5], -15],
  ['after it', [105, 115], 15],
  ['larger, after its beginning', [30, 300], 20],
  ['larger, before its beginning', [0, 300], -10],
] as const)('what is to be seen from 10 to 100 and lies %s', (_, place, distance) => {
  expect(distanceInto(place, [10, 100])).toBe(distance);
});
