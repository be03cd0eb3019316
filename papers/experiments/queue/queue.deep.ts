/** All of `quiver paper queue` with the 200 seeds of the expected figures. */
import { expect, test } from 'vitest';
import { agrees } from '../experiment.js';
import { queueTables } from './index.js';

test('every figure of 200 seeds agrees', () => {
  for (const { title, rows } of queueTables(() => {}, 200)) {
    for (const { label, cells } of rows) {
      for (const cell of cells) expect(agrees(cell), `${title}, ${label}: ${JSON.stringify(cell)}`).not.toBe(false);
    }
  }
});
