/// <reference types="vite/client" />
/** The classics: each scenario runs, is drawn, and is decided exhaustively; each property is broken by a mistake in the charts. */
import { describe, expect, test } from 'vitest';
import { parseScenario, Simulation } from '../../entries/network.js';
import { protocols } from '../../entries/machines.js';
import type { Property, Protocol } from '../../index.js';
import { readChart } from '../../inspector/model/chart.js';
import { layOutChart } from '../../inspector/model/chart-layout.js';
import { elkHere } from '../../inspector/model/elk.fixture.js';
import { ReadTrace } from '../../inspector/model/recording.js';
import { Recorder, traceHeader } from '../../network/recorder.js';
import { checkScenario } from '../../test/explore/scenario.js';
import { Coverage } from '../../test/coverage/coverage.js';
import { coverageReport } from '../../test/coverage/report.js';
import { explore } from '../../test/explore/explore.js';
import * as classics from './index.js';
import { questions } from './questions.fixture.js';

const known: Record<string, Protocol> = Object.fromEntries(Object.values(classics).map((one) => [one.name, one as Protocol]));
const named = Object.entries(questions);
const scenarios = import.meta.glob<Record<string, unknown>>('./scenarios/*.json', {
  eager: true,
  import: 'default',
});
const [page] = Object.values(
  import.meta.glob<string>('../../docs/classics.md', { query: '?raw', import: 'default', eager: true }),
) as [string];

const json = (name: string) => Object.values(scenarios).find(({ protocol }) => protocol === name)!;
const scenario = (name: string, protocol = known[name]!, change = {}) =>
  parseScenario({ ...json(name), ...change }, { [name]: protocol });

test('each classic has its scenario and its questions', () => {
  expect(named.map(([name]) => name).toSorted()).toEqual(Object.keys(known).toSorted());
  expect(Object.values(scenarios).map(({ protocol }) => protocol)).toEqual(expect.arrayContaining(Object.keys(known)));
});

const propertiesOf = ({ protocol, graph, options }: ReturnType<typeof scenario>): readonly Property[] =>
  protocol.properties({ ...graph, options });

describe.each(named)(
  '%s',
  (name, { states, transitions, isUnlimited = false, also = [], unreached = {}, part = /./, mistakes }) => {
    const ask = (protocol: Protocol, change = {}, only?: string) => {
      const parsed = scenario(name, protocol, change);
      const properties = propertiesOf(parsed).filter((property) => only === undefined || property.name === only);
      if (!isUnlimited) return checkScenario(parsed, { properties });
      return explore(protocol, { topology: parsed.graph.topology, commands: 'unlimited', properties });
    };
    const systems = [{ change: {}, states, transitions }, ...also];

    test.each(['actors', 'snapshots'] as const)('runs on %s', (host) => {
      const report = new Simulation(scenario(name), { host }).run();
      expect(report.properties.filter(({ holds }) => holds === false)).toEqual([]);
      expect(report.messages.total + report.at).toBeGreaterThan(0);
      for (const { ratio } of report.meters) expect(ratio).toBeLessThanOrEqual(1);
    });

    test('is drawn: its charts, and a badge or a pointer at every node', async () => {
      const simulation = new Simulation(scenario(name));
      const lines: string[] = [];
      new Recorder(simulation.network, known[name]!).lines$.subscribe((line) => lines.push(JSON.stringify(line)));
      const header = traceHeader(known[name]!, json(name), 1, simulation.network);
      simulation.run();
      const recording = new ReadTrace();
      recording.push([JSON.stringify(header), ...lines].join('\n'));
      recording.close();
      expect(recording.problem).toBeNull();
      expect(recording.end).toBe(lines.length);
      for (const [chart, definition] of Object.entries(header.charts)) {
        const { states: placed } = await layOutChart(readChart(chart, definition), elkHere);
        expect(placed.length).toBeGreaterThan(0);
      }
    });

    test('every interleaving keeps the promises, and touches all of the charts', () => {
      const coverage = new Coverage(known[name]!);
      const found = coverage.during((observed) => systems.map(({ change }) => ask(observed, change)));
      expect(found.map(({ verdict, states, transitions }) => ({ verdict, states, transitions }))).toEqual(
        systems.map(({ states, transitions }) => ({ verdict: 'valid', states, transitions })),
      );
      const never = found.map(({ vacuous }) => vacuous).reduce((all, vacuous) => all.filter((one) => vacuous.includes(one)));
      expect(never).toEqual([]);
      const { missing, refuted } = coverageReport(coverage, unreached);
      const gaps = missing.filter(({ item, isExplained }) => part.test(item) && !isExplained);
      expect(gaps.map(({ chart, item }) => `${chart}: ${item}`)).toEqual([]);
      expect(refuted).toEqual([]);
    });

    const properties = propertiesOf(scenario(name)).map((property) => property.name);

    test('each property has a mistake that breaks it', () => {
      expect(Object.keys(mistakes)).toEqual(properties);
    });

    test.each(properties)('a mistake breaks: %s', (property) => {
      const broken = mistakes[property]!(known[name]!);
      // The systems that are left are not searched.
      const isBroken = systems.some(({ change }) =>
        ask(broken, change, property).properties.some(({ holds }) => holds === false),
      );
      expect(isBroken).toBe(true);
    });

    test('the page contains the counts', () => {
      const row = page.split('\n').find((line) => line.includes(`\`${name}\``));
      expect(row).toContain(` ${states.toLocaleString('en-US')} | ${transitions.toLocaleString('en-US')} |`);
      expect(page).toContain(known[name]!.paper.split(':')[0]);
    });
  },
);

describe.each(named.flatMap(([name, { runs }]) => (runs ? [[name, runs] as const] : [])))(
  '%s, in seeded runs of more than can be searched',
  (name, { change, seeds, property, mistake }) => {
    const broken = (protocol: Protocol) =>
      Array.from({ length: seeds }, (_, i) => i + 1).filter((seed) => {
        const { properties } = new Simulation(scenario(name, protocol, { ...change, seed }), { host: 'snapshots' }).run();
        return properties.some(({ name: one, holds }) => one === property && holds === false);
      });

    test('keep the promise', () => expect(broken(known[name]!)).toEqual([]));

    test('break it with a mistake that every interleaving of the scenario lets pass', () => {
      const { states, transitions } = questions[name]!;
      expect(checkScenario(scenario(name, mistake(known[name]!)))).toMatchObject({ verdict: 'valid', states, transitions });
      expect(broken(mistake(known[name]!)).length).toBeGreaterThan(0);
    });
  },
);

test('Naimi-Trehel is Ivy: the same state and transition counts for the same requests', () => {
  const nodes = ['n0', 'n1', 'n2', 'n3'];
  const parents = Object.fromEntries(nodes.map((node) => [node, 'n0']));
  const events = nodes.map((node) => ({ at: 0, node, do: 'request' }));
  const options = { policy: 'ivy', root: 'n0', parents, hold: 1 };
  const ivy = { protocol: 'directory', topology: { kind: 'complete', n: 4 }, options, events };
  const { states, transitions } = questions['naimi-trehel']!;
  expect(checkScenario(parseScenario(ivy, protocols))).toMatchObject({ verdict: 'valid', states, transitions });
});

test('two-phase-commit: the scenario has the state and transition counts of the page', () => {
  const { states, transitions } = checkScenario(scenario('two-phase-commit'));
  expect(page).toContain(`its scenario by itself has ${states} states and ${transitions} transitions`);
});

test('Dijkstra: machines are roles of one node; a larger network is rejected', () => {
  const change = { topology: { kind: 'ring', n: 4 } };
  expect(() => scenario('dijkstra-ring', undefined, change)).toThrow(
    'The topology has 4 nodes. Pass one, which contains all options.machines.',
  );
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
