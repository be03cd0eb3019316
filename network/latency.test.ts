import { expect, test } from 'vitest';
import { createLatency, longestLatency, roundTripOf, type LatencySpec } from './latency.js';
import { Random } from './random.js';

const sample = (spec: LatencySpec, count = 20_000, cost = 7) => {
  const latency = createLatency(spec);
  const random = new Random(1, 'latency');
  return Array.from({ length: count }, () => latency(random, cost));
};

const mean = (xs: readonly number[]) => xs.reduce((sum, x) => sum + x, 0) / xs.length;

test('a constant is that constant, "weight" is the length of the path', () => {
  expect(new Set(sample(3))).toEqual(new Set([3]));
  expect(new Set(sample('weight', 10, 2.5))).toEqual(new Set([2.5]));
});

test('uniform takes every whole number between its bounds, inclusive, equally often', () => {
  const xs = sample({ min: 2, max: 6 });
  expect([...new Set(xs)].sort((a, b) => a - b)).toEqual([2, 3, 4, 5, 6]);
  expect(Math.abs(mean(xs) - 4)).toBeLessThan(0.05);
  expect(new Set(sample({ min: 4, max: 4 }))).toEqual(new Set([4]));
});

test('exponential is whole ticks with the given mean', () => {
  const xs = sample({ exponential: 30 }, 100_000);
  expect(xs.every((x) => Number.isInteger(x) && x >= 0)).toBe(true);
  expect(Math.abs(mean(xs) - 30)).toBeLessThan(0.4);
});

test('the longest is the constant, the path, the upper bound, or has no bound', () => {
  expect(longestLatency(3, 7)).toBe(3);
  expect(longestLatency('weight', 7)).toBe(7);
  expect(longestLatency({ min: 2, max: 6 }, 7)).toBe(6);
  expect(longestLatency({ exponential: 30 }, 7)).toBe(Infinity);
});

test('a round trip is there and back over the longest link', () => {
  expect(
    roundTripOf('weight', [
      ['a', 'b', 2],
      ['b', 'c', 5],
      ['c', 'd', 4],
    ]),
  ).toBe(10);
  expect(roundTripOf(3, [['a', 'b', 9]])).toBe(6);
  expect(roundTripOf(3, [])).toBe(0);
});
