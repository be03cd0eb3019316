/** The applications of the queue as systems: every interleaving, runs under load, and mistakes that break each promise. */
import { describe, expect, test } from 'vitest';
import { assign, raise, type AnyStateMachine } from 'xstate';
import { parseScenario } from '../../network/scenario/parse.js';
import { Simulation } from '../../network/simulation.js';
import { checkScenario } from '../../test/explore/scenario.js';
import type { Instance, Protocol } from '../../machines/protocol.js';
import { multicastCore } from '../../machines/queue/applications/core.js';
import { DELIVERY, deliveryMachine, type DeliveryContext } from '../../machines/queue/applications/delivery.js';
import { PLACES, placesMachine } from '../../machines/queue/applications/places.js';
import { explore } from '../../test/explore/explore.js';
import { arbitraryApplication, arbitraryQueue, eachOnce, pathOf } from './corruption.fixtures.js';
import { mutantsOfChart, nameOf } from '../../test/mutants/chart-mutants.js';
import { APPLICATION } from './layer.js';
import { mobileObject, objectProperties, userMachine, type UserContext } from './mobile-object.js';
import { deliveredEverywhere, multicast, multicastProperties, withoutFaults } from './multicast.js';

const scenarioOf = (protocol: Protocol, json: object) =>
  parseScenario({ protocol: protocol.name, ...json }, { [protocol.name]: protocol });
const path = (n: number) => ({ kind: 'path', n });
const does = (word: string, ...nodes: readonly string[]) => nodes.map((node) => ({ at: 0, node, do: word }));
const withCharts = (protocol: Protocol, charts: Protocol['charts']): Protocol => ({
  ...protocol,
  charts: { ...protocol.charts, ...charts },
});
const mutantOf = (name: string, machine: AnyStateMachine, mistake: string): never =>
  mutantsOfChart(name, machine).find((one) => nameOf(one) === mistake)!.machine as never;
const refuted = (protocol: Protocol, json: object, properties: Parameters<typeof checkScenario>[1]): string[] =>
  checkScenario(scenarioOf(protocol, json), properties)
    .properties.filter(({ holds }) => holds === false)
    .map(({ name }) => name);

describe('totally ordered multicast', () => {
  const two = { topology: path(3), events: does('multicast', 'n0', 'n2') };
  const three = { topology: path(2), events: does('multicast', 'n0', 'n1', 'n1') };
  const properties = [...multicastProperties, ...withoutFaults];

  test.each([
    ['two messages of three nodes', two, 4198, []],
    // With one channel between them, each message comes behind the one before it.
    ['three messages of two nodes', three, 219, ['no message waits forever']],
  ])('every interleaving of %s: all nodes deliver in one order', (_, system, expected, untested) => {
    const { verdict, states, vacuous } = checkScenario(scenarioOf(multicast, system), { properties });
    expect({ verdict, states, vacuous }).toEqual({ verdict: 'valid', states: expected, vacuous: untested });
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
    expect(summary['promised']).toBe(60);
  });

  const everyTwenty = (from: number, count: number) =>
    Array.from({ length: count }, (_, i) => ({ at: from + 20 * i, node: `n${(3 * i) % 7}`, do: 'multicast' }));
  const REPAIRED = 'after the repair, all nodes deliver every message in one order';
  const afterFaults = (seed: number, faults: readonly object[], protocol = multicast) => {
    const scenario = {
      topology: { kind: 'tree', n: 7 },
      network: { latency: { min: 1, max: 9 } },
      options: { runs: 2 ** 31 },
      events: [...everyTwenty(1, 30), ...faults, ...everyTwenty(1501, 10)],
      seed,
    };
    return new Simulation(scenarioOf(protocol, scenario), { host: 'snapshots' }).run();
  };
  const corruption = [{ at: 200, do: 'corrupt' }];
  const churn = ['n0', 'n3', 'n1'].flatMap((node, i) => [
    { at: 200 + 30 * i, node, do: 'crash' },
    { at: 240 + 30 * i, node, do: 'restart' },
  ]);

  test.each([
    ['an arbitrary state of everything', corruption],
    ['three nodes that crash and restart, the root first', churn],
  ])('%s: later messages have one order', (_, faults) => {
    for (const seed of [1, 2, 3]) {
      const { verdict, summary, properties: results } = afterFaults(seed, faults);
      expect(verdict).toBe('valid');
      expect(results.find(({ name }) => name === REPAIRED)!.holds).toBe(true);
      expect(summary['promised']).toBeGreaterThanOrEqual(10);
    }
  });

  const delivery = (implementations: object) => ({ [DELIVERY]: deliveryMachine.provide(implementations) });
  const places = (implementations: object) => ({ [PLACES]: placesMachine.provide(implementations) });
  const none = assign({});
  type In = { readonly context: DeliveryContext };
  const hasSome = ({ context }: In) => context.held.length > 0;
  const deliverFirst = assign(({ context: { held, log } }: In) => {
    const [{ id, after }] = held as [DeliveryContext['held'][number]];
    return { last: id, held: held.slice(1), log: [...log, [id, after] as const] };
  });
  const whenItArrives = delivery({ guards: { hasNext: hasSome }, actions: { deliverNext: deliverFirst, announceNext: none } });
  const toFewer: Protocol = {
    ...multicast,
    roles: (node, instance) =>
      multicast
        .roles(node, instance as Instance<any>)
        .map((start) => (start.role === DELIVERY ? { ...start, input: { ...(start.input as object), others: [] } } : start)),
  };
  const mutants = [
    { mistake: 'a message is delivered when it arrives', charts: whenItArrives, breaks: 'one order' },
    {
      mistake: 'a message is delivered when it arrives',
      charts: whenItArrives,
      breaks: 'no message comes before its predecessor',
    },
    {
      mistake: 'a node answers about a message that it will still send',
      charts: { [PLACES]: mutantOf(PLACES, placesMachine, 'drop transition placing: ask') },
      breaks: 'no message comes before its predecessor',
    },
    {
      mistake: 'a message is delivered twice',
      charts: delivery({
        actions: {
          deliverNext: assign(({ context }: In) => {
            const [{ id, after }] = context.held as [DeliveryContext['held'][number]];
            return { last: id, held: [], log: [...context.log, [id, after], [id, after]] as const };
          }),
        },
      }),
      breaks: 'a message is delivered once',
    },
    {
      mistake: 'a second message follows nothing again',
      charts: places({ actions: { followOwn: raise({ type: 'follows', after: null } as never) } }),
      breaks: 'one chain',
    },
    {
      mistake: 'the place of a message is not noticed',
      charts: { ...places({ actions: { announcePlaced: none } }), ...delivery({ guards: { isTimer: () => false } }) },
      breaks: 'every message gets a place',
    },
    {
      mistake: 'a held message is never delivered',
      charts: delivery({ guards: { hasNext: () => false, isTimer: () => false } }),
      breaks: 'no message waits forever',
    },
    {
      mistake: 'a message is sent to no other node',
      charts: toFewer.charts,
      breaks: deliveredEverywhere.name,
      protocol: toFewer,
    },
  ];

  test.each(mutants)('$mistake: violates "$breaks"', ({ charts, breaks, protocol = multicast as Protocol }) => {
    const judged = properties.filter(({ name }) => name === breaks);
    const refutations = [two, three].flatMap((system) => refuted(withCharts(protocol, charts), system, { properties: judged }));
    expect(refutations).toContain(breaks);
  });

  test('each promise is broken by some mistake', () => {
    expect(new Set(mutants.map(({ breaks }) => breaks))).toEqual(new Set(properties.map(({ name }) => name)));
  });

  describe('from arbitrary states', () => {
    const [a, b] = ['a', 'b'];
    const started = (node: string, instance: Instance<any>) => {
      const inputOf = (role: string) => multicastCore.roles(node, instance).find((one) => one.role === role)!.input as object;
      const delivering = { ...inputOf(DELIVERY), own: null, last: null, held: [], log: [] };
      const roles = {
        [PLACES]: { chart: PLACES, value: 'ready', context: { ...inputOf(PLACES), run: 0, count: 0 } },
        [DELIVERY]: { chart: DELIVERY, value: { sending: 'idle', receiving: 'current' }, context: delivering },
      };
      return { roles, timers: [] };
    };
    const commands = eachOnce('multicast', a, b);

    test.each([
      [0, 2331],
      [1, 153140],
    ])('an arbitrary queue of two nodes, %i messages in each channel', (messages, states) => {
      const found = explore(arbitraryQueue(multicast, started, messages), {
        ...pathOf(a, b),
        commands,
        properties: multicastProperties,
      });
      expect(found).toMatchObject({ verdict: 'valid', states, vacuous: [] });
    });

    const onlyB = { ...pathOf(a, b), corrupt: [b], commands, properties: [...multicastProperties, deliveredEverywhere] };

    test('an arbitrary node on a legal queue', () => {
      expect(explore(arbitraryApplication(multicast, 0), onlyB)).toMatchObject({ verdict: 'valid', states: 17081, vacuous: [] });
    });

    test('mistake: a node ignores the answer about a missing message, and waits forever', () => {
      const mutant = withCharts(multicast, delivery({ actions: { skip: none } })) as typeof multicast;
      const { counterexample } = explore(arbitraryApplication(mutant, 0), onlyB);
      expect(counterexample?.property).toBe('no message waits forever');
    });

    test('mistake: a destroyed request is not given up', () => {
      const hangs = { ...places({ actions: { announceFirst: none } }), ...delivery({ guards: { isTimer: () => false } }) };
      const mutant = withCharts(multicast, hangs) as typeof multicast;
      const { counterexample } = explore(arbitraryApplication(mutant, 0), onlyB);
      expect(counterexample?.property).toBe('every message gets a place');
    });
  });
});

describe('mobile object and distributed counting', () => {
  const three = { topology: path(3), events: does('use', 'n0', 'n1', 'n2', 'n2') };

  test('every interleaving: one object, and each use has its own number', () => {
    expect(checkScenario(scenarioOf(mobileObject, three))).toMatchObject({ verdict: 'valid', states: 4122, vacuous: [] });
  });

  const untouched = (node: string, instance: Instance<any>) => {
    const { roles, timers } = mobileObject.corruption!.node(node, instance, () => 0);
    return { roles: { [APPLICATION]: roles[APPLICATION]! }, timers: timers.filter(({ role }) => role === APPLICATION) };
  };
  const safety = objectProperties.filter(({ kind }) => kind === 'always');
  const onArbitraryQueue = (
    protocol: typeof mobileObject,
    nodes: readonly string[],
    users: readonly string[],
    messages: number,
  ) =>
    explore(arbitraryQueue(protocol, untouched, messages), {
      ...pathOf(...nodes),
      commands: eachOnce('use', ...users),
      properties: safety,
    });

  test.each([
    [['a', 'b'], ['a', 'b', 'b'], 0, 844],
    [['a', 'b'], ['a', 'b'], 1, 40913],
    [['a', 'b', 'c'], ['b', 'c'], 0, 49360],
  ] as const)('an arbitrary queue of %j, requests of %j, channels of %i: one object', (nodes, users, messages, states) => {
    expect(onArbitraryQueue(mobileObject, nodes, users, messages)).toMatchObject({ verdict: 'valid', states, vacuous: [] });
  });

  test('mistake on an arbitrary queue: a node that does not wait for the object loses it', () => {
    const mutant = withCharts(mobileObject, {
      [APPLICATION]: mutantOf(APPLICATION, userMachine, 'drop transition away: object'),
    }) as typeof mobileObject;
    expect(onArbitraryQueue(mutant, ['a', 'b'], ['a', 'b'], 1).counterexample?.property).toBe('one object');
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
      mistake: 'a node that holds the object does not send it',
      chart: mutantOf(APPLICATION, userMachine, 'drop action holding: queued, action 1'),
      breaks: 'one object',
    },
  ];

  test.each(mutants)('$mistake: violates "$breaks"', ({ chart, breaks }) => {
    expect(refuted(withCharts(mobileObject, { [APPLICATION]: chart as never }), three, {})).toContain(breaks);
  });

  test('each promise is broken by some mistake', () => {
    expect(new Set(mutants.map(({ breaks }) => breaks))).toEqual(new Set(objectProperties.map(({ name }) => name)));
  });
});

test('a stabilizing tree is refused, because messages do not follow the tree', () => {
  expect(() => scenarioOf(multicast, { topology: path(3), options: { tree: 'stabilizing' } })).toThrow(
    'options.tree: an application of the queue needs tree "fixed", because its messages do not follow the tree. Omit the option.',
  );
});
