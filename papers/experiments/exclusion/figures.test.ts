/** Figure 1: which neighbors are persistent, and which are locked, in each round. */
import { expect, test } from 'vitest';
import { roundsOfFigure1 } from './figures.js';

test('the lock set contains u and its persistent neighbors, and no severed or new ones', () => {
  const rounds = roundsOfFigure1().map(({ round, persistent, locked }) => [round, persistent.toSorted(), locked.toSorted()]);
  const all = ['u', 'v1', 'v2', 'v3', 'v4', 'v6'];
  const kept = ['u', 'v1', 'v2', 'v3', 'v4'];
  expect(rounds).toEqual([
    ['i', all, []],
    ['i + 1', kept, []],
    ['j', kept, kept],
  ]);
});
