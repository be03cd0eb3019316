/** Chapter 6: its claim about logical clocks in every system of three nodes, and the price of stability. */
import { expect, test } from 'vitest';
import { agrees } from '../experiment.js';
import { hastyElection, priceTable } from './chapter6.js';
import { lossesAtZero } from './theorem2.js';

test.each(['perfect', 'logical'])('all reference levels are zero, %s clocks: no loss causes a needless election', (clock) => {
  expect(lossesAtZero(3, { clock })).toEqual({ losses: 27, needless: 0 });
});

test('a sink that elects itself causes needless elections', () => {
  expect(lossesAtZero(3, {}, hastyElection)).toEqual({ losses: 27, needless: 3 });
});

test('the simpler algorithm is cheaper only if the leader is gone', () => {
  const rows = priceTable().rows;
  expect(rows.flatMap(({ cells }) => cells.map(agrees)).filter((is) => is === false)).toEqual([]);
  for (const { label, cells } of rows) {
    const [, updates, , , simpler] = cells.map(({ value }) => value as number);
    expect([label, simpler! < updates!]).toEqual([label, label.endsWith('isolated')]);
  }
});
