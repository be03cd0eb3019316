/// <reference types="vite/client" />
/** Features that a protocol gets from its description. */
import { describe, expect, test } from 'vitest';
import { defineProtocol, type Protocol } from '../../index.js';
import { parseScenario, Simulation } from '../../entries/network.js';
import { Recorder, traceHeader } from '../../network/recorder.js';
import type { TraceLine } from '../../network/trace.js';
import { coverageReport } from '../../test/coverage/report.js';
import { describeProtocol } from '../../test/describe-protocol.js';
import { explore } from '../../test/explore/explore.js';
import { graphsOf } from '../../test/paths/graph.js';
import { judgeMutants } from '../../test/mutants/mutants.js';
import { systemWalks } from '../../test/system/tours.js';
import { ring, ringCore } from './index.js';
import { ringMachine } from './machine.js';
import { reasons } from './reasons.js';

const topology = (n: number) => {
  const nodes = Array.from({ length: n }, (_, i) => `n${i}`);
  return { nodes, links: nodes.map((node, i) => [node, nodes[(i + 1) % n]!, 1] as const).slice(0, n === 2 ? 1 : n) };
};

const scenario = (change = {}, protocol: Protocol = ring) =>
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
    { ring: protocol },
  );

test('its description has 30 lines at most, with checks of options and messages', async () => {
  const { default: text } = (await import('./index.ts?raw')) as { default: string };
  expect(text.trimEnd().split('\n').length).toBeLessThanOrEqual(30);
});

describe('simulation', () => {
  test.each(['actors', 'snapshots'] as const)('on %s the greatest is elected', (host) => {
    expect(new Simulation(scenario(), { host }).run()).toMatchObject({
      verdict: 'valid',
      summary: { leader: 7 },
      messages: { byType: { victory: 8 } },
    });
  });

  test('a topology other than a ring is rejected', () => {
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

  test('a candidate that accepts any probe elects a wrong leader, with a short trace', () => {
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

test('mutants: all are killed, except for equivalent ones', () => {
  const survivors = [...judgeMutants(ring, graphsOf(ring, 40))].filter(({ killedBy }) => killedBy === null);
  expect(survivors.map(({ chart, operator, place }) => `${chart}: ${operator} ${place}`)).toEqual(Object.keys(reasons));
});

describe('only the core', () => {
  const bare = defineProtocol(ringCore);
  const all = { topology: topology(3), commands: 'unlimited' } as const;

  test('runs, and reports the state of each node', () => {
    const report = new Simulation(
      scenario({ topology: { kind: 'ring', n: 3 }, events: [{ at: 0, node: 'n1', do: 'call' }] }, bare),
    ).run();
    expect(report).toMatchObject({
      verdict: 'valid',
      summary: { states: { n0: 'follower', n1: 'follower', n2: 'leader' } },
      properties: [{ name: 'no node is stuck', holds: true }],
    });
  });

  test('is checked for deadlock', () => {
    expect(explore(bare, all)).toMatchObject({ verdict: 'valid', doomed: 0, vacuous: [] });
    const { verdict, counterexample } = explore(bare, { ...all, faults: { loss: 1 } });
    expect({ verdict, property: counterexample?.property }).toEqual({ verdict: 'invalid', property: 'no node is stuck' });
  });

  /** Numbers increase along the generated rings, so no node is passed by two probes. A sample covers that. */
  test('walk: generated systems cover all reachable states, and bugs there are found', () => {
    const { walks, coverage } = systemWalks(bare);
    expect(walks.length).toBeGreaterThan(0);
    expect(coverageReport(coverage).missing.map(({ item }) => item)).toEqual([
      'transition relayed: probe',
      'guard relayed: probe is true',
      'guard relayed: probe is false',
    ]);
    const judged = [...judgeMutants(bare, [], { reasons })];
    const survivors = judged.filter(({ killedBy, reason }) => killedBy === null && reason === undefined);
    expect(judged.length).toBeGreaterThan(20);
    expect(survivors.map(({ operator, place }) => `${operator} ${place}`)).toEqual([
      'drop transition relayed: probe',
      'drop action relayed: probe, action 1',
    ]);
  });

  test('is drawn: its chart, and the state of each node on the picture', () => {
    const { network } = new Simulation(scenario({}, bare));
    const lines: TraceLine[] = [];
    new Recorder(network, bare).lines$.subscribe((line) => lines.push(line));
    network.start();
    expect(lines[0]).toMatchObject({ node: 'n0', overlay: { badge: 'idle' } });
    const { charts, properties } = traceHeader(bare, {}, 1, network);
    expect(charts).toMatchObject({ ring: { states: { candidate: {}, leader: {} } } });
    expect(properties.map(({ name }) => name)).toEqual(['no node is stuck']);
  });
});

test('the description fits on one page', async () => {
  const [text] = Object.values(import.meta.glob<string>('./index.ts', { query: '?raw', import: 'default', eager: true }));
  expect(text!.trimEnd().split('\n').length).toBeLessThanOrEqual(30);
});
