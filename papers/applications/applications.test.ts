/** The applications of the queue as systems: every interleaving, runs under load, and mistakes that break each promise. */
import { describe, expect, test } from 'vitest';
import { assign, raise } from 'xstate';
import { parseScenario } from '../../network/scenario/parse.js';
import { Simulation } from '../../network/simulation.js';
import { checkScenario } from '../../test/explore/scenario.js';
import type { Protocol } from '../../machines/protocol.js';
import { mobileObject, objectProperties, userMachine, type UserContext } from './mobile-object.js';
import { multicast, multicastMachine, START, multicastProperties, type MulticastContext } from './multicast.js';
import { APPLICATION } from './layer.js';

const scenarioOf = (protocol: Protocol, json: object) =>
  parseScenario({ protocol: protocol.name, ...json }, { [protocol.name]: protocol });
const path = (n: number) => ({ kind: 'path', n });
const does = (word: string, ...nodes: readonly string[]) => nodes.map((node) => ({ at: 0, node, do: word }));
const withChart = (protocol: Protocol, chart: unknown): Protocol => ({
  ...protocol,
  charts: { ...protocol.charts, [APPLICATION]: chart as never },
});
const refuted = (protocol: Protocol, json: object): string[] =>
  checkScenario(scenarioOf(protocol, json))
    .properties.filter(({ holds }) => holds === false)
    .map(({ name }) => name);

describe('totally ordered multicast', () => {
  const three = { topology: path(3), events: does('multicast', 'n0', 'n2', 'n2') };

  test('every interleaving: all nodes deliver in one order', () => {
    expect(checkScenario(scenarioOf(multicast, three))).toMatchObject({ verdict: 'valid', states: 5243, vacuous: [] });
  });

  test('sixty messages of seven nodes under random delays', () => {
    const scenario = {
      topology: { kind: 'tree', n: 7 },
      network: { latency: { min: 1, max: 9 } },
      workload: { command: 'multicast', concurrent: 5, requests: 60 },
      seed: 1,
    };
    const { verdict, summary } = new Simulation(scenarioOf(multicast, scenario), { host: 'snapshots' }).run();
    expect(verdict).toBe('valid');
    expect(new Set(summary['order'] as string[]).size).toBe(60);
  });

  const messageOf = (event: unknown) => event as { readonly id: string; readonly after: string };
  const mutants = [
    {
      mistake: 'a message is delivered when it arrives',
      chart: multicastMachine.provide({
        actions: { deliver: assign(({ context, event }) => ({ log: [...context.log, messageOf(event).id] })) },
      }),
      breaks: 'one order',
    },
    {
      mistake: 'a message is delivered again with the next one',
      chart: multicastMachine.provide({
        actions: { deliverOwn: assign(({ context }) => ({ log: [...context.log, context.latest, context.latest] })) },
      }),
      breaks: 'a message is delivered once',
    },
    {
      mistake: 'a node follows itself with its latest message instead of the one before',
      chart: multicastMachine.provide({ guards: { isOwn: () => false } }),
      breaks: 'every message is delivered everywhere',
    },
    {
      mistake: 'a second message follows the start of the queue again',
      chart: multicastMachine.provide({ actions: { followOwn: raise({ type: 'follows', after: START }) } }),
      breaks: 'one successor',
    },
  ];

  test.each(mutants)('$mistake: violates "$breaks"', ({ chart, breaks }) => {
    expect(refuted(withChart(multicast, chart), three)).toContain(breaks);
  });

  test('each promise is broken by some mistake', () => {
    expect(new Set(mutants.map(({ breaks }) => breaks))).toEqual(new Set(multicastProperties.map(({ name }) => name)));
  });

  test('its nodes hold the whole log', () => {
    const simulation = new Simulation(scenarioOf(multicast, three));
    simulation.run();
    const logs = [...simulation.configuration.nodes.values()].map((node) => (node[APPLICATION]!.context as MulticastContext).log);
    expect(logs.map((log) => log.length)).toEqual([3, 3, 3]);
    expect(new Set(logs.map(String)).size).toBe(1);
  });
});

describe('mobile object and distributed counting', () => {
  const three = { topology: path(3), events: does('use', 'n0', 'n1', 'n2', 'n2') };

  test('every interleaving: one object, and each use has its own number', () => {
    expect(checkScenario(scenarioOf(mobileObject, three))).toMatchObject({ verdict: 'valid', states: 4122, vacuous: [] });
  });

  test('one after the other, the object travels from user to user', () => {
    const users = ['n1', 'n2', 'n3', 'n2', 'n1', 'n14', 'n15', 'n14', 'n13'];
    const events = users.map((node, i) => ({ at: 60 * i, node, do: 'use' }));
    const { verdict, summary } = new Simulation(scenarioOf(mobileObject, { topology: path(16), events })).run();
    expect(verdict).toBe('valid');
    // 1 + 1 + 1 + 1 + 1 + 13 + 1 + 1 + 1; fetching it at n0 and bringing it back takes 130.
    expect(summary).toMatchObject({ traveled: 21, numbers: { n1: [1, 5], n2: [2, 4], n14: [6, 8], n15: [7], n0: [] } });
  });

  test('counting: a hundred requests have the numbers from 1 to 100', () => {
    const scenario = {
      topology: { kind: 'tree', n: 7 },
      network: { latency: { min: 1, max: 9 } },
      workload: { command: 'use', concurrent: 5, requests: 100 },
    };
    const { verdict, summary } = new Simulation(scenarioOf(mobileObject, scenario), { host: 'snapshots' }).run();
    const numbers = Object.values(summary['numbers'] as Record<string, number[]>).flat();
    expect(verdict).toBe('valid');
    expect(numbers.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 100 }, (_, i) => i + 1));
  });

  const mutants = [
    {
      mistake: 'a user that passes the object on keeps it',
      chart: userMachine.provide({ guards: { isOfOthers: () => false } }),
      breaks: 'every request is served',
    },
    {
      mistake: 'a use is not counted',
      chart: userMachine.provide({
        actions: {
          receive: assign(({ context }: { context: UserContext }) => ({ numbers: [...context.numbers, context.uses] })) as never,
        },
      }),
      breaks: 'numbers have no gap',
    },
    {
      mistake: 'the next user is not forgotten, and receives the object again',
      chart: userMachine.provide({ actions: { forgetNext: assign({}) } }),
      breaks: 'one object',
    },
  ];

  test.each(mutants)('$mistake: violates "$breaks"', ({ chart, breaks }) => {
    expect(refuted(withChart(mobileObject, chart), three)).toContain(breaks);
  });

  test('each promise is broken by some mistake', () => {
    expect(new Set(mutants.map(({ breaks }) => breaks))).toEqual(new Set(objectProperties.map(({ name }) => name)));
  });
});

test('a stabilizing tree is refused, because messages of applications are routed', () => {
  expect(() => scenarioOf(multicast, { topology: path(3), options: { tree: 'stabilizing' } })).toThrow(
    'options.tree: multicast needs tree "fixed", because its messages are routed. Omit the option.',
  );
});
