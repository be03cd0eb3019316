/** A fast part of `quiver paper queue`; the whole, with 200 seeds, is the deep test. */
import { expect, test } from 'vitest';
import { fixedTree, layered, messagesAtRest } from './run.js';

test('tau = 2R: the figures of 15 nodes, below the bound of 5R', () => {
  const random = fixedTree('binary', 15, 'random', 2, 40);
  const longest = fixedTree('path', 15, 'longest', 2, 40);
  expect(Math.max(random.max, longest.max)).toBeLessThanOrEqual(5);
  expect(Math.abs(random.mean / 3.248 - 1)).toBeLessThan(0.05);
  expect(Math.abs(longest.mean / 4.081 - 1)).toBeLessThan(0.05);
});

test.each([3, 4, 6])('tau = %iR: below 3R + tau, and not below tau', (tau) => {
  const { max } = fixedTree('binary', 15, 'longest', tau, 10);
  expect(max).toBeLessThanOrEqual(3 + tau);
  expect(max).toBeGreaterThan(tau);
});

test('on the stabilizing tree: a few R after the last change of the tree', () => {
  expect(layered({ kind: 'ring', n: 8 }, 24, 5)).toBeLessThanOrEqual(5);
});

test.each([2, 3, 4, 6])('tau = %iR: an edge at rest carries two messages for each period', (tau) => {
  expect(messagesAtRest('binary', 15, tau)).toBe(2 / tau);
});
