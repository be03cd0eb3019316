/** Failing nodes and links, which the paper omits: promises to the other nodes. The longer searches: failures.deep.ts. */
import { describe, expect, test } from 'vitest';
import { parseScenario } from '../../network/scenario/parse.js';
import { Simulation } from '../../network/simulation.js';
import { controller } from './index.js';
import { at, chain, check, treeOf } from './systems.fixtures.js';

const cut = (u: number, v: number) => ({ do: 'cut', link: [`n${u}`, `n${v}`] }) as const;
const join = (u: number, v: number) => ({ do: 'join', link: [`n${u}`, `n${v}`], weight: 1 }) as const;
const crash = (node: number) => ({ do: 'crash', node: `n${node}` }) as const;

describe('every interleaving: no permit is created, all other requests are answered', () => {
  const takes = [0, 1, 2].flatMap((node) => at(node, 'take', 'take'));
  const halving = { kind: 'modified', M: 5, W: 0 };

  test.each([
    { name: 'a leaf crashes, and its link goes down', faults: [crash(2), cut(1, 2)], pipelined: false, states: 3928 },
    { name: 'the same, pipelined', faults: [crash(2), cut(1, 2)], pipelined: true, states: 3759 },
    { name: 'an inner link goes down', faults: [cut(0, 1)], pipelined: false, states: 1615 },
    { name: 'a link goes down and comes up', faults: [cut(1, 2), join(1, 2)], pipelined: false, states: 4349 },
    { name: 'the same, pipelined', faults: [cut(1, 2), join(1, 2)], pipelined: true, states: 4110 },
  ])('$name', ({ faults, pipelined, states }) => {
    const found = check(chain(3), { ...halving, pipelined }, { commands: [...takes, ...faults] });
    expect(found).toMatchObject({ verdict: 'valid', states });
  });

  test('leaves join while a link goes down', () => {
    const tree = treeOf(5, [
      [0, 1],
      [0, 2],
      [1, 3],
      [1, 4],
    ]);
    const commands = [...at(0, 'child', 'take'), ...at(1, 'child', 'take', 'child'), cut(0, 1)];
    const options = { kind: 'main', M: 3, W: 1, parents: { n0: 'n0', n1: 'n0' } };
    expect(check(tree, options, { commands })).toMatchObject({ verdict: 'valid', states: 795 });
  });

  test('a bank', () => {
    const commands = [...at(0, 'withdraw'), ...at(1, 'deposit'), ...at(2, 'deposit 2', 'withdraw'), cut(1, 2), join(1, 2)];
    expect(check(chain(3), { kind: 'bank', M: 3, W: 2 }, { commands })).toMatchObject({ verdict: 'valid', states: 1350 });
  });
});

describe('the report contains the permits of failed nodes', () => {
  const run = (options: object, events: object[], n = 3) => {
    const scenario = { protocol: 'controller', topology: { kind: 'path', n }, options, events };
    return new Simulation(parseScenario(scenario, { controller })).run();
  };
  const loss = 'lost with nodes that failed';
  const takes = (node: string, count: number, at: number) => Array.from({ length: count }, () => ({ at, node, do: 'take' }));

  test('a leaf crashes: all others are given the rest, to the last permit', () => {
    const events = [
      ...takes('n2', 1, 0),
      { at: 20, node: 'n2', do: 'crash' },
      { at: 30, do: 'cut', link: ['n1', 'n2'] },
      ...takes('n1', 600, 40),
      ...takes('n0', 600, 40),
    ];
    const { summary, verdict, meters } = run({ kind: 'modified', M: 1000, W: 0 }, events) as Record<string, any>;
    const { granted, rejected, lost } = summary;
    expect(verdict).toBe('valid');
    expect(lost).toEqual({ n2: 3 });
    expect(granted.n0 + granted.n1 + granted.n2).toBe(997);
    expect(rejected.n0 + rejected.n1).toBe(1200 - 996);
    expect(meters.find(({ name }: { name: string }) => name === loss)).toMatchObject({ measured: 3, bound: 20 });
  });

  test('permits in flight to it are counted too', () => {
    const events = [...takes('n2', 1, 0), { at: 3, node: 'n2', do: 'crash' }, ...takes('n1', 1, 10)];
    const { summary, verdict } = run({ kind: 'bins', M: 40, W: 30 }, events);
    expect(verdict).toBe('valid');
    expect(summary).toMatchObject({ granted: { n0: 0, n1: 1, n2: 0 }, lost: { n2: 10 } });
  });

  test('names in flight to it are not permits', () => {
    const events = [
      { at: 0, node: 'n2', do: 'name' },
      { at: 3, node: 'n2', do: 'crash' },
    ];
    expect(run({ kind: 'names' }, events).summary).toMatchObject({ names: { n2: [2] }, lost: { n2: 0 } });
  });

  test('permits on their way through its parent are counted in the total', () => {
    const events = [...takes('n2', 1, 0), { at: 2, node: 'n2', do: 'crash' }, { at: 2, do: 'cut', link: ['n1', 'n2'] }];
    const { summary, verdict, meters } = run({ kind: 'bins', M: 40, W: 30 }, events);
    expect(verdict).toBe('valid');
    expect(summary).toMatchObject({ granted: { n2: 0 }, lost: { n2: 0 } });
    expect(meters.find(({ name }) => name === loss)).toMatchObject({ measured: 10, bound: 10 });
  });

  test('all nodes below a link that goes down are notified, and report their losses', () => {
    const events = [...takes('n3', 1, 0), ...takes('n2', 1, 0), { at: 20, do: 'cut', link: ['n1', 'n2'] }, ...takes('n1', 1, 40)];
    const { summary, verdict, meters } = run({ kind: 'bins', M: 80, W: 40 }, events, 4);
    expect(verdict).toBe('valid');
    expect(summary).toMatchObject({ granted: { n0: 0, n1: 1, n2: 1, n3: 1 }, lost: { n2: 9, n3: 9 } });
    expect(meters.find(({ name }) => name === loss)).toMatchObject({ measured: 18, bound: 20 });
  });
});
