/** Nodes that crash and restart, and corrupted states. */
import { describe, expect, test } from 'vitest';
import { assign, setup } from 'xstate';
import { arm, effects, send } from '../../machines/effects.js';
import type { Property, Protocol } from '../../machines/protocol.js';
import { Simulation } from '../../network/simulation.js';
import { createMetric } from '../../network/topology/metric.js';
import { explore } from './explore.js';
import { completeGraph, names } from './fixtures.js';
import { replay } from './replay.fixture.js';
import { never, toy, type ToyInput } from './toys.fixtures.js';

describe('crashes', () => {
  const ball = toy({
    commands: ['go'],
    chart: setup({ types: { context: {} as ToyInput, input: {} as ToyInput }, actions: effects() }).createMachine({
      context: ({ input }) => input,
      initial: 'still',
      states: {
        still: {
          on: {
            go: {
              actions: [
                send(({ context }) => ({ to: context.peers[0]!, message: { type: 'ball' } })),
                arm(() => ({ timer: 'late', delay: 1 })),
              ],
            },
            ball: 'caught',
            timer: 'tired',
          },
        },
        caught: {},
        tired: {},
      },
    }),
  });
  const value = (node: string, is: string) => never(is, (c) => c.nodes.get(node)!['toy']!.value === is);
  const commands = [
    { do: 'command', name: 'go', node: 'n0', fields: {} },
    { do: 'crash', node: 'n1' },
  ] as const;

  test('messages to a crashed node are lost, and its timers do not fire', () => {
    const found = explore(ball, { topology: completeGraph(2), commands, properties: [] });
    expect(found).toMatchObject({ verdict: 'valid' });
    const lost = never(
      'lost',
      (c) =>
        c.flights.length === 0 && c.nodes.get('n0')!['toy']!.value === 'tired' && c.nodes.get('n1')!['toy']!.value === 'still',
    );
    expect(explore(ball, { topology: completeGraph(2), commands, properties: [lost] })).toMatchObject({ verdict: 'invalid' });
    const down = [
      { do: 'crash', node: 'n0' },
      { do: 'command', name: 'go', node: 'n0', fields: {} },
    ] as const;
    expect(explore(ball, { topology: completeGraph(2), commands: down, properties: [value('n1', 'caught')] })).toMatchObject({
      verdict: 'valid',
    });
  });

  test('a restarted node continues with its state and its timers', () => {
    const again = [
      ...commands,
      { do: 'restart', node: 'n1' },
      { do: 'crash', node: 'n0' },
      { do: 'restart', node: 'n0' },
    ] as const;
    for (const property of [value('n1', 'caught'), value('n0', 'tired')]) {
      const found = explore(ball, { topology: completeGraph(2), commands: again, properties: [property] });
      expect(found).toMatchObject({ verdict: 'invalid' });
      expect(property.holds(replay(ball, completeGraph(2), found.counterexample!, again).end)).toBe(false);
    }
  });
});

describe('corruption', () => {
  /** Two nodes that should agree on a bit: each sends its own bit to the other, which takes the smaller one. */
  const agree: Protocol = toy({
    commands: ['wake'],
    network: { reach: 'links', order: 'fifo' },
    chart: setup({
      types: { context: {} as ToyInput & { bit: number }, input: {} as ToyInput, events: {} as any },
      actions: { ...effects(), take: assign({ bit: ({ context, event }) => Math.min(context.bit, event.bit) }) },
    }).createMachine({
      context: ({ input }) => ({ ...input, bit: 0 }),
      initial: 'only',
      states: {
        only: {
          on: {
            bit: { actions: 'take' },
            wake: { actions: arm(() => ({ timer: 'again', delay: 1 })) },
            timer: {
              actions: [
                send(({ context }) => ({ to: context.peers[0]!, message: { type: 'bit', bit: context.bit } as any })),
                arm(() => ({ timer: 'again', delay: 1 })),
              ],
            },
          },
        },
      },
    }),
    corruption: {
      node: (id, { topology }, choose) => ({
        roles: {
          toy: {
            chart: 'toy',
            value: 'only',
            context: { id, peers: topology.nodes.filter((node) => node !== id), bit: choose(2) },
          },
        },
        timers: [{ role: 'toy', timer: 'again', delay: choose(3) }],
      }),
      channel: (_from, _to, _setup, choose) => Array.from({ length: choose(2) }, () => ({ type: 'bit', bit: choose(2) }) as any),
    },
  });
  const bits = (c: any) => [...c.nodes.values()].map((node: any) => node.toy.context.bit);
  const agreed: Property = {
    name: 'agreed',
    description: '',
    kind: 'converges',
    holds: (c) => new Set(bits(c)).size === 1,
    within: 9,
  };

  test('the search begins in every corrupted state: nodes, timers and channels', () => {
    const found = explore(agree, { topology: completeGraph(2), corrupt: names(2), properties: [agreed], bounds: { depth: 0 } });
    // Two bits; each channel is empty or contains either bit. The remaining time of a timer is not part of a state.
    expect(found.states).toBe(2 * 2 * 3 * 3);
  });

  test('a corruption of some nodes only', () => {
    const found = explore(agree, { topology: completeGraph(2), corrupt: ['n1'], properties: [agreed], bounds: { depth: 0 } });
    expect(found.states).toBe(2);
  });

  test('a counterexample contains the state in which it begins', () => {
    const both = never('both ones', (c) => bits(c).join() === '1,1' && c.flights.length === 2);
    const { counterexample } = explore(agree, { topology: completeGraph(2), corrupt: names(2), properties: [both] });
    expect(counterexample!.start!.flights).toHaveLength(2);
    expect(counterexample!.start!.nodes['n0']).toMatchObject({
      roles: { toy: { context: { bit: 1 } } },
      timers: [['toy', 'again']],
    });
    expect(counterexample!.choices).toEqual([]);
  });

  test('counts the first states at the goal, and those that cannot reach it', () => {
    const node = (...args: Parameters<NonNullable<Protocol['corruption']>['node']>) => ({
      ...agree.corruption!.node(...args),
      timers: [],
    });
    const silent = { ...agree, corruption: { ...agree.corruption!, node } };
    const ask = (goalLasts: boolean) =>
      explore(silent, { topology: completeGraph(2), corrupt: names(2), goal: (c) => new Set(bits(c)).size === 1, goalLasts })
        .firsts;
    // Two ones agree until a zero arrives that only one of them receives.
    expect(ask(false)).toEqual({ states: 36, atGoal: 18, doomed: 12 });
    expect(ask(true)).toEqual({ states: 36, atGoal: 9 + 4, doomed: 12 + 4 });
  });

  describe('at any moment', () => {
    const wake = { do: 'command', name: 'wake', node: 'n0', fields: {} } as const;
    const later = [wake, { do: 'corrupt', nodes: ['n1'] }] as const;
    const ask = (property: Property) =>
      explore(agree, { topology: completeGraph(2), commands: later, properties: [property], bounds: { depth: 4 } });

    test('other nodes and their messages are unchanged; the counterexample starts after it', () => {
      const found = ask(never('spoiled', (c) => bits(c).join() === '0,1' && c.flights.some(({ from }) => from === 'n0')));
      expect(found).toMatchObject({ verdict: 'invalid', counterexample: { choices: [] } });
      expect(found.counterexample!.start!.flights).toMatchObject([{ from: 'n0', to: 'n1', message: { type: 'bit', bit: 0 } }]);
      expect(found.counterexample!.start!.nodes['n1']).toMatchObject({ roles: { toy: { context: { bit: 1 } } } });
    });

    test('the rest is a schedule that a simulation can replay', () => {
      const sent = never('sent', (c) => c.flights.some(({ message }) => (message as any).bit === 1));
      const { start, choices } = ask(sent).counterexample!;
      expect(choices).toEqual([{ timer: ['n1', 'toy', 'again'] }]);
      const graph = createMetric(completeGraph(2));
      const scenario = {
        protocol: agree,
        options: {},
        graph,
        contacts: [],
        network: { latency: 1, order: 'fifo' as const, loss: 0, duplicate: 0, reorder: 0 },
        events: [],
        seed: 1,
        until: { idle: true as const },
      };
      const simulation = new Simulation(scenario, { choices, start: start! });
      simulation.start();
      while (simulation.advance());
      expect(sent.holds(simulation.configuration)).toBe(false);
    });

    test('a corruption after a change of links is rejected', () => {
      const commands = [{ do: 'cut', link: ['n0', 'n1'] }, ...later] as const;
      expect(() => explore(agree, { topology: completeGraph(2), commands })).toThrow('cannot replay the "cut" before it');
    });
  });
});
