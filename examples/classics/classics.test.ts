/// <reference types="vite/client" />
/** The classics: each scenario runs, is drawn, and is decided exhaustively; each property is broken by a mistake in the charts. */
import { describe, expect, test } from 'vitest';
import { parseScenario, Simulation, type Property, type Protocol } from '../../index.js';
import { readChart } from '../../inspector/model/chart.js';
import { fitChart } from '../../inspector/model/chart-layout.js';
import { Recording } from '../../inspector/model/recording.js';
import { Recorder, traceHeader } from '../../network/index.js';
import { checkScenario, Coverage, coverageReport, explore } from '../../test/index.js';
import * as classics from './index.js';
import { questions } from './questions.fixture.js';

const known: Record<string, Protocol> = Object.fromEntries(Object.values(classics).map((one) => [one.name, one as Protocol]));
const named = Object.entries(questions);
const scenarios = import.meta.glob<Record<string, unknown>>('./scenarios/*.json', { eager: true, import: 'default' });
const sources = import.meta.glob<string>('./*.ts', { query: '?raw', import: 'default', eager: true });
const [page] = Object.values(
  import.meta.glob<string>('../../docs/classics.md', { query: '?raw', import: 'default', eager: true }),
) as [string];

const json = (name: string) => Object.values(scenarios).find(({ protocol }) => protocol === name)!;
const scenario = (name: string, protocol = known[name]!) => parseScenario(json(name), { [name]: protocol });

test('each classic has its scenario and its questions', () => {
  expect(named.map(([name]) => name).toSorted()).toEqual(Object.keys(known).toSorted());
  expect(Object.values(scenarios).map(({ protocol }) => protocol)).toEqual(expect.arrayContaining(Object.keys(known)));
});

describe.each(named)('%s', (name, { states, transitions, isUnlimited = false, unreached = {}, mistakes }) => {
  const ask = (protocol: Protocol, properties?: readonly Property[]) => {
    const parsed = scenario(name, protocol);
    const own = properties ? { properties } : {};
    const { topology } = parsed.graph;
    return isUnlimited ? explore(protocol, { topology, commands: 'unlimited', ...own }) : checkScenario(parsed, own);
  };

  test.each(['actors', 'snapshots'] as const)('runs on %s', (host) => {
    const report = new Simulation(scenario(name), { host }).run();
    expect(report.properties.filter(({ holds }) => holds === false)).toEqual([]);
    expect(report.messages.total + report.at).toBeGreaterThan(0);
    for (const { ratio } of report.meters) expect(ratio).toBeLessThanOrEqual(1);
  });

  test('is drawn: its charts, and a badge or a pointer at every node', () => {
    const simulation = new Simulation(scenario(name));
    const lines: string[] = [];
    new Recorder(simulation.network, known[name]!).lines$.subscribe((line) => lines.push(JSON.stringify(line)));
    const header = traceHeader(known[name]!, json(name), 1, simulation.network);
    simulation.run();
    const recording = new Recording();
    recording.push([JSON.stringify(header), ...lines].join('\n'));
    recording.close();
    expect(recording.problem).toBeNull();
    expect(recording.end).toBe(lines.length);
    for (const [chart, definition] of Object.entries(header.charts)) {
      const { states: placed } = fitChart(readChart(chart, definition))({ width: 800, height: 600 });
      expect(placed.length).toBeGreaterThan(1);
    }
  });

  test('every interleaving of its scenario keeps the promises, and touches all of the charts', () => {
    const coverage = new Coverage(known[name]!);
    const found = coverage.during((observed) => ask(observed));
    expect(found).toMatchObject({ verdict: 'valid', states, transitions, vacuous: [] });
    const { missing, refuted } = coverageReport(coverage, unreached);
    expect(missing.filter(({ isExplained }) => !isExplained).map(({ chart, item }) => `${chart}: ${item}`)).toEqual([]);
    expect(refuted).toEqual([]);
  });

  const { graph, options } = scenario(name);
  const properties = known[name]!.properties({ ...graph, options });

  test('each property has a mistake that breaks it', () => {
    expect(Object.keys(mistakes)).toEqual(properties.map(({ name }) => name));
  });

  test.each(properties.map((property) => [property.name, property] as const))('a mistake breaks: %s', (_, property) => {
    const found = ask(mistakes[property.name]!(known[name]!), [property]);
    expect(found).toMatchObject({ verdict: 'invalid', properties: [{ name: property.name, holds: false }] });
  });

  test('the page tells its counts', () => {
    const row = page.split('\n').find((line) => line.includes(`\`${name}\``));
    expect(row).toContain(` ${states.toLocaleString('en-US')} | ${transitions.toLocaleString('en-US')} |`);
    expect(page).toContain(known[name]!.paper.split(':')[0]);
  });
});

test('each is told in 120 lines, chart and description together, comments apart; Paxos, which is two charts, in 175', () => {
  const charts = Object.keys(sources).filter((path) => path.endsWith('.chart.ts'));
  const tooLong = charts.filter((path) => {
    const text = (sources[path]! + sources[path.replace('.chart.ts', '.ts')]!).replaceAll(/\/\*\*.*?\*\//gs, '');
    return text.split('\n').filter((line) => line.trim() !== '').length > (path.includes('paxos') ? 175 : 120);
  });
  expect(charts.length).toBeGreaterThan(6);
  expect(tooLong).toEqual([]);
});

test('a Paxos proposer that begins again keeps the value that was chosen, and hears no answers to earlier ballots', () => {
  const coverage = new Coverage(known['paxos']!);
  const again = {
    ...json('paxos'),
    topology: { kind: 'complete', n: 3 },
    options: { acceptors: 1 },
    events: ['n0', 'n0', 'n1', 'n0'].map((node) => ({ at: 0, node, do: 'propose' })),
  };
  const found = coverage.during((observed) => checkScenario(parseScenario(again, { paxos: observed })));
  expect(found).toMatchObject({ verdict: 'valid', states: 1738 });
  expect(coverageReport(coverage).missing).toEqual([]);
});

describe('published counts', () => {
  test.each([
    [3, 2, 8, 12, 'valid'],
    [4, 2, 16, 32, 'invalid'],
    [4, 3, 81, 189, 'valid'],
    [5, 3, 243, 729, 'invalid'],
    [5, 4, 1024, 3328, 'valid'],
  ] as const)(
    'Dijkstra, %i machines of %i states: K^N states, and K = N - 1 suffices',
    (machines, K, states, transitions, verdict) => {
      const ring = { ...json('dijkstra-ring'), options: { machines, states: K } };
      expect(checkScenario(parseScenario(ring, known))).toMatchObject({ verdict, states, transitions });
    },
  );

  const complete = (n: number) => {
    const nodes = Array.from({ length: n }, (_, i) => `n${i}`);
    return { nodes, links: nodes.flatMap((u, i) => nodes.slice(i + 1).map((v) => [u, v, 1] as const)) };
  };

  test.each([
    [3, 288],
    [5, 8832],
  ])('two-phase commit, %i resource managers, messages that stay: %i states', (resources, states) => {
    const question = { topology: complete(resources + 1), commands: 'unlimited', faults: { duplicate: Infinity } } as const;
    expect(explore(known['two-phase-commit']!, question)).toMatchObject({ states, terminal: 0 });
  });
});
