/** What the protocol gets by its description alone. */
import { describe, expect, test } from 'vitest';
import { parseScenario, Simulation } from '../../index.js';
import { describeProtocol, explore, graphsOf, judgeMutants } from '../../test/index.js';
import { ring } from './index.js';
import { ringMachine } from './machine.js';

const topology = (n: number) => {
  const nodes = Array.from({ length: n }, (_, i) => `n${i}`);
  return { nodes, links: nodes.map((node, i) => [node, nodes[(i + 1) % n]!, 1] as const).slice(0, n === 2 ? 1 : n) };
};

const scenario = (change = {}) =>
  parseScenario(
    {
      protocol: 'ring',
      topology: { kind: 'ring', n: 8 },
      events: [
        { at: 0, node: 'n3', do: 'call' },
        { at: 2, node: 'n6', do: 'call' },
      ],
      ...change,
    },
    { ring },
  );

describe('simulation', () => {
  test.each(['actors', 'snapshots'] as const)('on %s the greatest is elected', (host) => {
    expect(new Simulation(scenario(), { host }).run()).toMatchObject({
      verdict: 'valid',
      summary: { leader: 7 },
      messages: { byType: { victory: 8 } },
    });
  });

  test('a topology that is no ring is refused', () => {
    expect(() => scenario({ topology: { kind: 'path', n: 4 } })).toThrow(
      /topology has no link from n3 to n0; this election runs on a ring/,
    );
  });
});

describe('checking', () => {
  test.each([2, 3, 4])('%i nodes, any of which may call: every interleaving keeps the promises', (n) => {
    expect(explore(ring, { topology: topology(n), commands: 'unlimited' })).toMatchObject({
      verdict: 'valid',
      doomed: 0,
      vacuous: [],
    });
  });

  test('a candidate that takes any probe for its own makes a wrong leader, by the shortest way', () => {
    const broken = { ...ring, charts: { ring: ringMachine.provide({ guards: { isOwn: () => true } }) } };
    const { verdict, counterexample } = explore(broken, { topology: topology(3), commands: 'unlimited' });
    expect(verdict).toBe('invalid');
    expect(counterexample).toMatchObject({ property: 'the greatest leads' });
  });

  test('a lost message stops the election', () => {
    const { verdict, counterexample } = explore(ring, {
      topology: topology(3),
      commands: 'unlimited',
      faults: { loss: 1 },
    });
    expect({ verdict, property: counterexample?.property }).toEqual({ verdict: 'invalid', property: 'an election ends' });
  });
});

describeProtocol(ring, { describe, test, expect });

test('mutants: all are killed, but for those that are no mistakes', () => {
  const survivors = [...judgeMutants(ring, graphsOf(ring, 40))].filter(({ killedBy }) => killedBy === null);
  expect(survivors.map(({ chart, operator, place }) => `${chart}: ${operator} ${place}`)).toEqual(Object.keys(ring.reasons!));
});
