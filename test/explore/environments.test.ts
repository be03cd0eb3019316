/** The environment of the nodes: scripts, workloads, ports, crashes, corruption, without times. */
import { describe, expect, test } from 'vitest';
import { assign, emit, setup } from 'xstate';
import { directory } from '../../machines/directory/index.js';
import { effects, send } from '../../machines/effects.js';
import type { Property } from '../../machines/protocol.js';
import type { Scenario } from '../../network/scenario/types.js';
import { createMetric } from '../../network/topology/metric.js';
import { checkScenario } from './scenario.js';
import { explore } from './explore.js';
import { completeGraph } from './fixtures.js';
import { replay } from './replay.fixture.js';
import { never, toy, type ToyInput } from './toys.fixtures.js';

describe('scripts', () => {
  const request = (node: string) => ({ do: 'command', name: 'request', node, fields: {} }) as const;

  test('commands of a node keep their order and wait until its chart accepts them', () => {
    const found = explore(directory, {
      topology: completeGraph(2),
      options: { hold: 1 },
      commands: [request('n1'), request('n1'), request('n0')],
    });
    expect(found).toMatchObject({ verdict: 'valid', doomed: 0, terminal: 2 });
  });

  test('a command that does not wait may come too early and then changes nothing', () => {
    const commands = [{ do: 'command', name: 'release', node: 'n0', fields: {} }, request('n0')] as const;
    expect(explore(directory, { topology: completeGraph(1), options: { hold: null }, commands })).toMatchObject({
      states: 3,
      transitions: 2,
    });
  });
});

describe('workloads', () => {
  const scenario = (workload: Scenario['workload'], events: Scenario['events'] = []): Scenario => {
    const graph = createMetric(completeGraph(3));
    return {
      protocol: directory,
      options: directory.options({ policy: 'ivy', hold: 1 }, graph),
      graph,
      contacts: [],
      network: { latency: 1, order: 'unordered', loss: 0, duplicate: 0, reorder: 0 },
      events,
      ...(workload && { workload }),
      seed: 1,
      until: { idle: true },
    };
  };
  const twoAtOnce = never(
    'two at once',
    (c) => [...c.nodes.values()].filter((node) => JSON.stringify(node).includes('waiting')).length > 1,
  );

  test('sequential: the next command comes when the last one is complete', () => {
    const found = checkScenario(scenario({ command: 'request', sequential: ['n1', 'n2', 'n0'] }));
    expect(found).toMatchObject({ verdict: 'valid', doomed: 0, terminal: 1 });
    // Each request is issued, its find and the token travel, it is used and released. Only the last step of n2's find has a
    // choice.
    expect(found.states).toBe(found.transitions + 1);
    expect(checkScenario(scenario({ command: 'request', sequential: ['n1', 'n2'] }), { properties: [twoAtOnce] })).toMatchObject({
      verdict: 'valid',
    });
  });

  test('concurrent: any node, up to the limit at a time', () => {
    const check = (concurrent: number) =>
      checkScenario(scenario({ command: 'request', concurrent, requests: 2 }), { properties: [twoAtOnce] });
    expect(check(1)).toMatchObject({ verdict: 'valid' });
    const found = check(2);
    expect(found).toMatchObject({
      verdict: 'invalid',
      counterexample: { choices: [{ command: ['n1', 'request'] }, { command: ['n2', 'request'] }] },
    });
  });

  test('a chance of loss means that any message may be lost, even the token', () => {
    const lossy = scenario({ command: 'request', concurrent: 1, requests: 1 });
    const found = checkScenario({ ...lossy, network: { ...lossy.network, loss: 0.1 } });
    expect(found).toMatchObject({ verdict: 'invalid' });
    expect(found.counterexample!.choices.at(-1)).toHaveProperty('drop');
  });

  test('times are dropped, a corruption starts the search, contacts are rejected', () => {
    const events = [{ at: 3, do: 'command', name: 'request', node: 'n1', fields: {} }] as const;
    expect(checkScenario(scenario(undefined, events))).toMatchObject({ verdict: 'valid', terminal: 1 });
    expect(() => checkScenario({ ...scenario(undefined), contacts: [{ at: 0, i: 'n0', j: 'n1' } as any] })).toThrow(
      'the checker drops them',
    );
    const corrupt = scenario(undefined, [{ at: 0, do: 'corrupt', nodes: ['n0'] }]);
    const { corruption: _, ...withoutCorruption } = corrupt.protocol;
    expect(() => checkScenario({ ...corrupt, protocol: withoutCorruption })).toThrow('does not define a corruption');
  });
});

/** Records the last link event and the last port of a greeting. Sends a greeting on port 1 for the command `greet`. */
const greeter = toy({
  commands: ['greet'],
  network: { reach: 'links', addressing: 'ports' },
  ports: (options: any) => options.ports ?? [],
  chart: setup({
    types: { context: {} as { link: unknown; from: number | null }, input: {} as ToyInput, events: {} as any },
    actions: {
      ...effects(),
      noteLink: assign({ link: ({ event }) => [event.type, event.peer] }),
      noteGreeting: assign({ from: ({ event }) => event.from }),
    },
  }).createMachine({
    context: { link: null, from: null },
    initial: 'only',
    states: {
      only: {
        on: {
          greet: { actions: send(() => ({ to: [1, 0], message: { type: 'greeting' } })) },
          greeting: { actions: 'noteGreeting' },
          'link.up': { actions: 'noteLink' },
          'link.down': { actions: ['noteLink', send(() => ({ to: 1, message: { type: 'greeting' } }))] },
        },
      },
    },
  }),
});

describe('ports', () => {
  const topology = { nodes: ['a', 'b', 'c'], links: [['a', 'b', 1]] } as const;
  const options = { ports: [['a', 1, 'b', 2]] };
  const noted = (node: string, key: string, value: unknown) =>
    never('noted', (c) => JSON.stringify(c.nodes.get(node)!['toy']!.context[key]) === JSON.stringify(value));
  const commands = [
    { do: 'command', name: 'greet', node: 'a', fields: {} },
    { do: 'cut', link: ['a', 'b'] },
    { do: 'join', link: ['a', 'c'], weight: 1 },
  ] as const;
  const ask = (property: Property) => explore(greeter, { topology, options, commands, properties: [property] });

  test('a message arrives with the port of its receiver; port 0 is the node itself', () => {
    for (const property of [noted('b', 'from', 2), noted('a', 'from', 0), noted('c', 'from', 1)]) {
      expect(ask(property)).toMatchObject({ verdict: 'invalid' });
    }
    expect(ask(noted('b', 'from', 1))).toMatchObject({ verdict: 'valid' });
  });

  test('a cut link loses its messages and notifies both ends in one step', () => {
    expect(ask(never('in flight', (c) => !c.links.up('a', 'b') && c.flights.some(({ to }) => to === 'b')))).toMatchObject({
      verdict: 'valid',
    });
    const oneNotified = never('one notified', (c) => !c.links.up('a', 'b') && c.nodes.get('b')!['toy']!.context.link === null);
    expect(ask(oneNotified)).toMatchObject({ verdict: 'valid' });
    expect(ask(noted('b', 'link', ['link.down', 2]))).toMatchObject({
      verdict: 'invalid',
      counterexample: { choices: [{ event: 1 }] },
    });
  });

  test('a new link takes the lowest free ports, or the requested ones', () => {
    expect(ask(noted('a', 'link', ['link.up', 2]))).toMatchObject({
      verdict: 'invalid',
      counterexample: { choices: [{ event: 2 }] },
    });
    expect(ask(never('freed', (c) => c.links.port('a', 'c') === 1))).toMatchObject({ verdict: 'invalid' });
    const wanted = [{ do: 'join', link: ['c', 'a'], weight: 1, ports: [4, 3] }] as const;
    const found = explore(greeter, { topology, options, commands: wanted, properties: [noted('a', 'link', ['link.up', 3])] });
    expect(found).toMatchObject({ verdict: 'invalid' });
    expect(replay(greeter, topology, found.counterexample!, wanted).end.nodes.get('a')!['toy']!.context.link).toEqual([
      'link.up',
      3,
    ]);
    const taken = [{ do: 'join', link: ['c', 'a'], weight: 1, ports: [4, 1] }] as const;
    expect(() => explore(greeter, { topology, options, commands: taken })).toThrow(
      'Port 1 of a is in use. Free ports start at 2.',
    );
  });

  test('a simulation replays a schedule with ports', () => {
    const found = ask(noted('c', 'from', 1));
    expect(replay(greeter, topology, found.counterexample!, commands).end.nodes.get('c')!['toy']!.context.from).toBe(1);
  });
});

test('reactions are later events with a delay, and part of the step without', () => {
  const chart = setup({
    types: { input: {} as ToyInput, context: {} as ToyInput },
    actions: { ...effects(), announce: emit({ type: 'did' } as any) },
  }).createMachine({
    context: ({ input }: { input: ToyInput }) => input,
    initial: 'still',
    states: { still: { on: { go: { target: 'moving', actions: 'announce' } } }, moving: { on: { react: 'still' } } },
  } as any);
  const ask = (after: number) =>
    explore(toy({ chart, commands: ['go'], reactions: () => [{ on: 'did', event: { type: 'react' }, after }] }), {
      topology: completeGraph(1),
      commands: 'unlimited',
    });
  expect(ask(0)).toMatchObject({ states: 1, transitions: 1 });
  expect(ask(5)).toMatchObject({ states: 2, transitions: 2 });
});
