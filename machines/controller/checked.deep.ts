/**
 * The searches of the spec's section 10 on our charts, beyond the time limit of `checked.test.ts`, with recorded counts. Every node
 * requests forever unless commands are listed. Two minutes of one core.
 */
import { describe, expect, test } from 'vitest';
import { at, chain, check, star, treeOf } from './systems.fixtures.js';

type Ask = Parameters<typeof check>;

function holds(states: number, ...ask: Ask): void {
  const found = check(...ask);
  expect(found).toMatchObject({ verdict: 'valid', states });
}

const spider = treeOf(5, [
  [0, 1],
  [0, 2],
  [1, 3],
  [2, 4],
]);
const binary = treeOf(
  7,
  [1, 2, 3, 4, 5, 6].map((i) => [(i - 1) >> 1, i] as const),
);
const trees = {
  'chain of 3': chain(3),
  'chain of 4': chain(4),
  'chain of 5': chain(5),
  'star of 4': star(4),
  spider,
  'binary of 7': binary,
};
type Tree = keyof typeof trees;

/** Every node of the tree takes so often. */
const each = (tree: Tree, times: number) => ({
  commands: trees[tree].nodes.flatMap((_, node) => at(node, ...Array.from({ length: times }, () => 'take'))),
});

describe('BASIC with capacities of one, M = 1 to 8', () => {
  const states: Record<'chain of 4' | 'star of 4', readonly number[]> = {
    'chain of 4': [1345, 3766, 8301, 15_804, 27_243, 43_700, 66_371, 96_566],
    'star of 4': [616, 1740, 3804, 7139, 12_103, 19_081, 28_485, 40_754],
  };
  test.each(['chain of 4', 'star of 4'] as const)('%s', (tree) => {
    states[tree].forEach((count, i) => holds(count, trees[tree], { kind: 'basic', M: i + 1, W: 1 }));
  });

  test('binary of 7, each asking once', () => {
    const counts = [65_184, 100_432, 100_132, 79_272, 62_928, 57_248, 56_448, 56_448];
    counts.forEach((count, i) => holds(count, binary, { kind: 'basic', M: i + 1, W: 1 }, each('binary of 7', 1)));
  });
});

describe('bins of a forced exponent', () => {
  test.each<[Tree, number, number, boolean, number]>([
    ['chain of 4', 0, 8, false, 76_552],
    ['chain of 4', 1, 12, false, 105_768],
    ['chain of 4', 2, 16, false, 78_432],
    ['chain of 4', 3, 16, false, 25_420],
    ['chain of 4', 1, 12, true, 95_129],
    ['chain of 4', 3, 16, true, 21_873],
    ['star of 4', 1, 16, false, 89_760],
    ['star of 4', 2, 16, false, 31_520],
    ['star of 4', 3, 16, true, 10_560],
    ['chain of 5', 1, 8, false, 372_264],
    ['chain of 5', 2, 8, true, 60_028],
    ['spider', 1, 8, false, 327_306],
    ['spider', 2, 8, true, 53_027],
  ])('%s, exponent %i, M = %i, pipelined %s', (tree, exponent, M, pipelined, states) =>
    holds(states, trees[tree], { kind: 'basic', M, W: 1, pipelined }, {}, exponent),
  );

  test.each<[number, boolean, number]>([
    [1, false, 27_712],
    [2, false, 46_464],
    [2, true, 40_336],
  ])('binary of 7, each asking once, exponent %i, pipelined %s', (exponent, pipelined, states) =>
    holds(states, binary, { kind: 'basic', M: 8, W: 1, pipelined }, each('binary of 7', 1), exponent),
  );
});

describe('bins of the waste that is allowed', () => {
  test.each<[number, number, boolean, number]>([
    [24, 24, false, 40_720],
    [24, 24, true, 32_424],
    [30, 24, false, 74_065],
    [48, 48, false, 129_172],
    [60, 48, false, 244_615],
  ])('chain of 3, M = %i, W = %i, pipelined %s', (M, W, pipelined, states) =>
    holds(states, chain(3), { kind: 'basic', M, W, pipelined }),
  );

  test('per-node bins, chain of 4, M = W = 12', () => holds(61_213, chain(4), { kind: 'bins', M: 12, W: 12 }));
});

describe('changes', () => {
  const grown = treeOf(7, [
    [0, 1],
    [0, 2],
    [1, 3],
    [1, 4],
    [3, 5],
    [2, 6],
  ]);
  const joins = {
    commands: [
      ...at(0, 'child', 'child', 'take'),
      ...at(1, 'child', 'child', 'take'),
      ...at(2, 'child', 'take'),
      ...at(3, 'child'),
    ],
  };

  test.each([
    [false, 19_778],
    [true, 15_573],
  ])('MAIN: six leaves join under one another, pipelined %s', (pipelined, states) =>
    holds(states, grown, { kind: 'main', M: 3, W: 1, parents: { n0: 'n0' }, pipelined }, joins),
  );

  test.each<[Tree, number, boolean, number]>([
    ['chain of 3', 8, false, 12_318],
    ['chain of 4', 5, false, 128_959],
    ['star of 4', 6, true, 383_116],
  ])('MODIFIED: %s, M = %i, W = 0, pipelined %s', (tree, M, pipelined, states) =>
    holds(states, trees[tree], { kind: 'modified', M, W: 0, pipelined }),
  );

  test.each<[number, number, boolean, number]>([
    [5, 0, false, 7899],
    [5, 1, true, 8458],
  ])('MODIFIED, chain of 3: the signal waits, M = %i, W = %i, pipelined %s', (M, W, pipelined, states) =>
    holds(states, chain(3), { kind: 'modified', M, W, pipelined, signal: 'late' }),
  );

  test('names: three leaves join, all take two', () => {
    const commands = [
      ...at(0, 'child', 'name', 'child', 'name'),
      ...at(1, 'name', 'child', 'name'),
      ...at(2, 'name', 'name'),
      ...at(3, 'name'),
    ];
    const tree = treeOf(5, [
      [0, 1],
      [0, 2],
      [0, 3],
      [1, 4],
    ]);
    holds(300_918, tree, { kind: 'names', parents: { n0: 'n0', n1: 'n0' } }, { commands });
  });

  test.each([
    [false, 8112],
    [true, 7246],
  ])('a bank, three nodes that pay in and draw, pipelined %s', (pipelined, states) => {
    const commands = [
      ...at(0, 'withdraw', 'deposit', 'withdraw'),
      ...at(1, 'deposit', 'withdraw', 'child', 'withdraw'),
      ...at(2, 'deposit 2', 'withdraw', 'withdraw 2', 'deposit'),
    ];
    const tree = treeOf(4, [
      [0, 1],
      [1, 2],
      [1, 3],
    ]);
    holds(states, tree, { kind: 'bank', M: 2, W: 2, parents: { n0: 'n0', n1: 'n0', n2: 'n1' }, pipelined }, { commands });
  });
});
