import { expect, test } from 'vitest';
import { agrees, type Table } from '../experiment.js';
import { aloneTable, chanceTable, deferredTable, printedTable } from './index.js';
import { ask } from './run.js';

const differing = ({ rows }: Table) =>
  rows.filter(({ cells }) => cells.some((cell) => agrees(cell) === false)).map(({ label }) => label);

test('a request alone: 8 edge messages a neighbour, locked after 6 rounds, idle 2 rounds after Unlock', () => {
  expect(differing(aloneTable())).toEqual([]);
});

test('the chance to win a trial is (1/K) sum (p/K)^c, and K = Δ² + 1 needs 8.83, 29.4 and 112 trials for Δ = 2, 4, 8', () => {
  expect(differing(chanceTable())).toEqual([]);
});

test('printed rules: no crowd ever finishes, two nodes now and then; corrected: all do', () => {
  expect(differing(printedTable(8))).toEqual([]);
});

test('deferred rules: about 112 edge messages a request on eight nodes, instead of about 170', () => {
  expect(differing(deferredTable(8))).toEqual([]);
});

test('churn: every request succeeds and every invariant holds', () => {
  const { asked, locks, violated, maxInTransitPerEdge } = ask({
    topology: { kind: 'grid', rows: 5, columns: 5 },
    options: {},
    churn: 0.1,
  });
  expect({ locks: locks.length, violated, most: maxInTransitPerEdge }).toEqual({ locks: asked, violated: [], most: 2 });
});
