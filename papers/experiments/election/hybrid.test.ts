/** Hybrid logical clocks: elections that they avoid, and those that they do not. */
import { expect, test } from 'vitest';
import { agrees } from '../experiment.js';
import { hybridTable } from './hybrid.js';

test('searches further apart than the clocks elect no needless leader, closer ones do', () => {
  const { rows } = hybridTable();
  const cells = rows.flatMap((row) => row.cells);
  expect(cells.map(agrees)).toEqual(cells.map(() => true));
  expect(new Set(cells.map(({ value }) => value))).toEqual(new Set([0, 1]));
});
