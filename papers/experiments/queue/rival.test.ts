/** One wrong pointer at the root: the rival takes time in the order of the depth, the queue a constant time. */
import { expect, test } from 'vitest';
import { timeOfQueue, timeOfRival } from './rival.js';

test.each([
  [{ kind: 'path', n: 8 }, 7],
  [{ kind: 'path', n: 16 }, 15],
  [{ kind: 'tree', n: 15 }, 3],
])('%j', (topology, depth) => {
  expect(timeOfRival(topology, depth)).toBe(2 * depth + 2);
  // The period of 2R, and a round trip of the observer.
  expect(timeOfQueue(topology, depth)).toBe(3);
});
