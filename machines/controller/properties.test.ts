/** Every property of the controller holds at the end of a run and is violated by a bad state: none of them is vacuous. */
import { describe, expect, test } from 'vitest';
import { assign } from 'xstate';
import { parseScenario } from '../../network/scenario/parse.js';
import { Simulation } from '../../network/simulation.js';
import type { Configuration, Flight, Property } from '../protocol.js';
import { controller } from './index.js';
import { rootMachine, type RootContext } from './root.js';

type Json = Record<string, any>;

interface Bad {
  /** Changes of a role's context or state. */
  readonly roles?: readonly (readonly [node: string, role: string, change: { value?: unknown; context?: Json }])[];
  readonly flights?: readonly Partial<Flight>[];
}

/** The end of a run in which n2 takes and n1 gets a child, with `bad` changed in it. */
function configuration(options: Json, { roles = [], flights = [] }: Bad): Configuration<any> {
  const scenario = parseScenario(
    {
      protocol: 'controller',
      topology: { kind: 'path', n: 3 },
      options: { root: 'n0', ...options },
      events: [
        { at: 0, node: 'n2', do: options['kind'] === 'bank' ? 'deposit' : 'take' },
        ...(options['kind'] === 'basic' ? [] : [{ at: 0, node: 'n1', do: 'child' }]),
      ],
    },
    { controller },
  );
  const simulation = new Simulation(scenario, { host: 'snapshots' });
  expect(simulation.run().verdict).toBe('valid');
  const nodes: Record<string, Json> = structuredClone(Object.fromEntries(simulation.configuration.nodes));
  for (const [node, role, { value, context }] of roles) {
    const view = nodes[node]![role];
    nodes[node]![role] = { ...view, value: value ?? view.value, context: { ...view.context, ...context } };
  }
  return {
    instance: simulation.instance,
    nodes: new Map(Object.entries(nodes)) as Configuration['nodes'],
    flights: flights.map((flight, id) => ({ id, from: 'n1', to: 'n0', cost: 1, message: { type: 'collect' }, ...flight })),
    links: simulation.configuration.links,
  };
}

const request = (level: number) => ({ message: { type: 'request', of: 'R', level } as Flight['message'] });
const basic = { kind: 'basic', M: 9, W: 2 };
const exhausted = ['n2', 'R.request', { value: 'exhausted', context: { hasRejected: true } }] as const;
const signaled = ['n0', 'R.delivery', { value: 'signaled' }] as const;
const dead = { N: { exponent: null }, alive: false };
const waiting = ['n2', 'R.request', { value: { refilling: 'open' } }] as const;
const full = [
  'n2',
  'R.request',
  { value: { refilling: 'open' }, context: { permits: 1, wanted: { purpose: 'take', amount: 1 } } },
] as const;

const cases: readonly (readonly [name: string, options: Json, bad: Bad])[] = [
  ['conservation', basic, { roles: [['n0', 'R.delivery', { context: { permits: 7 } }]] }],
  ['at most M', basic, { roles: [['n2', 'R.request', { context: { issued: 10 } }]] }],
  ['rejects follow the signal', basic, { roles: [exhausted] }],
  ['no request is forgotten', basic, { roles: [waiting] }],
  [
    'one request a link',
    basic,
    { roles: [['n1', 'R.delivery', { value: { stocked: 'relaying' } }]], flights: [request(-1), request(0)] },
  ],
  ['one request a link', basic, { flights: [request(-1)] }],
  ['the signal means a reject', basic, { roles: [signaled] }],
  ['at most W wasted', basic, { roles: [signaled, exhausted] }],
  ['bins are empty or half full', basic, { roles: [['n2', 'R.request', { context: { permits: 1 } }]] }],
  ['bins are empty or half full', basic, { roles: [['n1', 'R.delivery', { context: { permits: 1 } }]] }],
  ['every request is answered', basic, { roles: [waiting] }],
  ['every join is permitted', { kind: 'main', M: 9, W: 2 }, { roles: [['n1', 'N.request', { value: 'held' }]] }],
  ['the signal waits for the permits', { kind: 'main', M: 9, W: 2, signal: 'late' }, { roles: [signaled] }],
  ['names are unique', { kind: 'names' }, { roles: [['n1', 'main', { context: { name: 2 } }]] }],
  ['names are short', { kind: 'names' }, { roles: [['n1', 'main', { context: { name: 16 } }]] }],
  [
    'participants double at least and triple at most',
    { kind: 'main', M: 9, W: 2 },
    { roles: [['n0', 'main', { context: { phase: { cause: 'N', previous: 3, n: 10, departed: 0 } } }]] },
  ],
  ['a withdrawal waits only for a deposit', { kind: 'bank', M: 9, W: 2 }, { roles: [waiting] }],
  ['a bank rejects nothing', { kind: 'bank', M: 9, W: 2 }, { roles: [exhausted] }],
  ['full deposits are passed on', { kind: 'bank', M: 9, W: 2 }, { roles: [['n2', 'D', { context: { local: 1 } }]] }],
  ['every node is in or out', basic, { roles: [['n1', 'main', { value: 'leaving' }]] }],
  ['bins follow the terms', basic, { roles: [['n2', 'R.request', { context: { scale: { exponent: 5 } } }]] }],
  ['bins follow the terms', basic, { roles: [['n1', 'main', { context: { terms: { ...dead, R: { exponent: -4 } } } }]] }],
  ['a change holds what is asked', basic, { roles: [['n1', 'main', { value: 'echoed' }]] }],
  ['no bin is overdrawn', basic, { roles: [['n2', 'R.request', { context: { permits: -1 } }]] }],
  ['who waits is served once', basic, { roles: [waiting] }],
  ['who waits is served once', basic, { roles: [full, ['n2', 'R.delivery', { value: { stocked: 'refilling' } }]] }],
  ['nothing is stuck', basic, { roles: [['n1', 'R.delivery', { value: { stocked: 'refilling' } }]] }],
  ['parents know their children', basic, { roles: [['n1', 'main', { context: { children: [] } }]] }],
  ['parents know their children', basic, { roles: [['n2', 'main', { context: { depth: 3 } }]] }],
  ['parents know their children', basic, { roles: [['n1', 'main', { context: { children: ['n2', 'n2'] } }]] }],
  ['a change is a wave', { kind: 'main', M: 9, W: 2 }, { roles: [['n1', 'main', { value: 'settling' }]] }],
  [
    'requests stop at their supervisor',
    basic,
    { roles: [['n1', 'R.delivery', { value: { stocked: 'refilling' } }]], flights: [request(-1)] },
  ],
  ['requests stop at their supervisor', basic, { flights: [request(0)] }],
  ['every participant has a name', { kind: 'names' }, { roles: [['n1', 'main', { context: { name: null } }]] }],
];

function holds(name: string, options: Json, bad: Bad): boolean {
  const c = configuration(options, bad);
  const property = controller.properties(c.instance).find((candidate) => candidate.name === name) as Property<any>;
  if (property.kind !== 'eventually') return (property as Property & { kind: 'always' }).holds(c);
  return [...c.nodes.keys()].every((node) => !property.when(c, node) || property.holds(c, node));
}

describe('invariants I1 to I10 and C4 (spec section 7)', () => {
  test.each(cases)('%s', (name, options, bad) => {
    expect(holds(name, options, {})).toBe(true);
    expect(holds(name, options, bad)).toBe(false);
  });

  test('there is a bad state for each of them', () => {
    const names = [basic, { kind: 'main', M: 1, signal: 'late' }, { kind: 'names' }, { kind: 'bank' }].flatMap((options) => {
      const { instance } = configuration({ root: 'n0', ...options }, {});
      return controller.properties(instance).map(({ name }) => name);
    });
    expect(new Set(cases.map(([name]) => name))).toEqual(new Set(names));
  });
});

describe('mutants of the root are found out by a run', () => {
  const refuted = (root: typeof rootMachine, options: Json, events: readonly Json[]): string[] => {
    const mutant = { ...controller, charts: { ...controller.charts, root } };
    const scenario = { protocol: 'controller', topology: { kind: 'path', n: 3 }, options, events };
    const { properties } = new Simulation(parseScenario(scenario, { controller: mutant })).run();
    return properties.filter(({ holds }) => holds === false).map(({ name }) => name);
  };

  test('a bank that pays out of an empty bin overdraws the account', () => {
    const generous = rootMachine.provide({ guards: { isFirst: () => true } });
    const events = [{ at: 0, node: 'n2', do: 'withdraw', amount: 3 }];
    expect(refuted(generous, { kind: 'bank', M: 2 }, events)).toEqual(['at most M', 'no bin is overdrawn', 'never overdrawn']);
    expect(refuted(rootMachine, { kind: 'bank', M: 2 }, events)).toEqual([]);
  });

  test('a node that forgets its issued names issues them again', () => {
    const forgetful = rootMachine.provide({
      actions: { payOut: assign(({ context }: { context: RootContext }) => ({ permits: context.permits - 1 })) },
    });
    const events = ['n0', 'n1', 'n2'].map((node, at) => ({ at, node, do: 'name' }));
    expect(refuted(forgetful, { kind: 'names' }, events)).toEqual(['names are unique']);
    expect(refuted(rootMachine, { kind: 'names' }, events)).toEqual([]);
  });
});
