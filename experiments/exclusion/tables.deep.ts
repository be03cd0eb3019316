/** The printed rules under random schedules, with twice the runs of exclusion.test.ts. */
import { expect, test } from 'vitest';
import { agrees, type Table } from '../experiment.js';
import { printedTable } from './index.js';

const differing = ({ rows }: Table) =>
  rows.filter(({ cells }) => cells.some((cell) => agrees(cell) === false)).map(({ label }) => label);

test('printed rules: no crowd ever finishes, two nodes now and then; corrected: all do', () => {
  expect(differing(printedTable(8))).toEqual([]);
});
