import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { agrees, type Table } from '../experiment.js';
import { aloneTable, chanceTable, deferredTable, printedTable } from './index.js';
import { runLocking } from './run.js';

const differing = ({ rows }: Table) =>
  rows.filter(({ cells }) => cells.some((cell) => agrees(cell) === false)).map(({ label }) => label);

test('one request: 8 edge messages per neighbor, locked after 6 rounds, idle 2 later', () => {
  expect(differing(aloneTable())).toEqual([]);
});

test('P(win) is (1/K) sum (p/K)^c; K = Δ² + 1 needs 8.83, 29.4, 112 trials', () => {
  expect(differing(chanceTable())).toEqual([]);
});

test('printed rules: no crowd ever finishes, two nodes now and then; corrected: all do', () => {
  expect(differing(printedTable(8))).toEqual([]);
});

test('the printed rules finish as often as in docs/exclusion.md', () => {
  const [two, ...crowds] = printedTable(20).rows.map(
    ({ label, cells }) => [label, (cells[0] as { value: number }).value] as const,
  );
  expect(two).toEqual(['two nodes, 40 runs', 29]);
  expect(crowds.map(([, finished]) => finished)).toEqual([0, 0, 0]);
  const page = readFileSync(new URL('../../../docs/exclusion.md', import.meta.url), 'utf8').replaceAll(/\s+/g, ' ');
  expect(page).toContain(
    'the printed rules finish in 29 of 40 runs on two nodes. On the complete graph of 8, the ring of 64 and the grid of 8 × 8 they finish in none of five runs.',
  );
});

test('deferred rules: about 112 edge messages per request on 8 nodes, instead of 170', () => {
  expect(differing(deferredTable(8))).toEqual([]);
});

test('churn: every request succeeds and every invariant holds', () => {
  const { asked, locks, violated, maxInTransitPerEdge } = runLocking({
    topology: { kind: 'grid', rows: 5, columns: 5 },
    options: {},
    churn: 0.1,
  });
  expect({ locks: locks.length, violated, most: maxInTransitPerEdge }).toEqual({ locks: asked, violated: [], most: 2 });
});
