/** A limit of what is recorded about a predicate, so that a large search needs no more memory for it. */
import { expect, test } from 'vitest';
import { Aspects, Decision } from './decisions.js';

test('after a million combinations, each state calls the predicate', () => {
  const count = 2 ** 20;
  const views = Array.from({ length: 1 << 11 }, (_, i) => ({ toy: { chart: 'toy', value: 'idle', context: i } }));
  const locals = { get: (local: number) => ({ view: views[local]! }) };
  const model = { system: { nodes: ['n0', 'n1'], instance: null }, steps: { locals } };
  let calls = 0;
  const decision = new Decision(Object(model), new Aspects(Object(locals)), ({ nodes }) => {
    calls++;
    return nodes.get('n0')!['toy']!.context < nodes.get('n1')!['toy']!.context;
  });
  const of = (a: number, b: number): boolean => {
    const nodes = new Map([
      ['n0', views[a]!],
      ['n1', views[b]!],
    ]);
    return decision.of(Int32Array.of(0, a, b), 0, 3, () => Object({ nodes }));
  };
  // Most states have a known combination.
  for (let i = 0; i < count - 1024; i++) for (let again = 0; again < 8; again++) of(i >> 10, i & 1023);
  expect(calls).toBe(count - 1024);
  of(1500, 5);
  calls = 0;
  expect([of(3, 4), of(4, 3), of(5, 1500), of(1500, 5)]).toEqual([true, false, true, false]);
  expect([of(3, 4), of(4, 3), of(5, 1500), of(1500, 5)]).toEqual([true, false, true, false]);
  expect(calls).toBe(8);
});
