/** The longer runs on rings and complete graphs of up to 1,024 nodes, and all trees of seven nodes. Ten minutes of computing. */
import { expect, test } from 'vitest';
import { agrees, type Table } from '../experiment.js';
import { everyTreeTable, OF_SEVEN } from './adversary-tables.js';
import { completeTable } from './index.js';
import { ringTables } from './rings.js';

const print = () => {};

function* tables(): Iterable<Table> {
  yield completeTable(print, true);
  yield everyTreeTable(print, OF_SEVEN);
  yield* ringTables(print, true);
}

test('every figure agrees', () => {
  for (const { title, columns, rows } of tables()) {
    const printed = rows.map(({ label, cells }) => [label, ...cells.map(({ value }) => value)].join(' | '));
    console.log([title, columns.join(' | '), ...printed].join('\n'));
    for (const { label, cells } of rows) {
      for (const cell of cells) expect(agrees(cell), `${title}, ${label}: ${JSON.stringify(cell)}`).not.toBe(false);
    }
  }
});
