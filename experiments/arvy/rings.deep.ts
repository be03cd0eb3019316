/** The longer runs on rings: 20 sweeps of 1,024 nodes, uniform load on 256, and 100 mixed sequences on up to 256. */
import { expect, test } from 'vitest';
import { agrees } from '../experiment.js';
import { ringTables } from './index.js';

test('every figure agrees', () => {
  for (const { title, rows } of ringTables(() => {}, true)) {
    for (const { label, cells } of rows) {
      for (const cell of cells) expect(agrees(cell), `${title}, ${label}: ${JSON.stringify(cell)}`).not.toBe(false);
    }
  }
});
