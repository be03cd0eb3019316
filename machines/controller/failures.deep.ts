/** Nodes and links that fail: the searches of ten thousand states and more. */
import { describe, expect, test } from 'vitest';
import { explore } from '../../test/explore/explore.js';
import { mainMachine } from './growth/membership.js';
import { controller } from './index.js';
import { at, chain, check } from './systems.fixtures.js';

const cut = (u: number, v: number) => ({ do: 'cut', link: [`n${u}`, `n${v}`] }) as const;
const join = (u: number, v: number) => ({ do: 'join', link: [`n${u}`, `n${v}`], weight: 1 }) as const;

test('a bank: no permit is created, all other requests are answered', () => {
  const commands = [
    ...at(0, 'withdraw'),
    ...at(1, 'deposit', 'withdraw'),
    ...at(2, 'deposit 2', 'withdraw', 'deposit'),
    cut(1, 2),
    join(1, 2),
  ];
  expect(check(chain(3), { kind: 'bank', M: 3, W: 2 }, { commands })).toMatchObject({ verdict: 'valid', states: 11440 });
});

describe('a node without its parent creates no permits, however often it receives requests', () => {
  const commands = [
    ...at(1, 'take', 'take', 'take'),
    ...at(0, ...Array.from({ length: 270 }, () => 'take')),
    cut(0, 1),
    join(0, 1),
  ];
  const ask = { topology: chain(2), options: { kind: 'modified', M: 271, W: 0 }, commands };
  const conserves = {
    ...controller,
    properties: (...args: Parameters<typeof controller.properties>) =>
      controller.properties(...args).filter(({ name }) => name === 'conservation'),
  };

  test('24,537 states', () => {
    expect(explore(conserves, ask)).toMatchObject({ verdict: 'valid', states: 24_537 });
  });

  test('a node that continues creates some: its next bin would have the old size', () => {
    const goesOn = mainMachine.provide({ guards: { leadsToParent: () => false, isFromParent: () => false } });
    const stubborn = { ...conserves, charts: { ...controller.charts, main: goesOn } };
    expect(explore(stubborn, ask)).toMatchObject({ verdict: 'invalid', counterexample: { property: 'conservation' } });
  });
});
