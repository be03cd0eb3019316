/** Lemma 4.6 in every interleaving of the small competitions, and the bound of Lemma 4.11. */
import { expect, test } from 'vitest';
import { agrees } from '../experiment.js';
import { competitions, searchCycle } from './acyclic.js';
import { boundTable } from './index.js';

test.each(competitions.slice(0, 3))('$label', (competition) => {
  const hasCycle = (rules: string) => searchCycle(competition, rules).hasCycle;
  expect(['printed', 'corrected', 'deferred'].map(hasCycle)).toEqual([competition.fails, false, false]);
});

test('the chance to win an open trial is at least the bound', () => {
  expect(boundTable().rows.map(({ cells }) => agrees(cells[0]!))).toEqual(Array.from({ length: 12 }, () => true));
});
