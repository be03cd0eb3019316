/** Past events count after their node has left, was cut off, or has crashed and restarted. */
import { assign, createMachine } from 'xstate';
import { describe, expect, test } from 'vitest';
import { parseScenario } from '../../network/scenario/parse.js';
import { Simulation } from '../../network/simulation.js';
import { checkScenario } from '../../test/explore/scenario.js';
import { brokenByMutant } from '../mutants.fixtures.js';
import type { Protocol } from '../protocol.js';
import { controller } from './index.js';
import { mainMachine } from './growth/membership.js';
import { rootMachine, type RootContext } from './root.js';

type Json = Readonly<Record<string, unknown>>;

const at = (time: number, node: string, word: string, amount?: number) => ({
  at: time,
  node,
  do: word,
  ...(amount !== undefined && { amount }),
});

const scenarioOf = (json: Json, protocol: Protocol = controller) =>
  parseScenario({ protocol: 'controller', ...json }, { controller: protocol });

const broken = (properties: readonly { readonly name: string; readonly holds: boolean | null }[]) =>
  properties.filter(({ holds }) => holds === false).map(({ name }) => name);

const run = (json: Json, protocol?: Protocol) => broken(new Simulation(scenarioOf(json, protocol)).run().properties);

const path = (n: number) => ({ kind: 'path', n });

const kinds = [
  ...['naive', 'bins', 'basic', 'main', 'modified', 'adaptive'].map((kind) => ({ kind })),
  { kind: 'basic', pipelined: true },
  { kind: 'modified', pipelined: true },
  { kind: 'main', signal: 'late' },
  { kind: 'modified', signal: 'late' },
];

describe.each(kinds)('%o', (options) => {
  test.each([
    [
      'a rejected leaf leaves',
      {
        topology: path(2),
        options: { ...options, M: 1, W: 0 },
        events: [at(0, 'n0', 'take'), at(1, 'n1', 'take'), at(9, 'n1', 'leave')],
      },
    ],
    [
      'rejected leaves leave one after the other',
      {
        topology: path(3),
        options: { ...options, M: 0, W: 0 },
        events: [at(0, 'n2', 'leave'), at(0, 'n1', 'take'), at(0, 'n1', 'take'), at(0, 'n1', 'leave')],
      },
    ],
  ])('%s: valid in a run and in every interleaving', (_, json) => {
    expect(run(json)).toEqual([]);
    expect(checkScenario(scenarioOf(json))).toMatchObject({ verdict: 'valid' });
  });
});

test.each(['naive', 'bins', 'basic', 'main', 'modified'])(
  '%s: permits of a rejected request are not waste once its node has left',
  (kind) => {
    const events = [at(0, 'n1', 'take', 9), at(40, 'n1', 'leave'), at(60, 'n0', 'take', 2), at(60, 'n2', 'take')];
    const topology = { nodes: ['n0', 'n1', 'n2'], links: ['n1', 'n2'].map((leaf) => ['n0', leaf]) };
    const json = { topology, options: { kind, M: 5, W: 0 }, events };
    expect(run(json)).toEqual([]);
    expect(checkScenario(scenarioOf(json), { bounds: { states: 20_000 } })).toMatchObject({ verdict: 'valid' });
  },
);

test.each([
  { kind: 'bins', M: 12, W: 9 },
  { kind: 'main', M: 480, W: 480 },
])('%o: permits that a leaf returned are lost with its link, in either order', (options) => {
  for (const link of [
    ['n1', 'n2'],
    ['n2', 'n1'],
  ]) {
    const events = [
      ...['take', 'take', 'leave'].map((word) => at(0, 'n2', word)),
      at(0, 'n1', 'take'),
      ...[3.75, 4.75].flatMap((cut) => [
        { at: cut, do: 'cut', link },
        { at: cut + 0.1, do: 'join', link },
      ]),
    ];
    const json = { topology: path(3), options, events };
    expect(run(json)).toEqual([]);
    expect(checkScenario(scenarioOf(json), { bounds: { states: 20_000 } })).toMatchObject({ verdict: 'valid' });
  }
});

test('waste is judged after the only node that was rejected has left', () => {
  // The root rejects n1 although it has permits. n1 has left before the answer to the distant n2 has arrived.
  const unjust = rootMachine.provide({
    guards: { canServe: ({ context, event }) => context.permits > 0 && (event as { from?: string }).from !== 'n1' },
  });
  const links = [
    ['n0', 'n1', 1],
    ['n0', 'n2', 100],
  ];
  const json = {
    topology: { nodes: ['n0', 'n1', 'n2'], links },
    network: { latency: 'weight' },
    options: { kind: 'basic', M: 5, W: 0 },
    events: [at(0, 'n1', 'take'), at(0, 'n2', 'take'), at(9, 'n1', 'leave')],
  };
  const mutant = { ...controller, charts: { ...controller.charts, root: unjust } };
  expect(run(json, mutant)).toEqual(['at most W wasted']);
  expect(run(json)).toEqual([]);
});

test('a name that a node took stays given when the node is cut off', () => {
  const forgetful = rootMachine.provide({
    actions: { payOut: assign(({ context }: { context: RootContext }) => ({ permits: context.permits - 1 })) },
  });
  const json = {
    topology: path(3),
    options: { kind: 'names' },
    events: [at(0, 'n2', 'name'), { at: 20, do: 'cut', link: ['n1', 'n2'] }, at(40, 'n0', 'name')],
  };
  expect(run(json, { ...controller, charts: { ...controller.charts, root: forgetful } })).toEqual(['names are unique']);
  expect(run(json)).toEqual([]);
});

test.each([
  [3, 'a permit was on its way to it'],
  [1, 'a request was on its way to it'],
])('a node that was down at %i and came back has lost what came meanwhile: %s', (time) => {
  const events = [
    at(0, 'n2', 'take'),
    { at: time, node: 'n1', do: 'crash' },
    { at: 20, node: 'n1', do: 'restart' },
    at(30, 'n0', 'take'),
  ];
  const json = { topology: path(3), options: { kind: 'bins', M: 12, W: 9 }, events };
  expect(run(json)).toEqual([]);
  expect(checkScenario(scenarioOf(json))).toMatchObject({ verdict: 'valid' });
});

test('a leaf with a deferred request stays: the resulting change may be slower', () => {
  const json = { topology: path(2), options: { kind: 'main', M: 0, W: 0, signal: 'late' } };
  const events = [at(0, 'n1', 'take'), at(5.5, 'n1', 'leave')];
  const hasty = { ...json, network: { latency: { min: 1, max: 9 } }, events, seed: 1 };
  expect(run(hasty)).toEqual([]);
  expect(checkScenario(scenarioOf(hasty))).toMatchObject({ verdict: 'valid' });
  expect(brokenByMutant(controller, { protocol: 'controller', ...hasty }, 'request', 'drop transition held: depart')).toEqual([
    'the signal means a reject',
    'answers are notified',
  ]);
});

test('a node that has lost a child stays: an answer for that child may be in flight', () => {
  const json = {
    topology: path(4),
    options: { kind: 'naive', M: 9, W: 0 },
    network: { latency: 5 },
    events: [at(0, 'n3', 'take'), { at: 12, do: 'cut', link: ['n2', 'n3'] }, at(13, 'n2', 'leave')],
  };
  expect(run(json)).toEqual([]);
});

describe('a node whose parent was cut off', () => {
  const takes = [at(0, 'n2', 'take'), at(0, 'n2', 'take', 2), at(0, 'n1', 'take'), at(0, 'n1', 'take')];
  const change = (time: number, what: 'cut' | 'join', u: string, v: string) => ({ at: time, do: what, link: [u, v] });
  const json = { topology: path(3), options: { kind: 'naive', M: 4, W: 2, U: 4 } };

  test('may be notified last, after its link to the parent has come up again', () => {
    const links = [change(5, 'cut', 'n1', 'n0'), change(5, 'cut', 'n1', 'n2'), change(35, 'join', 'n1', 'n0')];
    const events = [...takes, ...links, change(35, 'join', 'n1', 'n2')];
    expect(run({ ...json, events })).toEqual([]);
    expect(checkScenario(scenarioOf({ ...json, events }))).toMatchObject({ verdict: 'valid' });
  });

  test('must be notified: its request would wait forever', () => {
    const { config, implementations } = mainMachine as any;
    const severing = { ...config.states.severing, entry: config.states.severing.entry.slice(1) };
    const silent = createMachine({ ...config, states: { ...config.states, severing } }, implementations);
    const events = [...takes, change(5, 'cut', 'n1', 'n0')];
    const found = checkScenario(
      scenarioOf({ ...json, events }, { ...controller, charts: { ...controller.charts, main: silent } }),
    );
    expect(found).toMatchObject({ verdict: 'invalid', counterexample: { property: 'every request is answered' } });
    expect(checkScenario(scenarioOf({ ...json, events }))).toMatchObject({ verdict: 'valid' });
  });
});
