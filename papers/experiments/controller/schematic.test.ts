/** Figure 1: a request climbs link by link, and the refill stays in the bins on its way. */
import { expect, test } from 'vitest';
import { binsAt } from './schematic.js';

test('the request of node 2 goes to the root, and no permit is lost', () => {
  const ways = [0, 1].map((at) => binsAt(at).flights.map(({ from, to, message }) => `${message.type} ${from} ${to}`));
  expect(ways).toEqual([['request n2 n1'], ['request n1 n0']]);
  const { bins, flights } = binsAt(9);
  expect(flights).toEqual([]);
  // One of the 60 permits is used.
  expect(bins.reduce((sum, { local, global }) => sum + local + global, 0)).toBe(59);
});
