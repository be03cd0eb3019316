/** All runs on rings that the expected figures come from: 1,024 nodes, 20 sweeps, uniform load, and 10^4 mixed sequences up to 64 nodes. */
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
