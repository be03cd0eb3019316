/** The directory of spec 1.6: the counts of the reference explorer, its invariants and its liveness. */
import { describe, expect, test } from 'vitest';
import { directory } from '../../machines/directory/index.js';
import { everyStart, T2 } from './directory.fixtures.js';
import { longestDrain } from './drain.fixture.js';
import { explore } from './explore.js';

/**
 * The reference explorer has no T2: a request of the idle holder is granted immediately and is not a transition there. T2 leads to no new
 * state, and there is exactly one T2 for every state with an idle holder.
 */
describe('all rooted trees and NewParent choices, unlimited requests, separate releases', () => {
  test.each([
    [2, 16, 24],
    [3, 300, 714],
    [4, 14_208, 49_552],
  ])('n = %i: %i states, %i transitions without T2', (n, states, transitions) => {
    const idleHolders = T2();
    const { properties, ...found } = explore(directory, {
      ...everyStart(n, 1),
      properties: [...everyStart(n, 1).properties, idleHolders.property],
    });
    expect(found).toMatchObject({
      verdict: 'valid',
      states,
      transitions: transitions + idleHolders.count(),
      doomed: 0,
      vacuous: [],
    });
    expect(properties.filter(({ holds }) => holds !== true)).toEqual([]);
  });

  test('n = 4 with release fused: 8,392 states', () => {
    expect(explore(directory, everyStart(4, 0))).toMatchObject({ verdict: 'valid', states: 8392, doomed: 0 });
  });
});

describe('without new requests the system drains', () => {
  test.each([
    [2, 1, 5],
    [3, 1, 9],
    [4, 1, 14],
    [4, 0, 10],
  ] as const)('n = %i, hold %i: after at most %i events', (n, hold, events) => {
    expect(longestDrain(n, hold)).toBe(events);
  });
});
