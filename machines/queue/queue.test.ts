/** Whole runs of the queue: its promises from legal and from arbitrary starts, its report. */
import { describe, expect, test } from 'vitest';
import { simulateByName } from '../../testing/simulate.js';
import { parseScenario } from '../../network/scenario/parse.js';
import { Simulation } from '../../network/simulation.js';
import { Recorder } from '../../network/recorder.js';
import type { Message } from '../effects.js';
import type { TraceLine } from '../../network/trace.js';
import { queue } from './index.js';
import { fixed, nodes } from './queue.fixture.js';
import { recovers, ring, ringTree, TAUS, treeForms } from './recovery.fixtures.js';
import { edgesOf, isFullyLegal, isFullyLegalAsPrinted, look } from './view.js';

const allOne = { 'n0-n1': 1, 'n0-n2': 1, 'n1-n3': 1 };
const refuted = (report: ReturnType<typeof simulateByName>) =>
  report.properties.filter(({ holds }) => holds === false).map(({ name }) => name);

describe('a legal start', () => {
  test('each request is queued behind the one before it, and no edge is ever repaired', () => {
    const events = ['n3', 'n2', 'n2', 'n1'].map((node, i) => ({ at: 20 * i, node, do: 'request' }));
    const report = simulateByName({ ...fixed, events, until: { idle: true } });
    expect(report).toMatchObject({ verdict: 'valid', at: 62 });
    expect(report.summary).toEqual({
      order: [
        ['n3', 'n0'],
        ['n2', 'n3'],
        ['n2', 'n2'],
        ['n1', 'n2'],
      ],
      phi: allOne,
      legal: true,
      stabilizedAtRoundTrips: 0,
    });
    expect(report.properties.every(({ holds }) => holds === true)).toBe(true);
  });

  test('a sequential workload continues when a request is queued, at any node', () => {
    const { verdict, summary } = simulateByName({ ...fixed, workload: { sequential: ['n3', 'n0', 'n2', 'n3'] } });
    expect({ verdict, order: summary['order'] }).toEqual({
      verdict: 'valid',
      order: [
        ['n3', 'n0'],
        ['n0', 'n3'],
        ['n2', 'n0'],
        ['n3', 'n2'],
      ],
    });
  });

  test('requests at the same time make one queue: every predecessor is another request', () => {
    const events = Array.from({ length: 30 }, (_, i) => ({ at: 0, do: 'request', node: `n${i + 1}` }));
    const report = simulateByName({ protocol: 'queue', topology: { kind: 'tree', n: 31 }, events });
    const order = report.summary['order'] as [string, string][];
    expect(new Set(order.map(([requester]) => requester)).size).toBe(30);
    expect(new Set(order.map(([, predecessor]) => predecessor)).size).toBe(30);
    expect(refuted(report)).toEqual([]);
  });
});

describe('from arbitrary states (Corollary 6.8)', () => {
  test.each(TAUS)('seed 1, tau = %fR: fully legal within 3R + tau, requests correctly queued', (tau) => recovers(1, tau));

  test('some of the nodes only; twice; with until a time', () => {
    const events = [
      { at: 0, node: 'n3', do: 'request' },
      { at: 50, do: 'corrupt', nodes: ['n1', 'n3'] },
      { at: 53, do: 'corrupt', nodes: ['n0'] },
    ];
    const { verdict, at, summary } = simulateByName({ ...fixed, events, until: { at: 200 } });
    expect({ verdict, at }).toEqual({ verdict: 'valid', at: 200 });
    expect(summary).toMatchObject({ order: [['n3', 'n0']], phi: allOne, legal: true });
    expect(summary['stabilizedAtRoundTrips']).toBeLessThanOrEqual(5);
  });

  test('a run that ends in between reports it', () => {
    const report = simulateByName({ ...fixed, events: [{ at: 50, do: 'corrupt' }], until: { at: 51 } });
    expect(report.summary).toMatchObject({ legal: false, stabilizedAtRoundTrips: null });
    expect(report.properties.find(({ kind }) => kind === 'converges')!.holds).toBe(null);
  });

  test('a sequential workload survives requests that corruption has swallowed', () => {
    const sequential = Array.from({ length: 12 }, (_, i) => `n${i % 4}`);
    const events = [3, 9, 14].map((at) => ({ at, do: 'corrupt' }));
    const { verdict, summary } = simulateByName({ ...fixed, events, workload: { sequential } });
    expect(verdict).toBe('valid');
    expect((summary['order'] as unknown[]).length).toBeGreaterThan(6);
  });

  test('without repair the same run violates it', () => {
    const scenario = parseScenario({ ...fixed, events: [{ at: 5, do: 'corrupt' }], until: { at: 100 } }, { queue });
    const idle = {
      ...queue,
      charts: {
        ...queue.charts,
        guardian: queue.charts['guardian']!.provide({ guards: { estimatesExcess: () => false } as any }),
      },
    };
    const report = new Simulation({ ...scenario, protocol: idle }).run();
    expect(report).toMatchObject({ verdict: 'invalid' });
    expect(refuted(report)).toContain('every edge becomes fully legal');
  });
});

test('erratum S5: an old observer after a timeout makes a legal edge illegal', () => {
  const scenario = parseScenario(
    { protocol: 'queue', topology: { kind: 'path', n: 2 }, options: { tau: 2 }, until: { at: 40 } },
    { queue },
  );
  const { network } = new Simulation(scenario);
  const pointer = (id: string, parent: string | null, children: string[]) => ({
    pointer: { chart: 'pointer', value: 'self', context: { id, pointer: id, parent, children, tau: 4 } },
  });
  const context = { child: 'n1', tau: 4, sent: 1, est: 0, timely: false };
  const guardian = { chart: 'guardian', value: 'observe', context };
  const inFlight = [{ type: 'obsr', x: 0 } as Message, { type: 'find', origin: null } as Message];
  network.startFrom({
    nodes: {
      n0: { roles: { ...pointer('n0', null, ['n1']), 'guardian:n1': guardian }, timers: [['guardian:n1', 'observe']] },
      n1: { roles: pointer('n1', 'n0', []), timers: [] },
    },
    flights: inFlight.map((message, id) => ({ id, from: 'n1', to: 'n0', message, cost: 1 })),
  });
  const edge = () => look(network.configuration, edgesOf(network.configuration)[0]!);
  expect(edge().phi).toBe(1);
  expect([isFullyLegalAsPrinted(edge()), isFullyLegal(edge())]).toEqual([true, false]);

  expect(network.world.make({ timer: ['n0', 'guardian:n1', 'observe'] })).toBe(true);
  expect(network.world.make({ deliver: 0 })).toBe(true);
  expect(edge().phi).toBe(2);
  expect(network.world.make({ deliver: 1 })).toBe(true);
  expect(edge().phi).toBe(2);
});

describe('the stabilizing tree (part 3)', () => {
  test("seed 1: invented roots disappear, the first node's tree forms, the queue follows", () => treeForms(1));

  test('starts legal, and the root of the options has the smallest identity', () => {
    const { summary } = simulateByName({
      ...ring,
      options: { tree: 'stabilizing', root: 'n2' },
      workload: { sequential: ['n6', 'n0'] },
    });
    expect(summary).toMatchObject({
      order: [
        ['n6', 'n2'],
        ['n0', 'n6'],
      ],
      stabilizedAtRoundTrips: 0,
    });
    expect(Object.keys(summary['phi'] as object)).toContain('n2-n1');
  });

  test('moves when one of its links goes down, and returns with it', () => {
    const events = [
      { at: 10, do: 'cut', link: ['n0', 'n1'] },
      { at: 400, do: 'join', link: ['n0', 'n1'], weight: 1 },
      { at: 800, do: 'request', node: 'n4' },
    ];
    expect(simulateByName({ ...ring, events: events.slice(0, 1) }).summary['phi']).toMatchObject({ 'n0-n7': 1, 'n2-n1': 1 });
    expect(simulateByName({ ...ring, events })).toMatchObject({
      verdict: 'valid',
      summary: { phi: ringTree, order: [['n4', 'n0']] },
    });
  });

  test('two components are two queues', () => {
    const topology = {
      nodes: ['a', 'b', 'c', 'd'],
      links: [
        ['a', 'b'],
        ['c', 'd'],
      ],
    };
    const report = simulateByName({
      ...ring,
      topology,
      events: [{ at: 5, do: 'corrupt' }],
      workload: { concurrent: 4, requests: 4 },
    });
    expect(report).toMatchObject({ verdict: 'valid', summary: { legal: true, phi: { 'a-b': 1, 'c-d': 1 } } });
  });
});

test('both hosts leave the same trace, corruption and moving tree included', () => {
  const traces = (['actors', 'snapshots'] as const).map((host) => {
    const events = [
      { at: 7, do: 'corrupt' },
      { at: 40, do: 'cut', link: ['n0', 'n1'] },
      { at: 90, do: 'request', node: 'n3' },
    ];
    const scenario = { protocol: 'queue', topology: { kind: 'ring', n: 5 }, options: { tree: 'stabilizing' }, events };
    const simulation = new Simulation(parseScenario(scenario, { queue }), { host });
    const lines: TraceLine[] = [];
    new Recorder(simulation.network, queue, simulation.monitor).lines$.subscribe((line) => lines.push(line));
    simulation.run();
    return lines.map((line) => JSON.stringify(line));
  });
  expect(traces[0]!.length).toBeGreaterThan(300);
  expect(traces[0]).toEqual(traces[1]);
});

describe('links that lose messages, nodes that stop', () => {
  test('a lost message is an ordinary fault: legal again once it is repaired', () => {
    const report = simulateByName({
      ...fixed,
      network: { latency: 1, loss: 0.2 },
      workload: { concurrent: 2, requests: 10 },
      until: { at: 400 },
    });
    expect(refuted(report)).toEqual([]);
  });

  test('a node that was down is caught up with', () => {
    const events = [
      { at: 3, do: 'crash', node: 'n1' },
      { at: 5, do: 'request', node: 'n3' },
      { at: 60, do: 'restart', node: 'n1' },
      { at: 200, do: 'request', node: 'n2' },
    ];
    const report = simulateByName({ ...fixed, events });
    expect(report).toMatchObject({ verdict: 'valid', summary: { phi: allOne, legal: true } });
    // The request of n3 was lost at the node that was down.
    expect(report.summary['order']).toEqual([['n2', 'n0']]);
  });
});

test('the picture marks an illegal edge, and the action of its guardian', () => {
  const scenario = parseScenario({ ...fixed, events: [{ at: 0, do: 'corrupt' }], seed: 3 }, { queue });
  const simulation = new Simulation(scenario);
  const marks = () => {
    const c = simulation.configuration;
    return nodes.flatMap((id) => queue.overlay!(c.nodes.get(id)!, id, c.links, c).edges ?? []);
  };
  simulation.start();
  expect(marks().map(({ label, wrong }) => [label, wrong])).toEqual(nodes.slice(1).map(() => ['φ = 1, correct', false]));
  simulation.advance();
  expect(marks().some(({ wrong }) => wrong)).toBe(true);
  while (simulation.advance());
  expect(marks().every(({ label, wrong }) => !wrong && label.startsWith('φ = 1'))).toBe(true);
});
