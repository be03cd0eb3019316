import { expect, test } from 'vitest';
import { Random } from './random.js';
import { VectorClocks, type ClockRow } from './vector-clocks.js';

test('rows in blocks say what plain maps say, and a row that was given never changes', () => {
  const clocks = new VectorClocks();
  const random = new Random(3, 'clocks');
  const plain = new Map<string, Record<string, number>>();
  const given: { row: ClockRow; says: Record<string, number> }[] = [];
  for (let step = 0; step < 2000; step++) {
    const node = `n${random.below(40)}`;
    const heard = given.length > 0 && random.below(3) > 0 ? random.pick(given) : undefined;
    const says = { ...plain.get(node) };
    for (const [peer, count] of Object.entries(heard?.says ?? {})) says[peer] = Math.max(says[peer] ?? 0, count);
    says[node] = (says[node] ?? 0) + 1;
    plain.set(node, says);
    given.push({ row: clocks.step(node, heard?.row), says });
  }
  for (const { row, says } of given) expect(clocks.record(row)).toEqual(says);
  expect(clocks.record(clocks.of('nobody'))).toEqual({});
});
