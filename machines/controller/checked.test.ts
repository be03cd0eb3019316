/** Every interleaving of small controllers (spec section 10). The search itself violates the printed rules. */
import { describe, expect, test } from 'vitest';
import { createMetric } from '../../network/topology/metric.js';
import { controller } from './index.js';
import { at, chain, check, star, treeOf } from './systems.fixtures.js';

/** Properties of the same system with a delayed signal. */
function lateProperties(options: Readonly<Record<string, unknown>>) {
  const graph = createMetric(star(3));
  return controller.properties({ ...graph, options: controller.options({ ...options, signal: 'late' }, graph) });
}

const valid = (states: number) => ({ verdict: 'valid', states });

describe('BASIC, every node requesting forever', () => {
  test.each([
    { name: 'chain of 3, M 4', topology: chain(3), M: 4, states: 1054 },
    { name: 'star of 4, M 3', topology: star(4), M: 3, states: 3804 },
    { name: 'chain of 4, M 2', topology: chain(4), M: 2, states: 3766 },
  ])('capacities of one: $name', ({ topology, M, states }) => {
    expect(check(topology, { kind: 'basic', M, W: 1 })).toMatchObject(valid(states));
  });

  test.each([
    { exponent: 1, pipelined: false, states: 14_706 },
    { exponent: 1, pipelined: true, states: 14_533 },
    { exponent: 2, pipelined: false, states: 4442 },
    { exponent: 2, pipelined: true, states: 4425 },
  ])('real bins, chain of 4, exponent $exponent, pipelined $pipelined', ({ exponent, pipelined, states }) => {
    expect(check(chain(4), { kind: 'basic', M: 6, pipelined }, {}, exponent)).toMatchObject(valid(states));
  });

  test('per-node bins of two', () => {
    expect(check(chain(3), { kind: 'bins', M: 8, W: 6 })).toMatchObject(valid(2104));
  });
});

describe('changes', () => {
  const grown = treeOf(5, [
    [0, 1],
    [0, 2],
    [1, 3],
    [1, 4],
  ]);
  const requests = [...at(0, 'child', 'child', 'take'), ...at(1, 'child', 'take', 'take'), ...at(2, 'take')];

  test.each([
    { pipelined: false, states: 2348 },
    { pipelined: true, states: 2139 },
  ])('MAIN: joins while a change collects, pipelined $pipelined', ({ pipelined, states }) => {
    const options = { kind: 'main', M: 3, W: 1, parents: { n0: 'n0' }, pipelined };
    // A link carries many requests there, so the property that it carries one does not apply.
    const vacuous = pipelined ? ['one request a link'] : [];
    expect(check(grown, options, { commands: requests })).toMatchObject({ ...valid(states), vacuous });
  });

  test.each([
    { pipelined: false, states: 7269 },
    { pipelined: true, states: 7794 },
  ])('MODIFIED: down to zero waste, pipelined $pipelined', ({ pipelined, states }) => {
    expect(check(chain(3), { kind: 'modified', M: 6, W: 0, pipelined })).toMatchObject(valid(states));
  });

  test('MAIN: the signal waits for the permits', () => {
    expect(check(chain(3), { kind: 'main', M: 4, W: 1, signal: 'late' })).toMatchObject(valid(3044));
  });

  test('without that, the root signals the end while permits are in flight', () => {
    const options = { kind: 'main', M: 2, W: 0 };
    const wanted = { name: 'the signal waits for the permits' };
    const early = check(star(3), options, { properties: lateProperties(options).filter(({ name }) => name === wanted.name) });
    expect(early).toMatchObject({ verdict: 'invalid', counterexample: { property: wanted.name } });
  });

  test('MODIFIED: a request for more than the rest is answered too', () => {
    const commands = [...at(1, 'take', 'take 3'), ...at(2, 'take 4', 'take')];
    expect(check(chain(3), { kind: 'modified', M: 6, W: 0 }, { commands })).toMatchObject(valid(412));
  });

  test('names', () => {
    const commands = [...at(0, 'child', 'name', 'child'), ...at(1, 'name', 'name'), ...at(2, 'name')];
    expect(check(star(5), { kind: 'names', parents: { n0: 'n0' } }, { commands })).toMatchObject(valid(220));
  });

  test('a bank', () => {
    const commands = [...at(0, 'withdraw'), ...at(1, 'deposit', 'withdraw'), ...at(2, 'deposit 2', 'withdraw', 'withdraw 2')];
    expect(check(chain(3), { kind: 'bank', W: 2 }, { commands })).toMatchObject(valid(445));
  });

  const twig = treeOf(4, [
    [0, 1],
    [1, 2],
    [1, 3],
  ]);
  const parents = { n0: 'n0', n1: 'n0', n2: 'n1' };

  test('a leaf leaves while others take, join and a phase ends', () => {
    const commands = [...at(0, 'take'), ...at(1, 'take', 'child', 'take', 'leave'), ...at(2, 'take', 'leave', 'take')];
    expect(check(twig, { kind: 'modified', M: 5, W: 0, parents }, { commands })).toMatchObject(valid(1412));
  });

  test('a leaf leaves a bank', () => {
    const commands = [
      ...at(0, 'withdraw'),
      ...at(1, 'withdraw', 'child', 'deposit', 'leave'),
      ...at(2, 'withdraw', 'deposit', 'leave', 'withdraw'),
    ];
    expect(check(twig, { kind: 'bank', M: 3, W: 2, parents }, { commands })).toMatchObject(valid(9426));
  });
});

describe('the printed rules violate a property', () => {
  const drain = [...at(1, 'take'), ...at(0, 'take 134', 'take')];

  test('MODIFIED rejecting in an inner phase wastes permits (E12); corrected, none', () => {
    const options = { kind: 'modified', M: 136, W: 0 };
    const printed = check(chain(2), { ...options, rules: 'printed' }, { commands: drain });
    expect(printed).toMatchObject({ verdict: 'invalid', counterexample: { property: 'at most W wasted' } });
    expect(printed.counterexample!.choices).toHaveLength(8);
    expect(check(chain(2), options, { commands: drain })).toMatchObject(valid(22));
  });

  const joins = [...at(1, 'take'), ...at(0, ...Array.from({ length: 5 }, () => 'child'))];

  test('an echo before permits have arrived loses them (E16), unlike one that waits', () => {
    const options = { kind: 'main', M: 135, W: 135, parents: { n0: 'n0', n1: 'n0' } };
    const premature = check(star(7), { ...options, echo: 'premature' }, { commands: joins });
    expect(premature).toMatchObject({ verdict: 'invalid', counterexample: { property: 'conservation' } });
    expect(premature.counterexample!.choices).toHaveLength(23);
    expect(check(star(7), options, { commands: joins })).toMatchObject(valid(3705));
  });
});
