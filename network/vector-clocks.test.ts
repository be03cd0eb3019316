import { expect, test } from 'vitest';
import { Random } from './random.js';
import { VectorClocks, type ClockRow } from './vector-clocks.js';

/** The rows of forty nodes that know of each other. */
function received() {
  const clocks = new VectorClocks();
  const nodes = Array.from({ length: 40 }, (_, i) => `n${i}`);
  let last: ClockRow | undefined;
  for (const node of nodes) last = clocks.step(node, last);
  return { clocks, nodes, last: last! };
}

test('rows share equal blocks, and blocks in which one is ahead everywhere', () => {
  const { clocks, last } = received();
  const row = clocks.step('n0', last);
  expect(row.map((block, place) => block === last[place])).toEqual([false, true, true]);
  const old = clocks.of('n39');
  const later = clocks.step('n39', row);
  expect(later.map((block, place) => block === row[place])).toEqual([true, true, false]);
  expect(clocks.step('n39', old).map((block, place) => block === later[place])).toEqual([true, true, false]);
});

test('a clock copied from another continues like it and does not change it', () => {
  const { clocks, nodes, last } = received();
  const others = new VectorClocks();
  others.takeOver(clocks);
  expect(others.record(others.of('n7'))).toEqual(clocks.record(clocks.of('n7')));
  expect(others.record(others.step('n3', last))).toEqual({ ...Object.fromEntries(nodes.map((node) => [node, 1])), n3: 2 });
  expect(others.record(others.step('new'))).toEqual({ new: 1 });
  expect(clocks.record(clocks.of('n3'))['n3']).toBe(1);
  expect(clocks.record(clocks.of('new'))).toEqual({});
});

test('rows in blocks equal plain maps, and a returned row never changes', () => {
  const clocks = new VectorClocks();
  const random = new Random(3, 'clocks');
  const plain = new Map<string, Record<string, number>>();
  const given: { row: ClockRow; description: Record<string, number> }[] = [];
  for (let step = 0; step < 2000; step++) {
    const node = `n${random.below(40)}`;
    const received = given.length > 0 && random.below(3) > 0 ? random.pick(given) : undefined;
    const description = { ...plain.get(node) };
    for (const [peer, count] of Object.entries(received?.description ?? {}))
      description[peer] = Math.max(description[peer] ?? 0, count);
    description[node] = (description[node] ?? 0) + 1;
    plain.set(node, description);
    given.push({ row: clocks.step(node, received?.row), description });
  }
  for (const { row, description } of given) expect(clocks.record(row)).toEqual(description);
  expect(clocks.record(clocks.of('nobody'))).toEqual({});
});
