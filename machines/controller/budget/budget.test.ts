/** A budget under other protocols: their spending, in runs and in every interleaving, and mutants of the budget. */
import { describe, expect, test } from 'vitest';
import { balls } from '../../../papers/experiments/controller/budgets.js';
import { echo } from '../../../papers/classics/echo.js';
import { parseScenario } from '../../../network/scenario/parse.js';
import { Simulation } from '../../../network/simulation.js';
import { mutant } from '../../../test/explore/mutants.fixture.js';
import { checkScenario } from '../../../test/explore/scenario.js';
import { directory } from '../../directory/index.js';
import { election } from '../../election/index.js';
import { exclusion } from '../../exclusion/index.js';
import type { Protocol } from '../../protocol.js';
import { controller } from '../index.js';
import { budgetOver, type BudgetUnit } from './index.js';

const ballsUnder = budgetOver(balls, 'messages');
const scenarioOf = (protocol: Protocol, scenario: object) =>
  parseScenario({ protocol: protocol.name, ...scenario }, { [protocol.name]: protocol });
const run = (protocol: Protocol, scenario: object) => new Simulation(scenarioOf(protocol, scenario)).run();
const begin = (...nodes: readonly string[]) => nodes.map((node) => ({ at: 0, node, do: 'begin' }));

describe('a protocol that never ends is stopped', () => {
  const cases = [
    { budget: { kind: 'naive', M: 10 }, least: 10 },
    { budget: { kind: 'modified', M: 20 }, least: 20 },
    { budget: { kind: 'basic', M: 150, W: 110 }, least: 40 },
    { budget: { kind: 'adaptive', M: 40, W: 20 }, least: 20 },
  ];
  test.each(cases)('$budget', ({ budget, least }) => {
    const events = begin('n0', 'n5', 'n3');
    const { verdict, summary } = run(ballsUnder, { topology: { kind: 'ring', n: 8 }, options: { budget }, events });
    expect(verdict).toBe('valid');
    const { spent, messages } = summary as { spent: number; messages: { own: number } };
    expect(spent).toBeGreaterThanOrEqual(least);
    expect(spent).toBeLessThanOrEqual(budget.M);
    expect(messages.own).toBe(spent);
    expect(summary['exhausted']).toBe(true);
  });
});

const pathOf = (n: number) => ({ topology: { kind: 'path', n } });
const twoBalls = { ...pathOf(3), options: { budget: { kind: 'basic', M: 3 } }, events: begin('n0', 'n2') };

describe('every interleaving', () => {
  test('two balls on a path of three, three messages', () => {
    expect(checkScenario(scenarioOf(ballsUnder, twoBalls))).toMatchObject({ verdict: 'valid', doomed: 0 });
  });

  test('echo keeps its promises within the budget; beyond it, the budget keeps its own', () => {
    const over = budgetOver(echo as Protocol, 'messages');
    for (const M of [1, 4]) {
      const scenario = { ...pathOf(3), options: { budget: { kind: 'modified', M } }, events: begin('n1') };
      const { verdict, properties } = checkScenario(scenarioOf(over, scenario));
      expect(verdict).toBe('valid');
      expect(properties.map(({ name }) => name)).toContain('controlled: it decides');
    }
  });

  test('a wave reaches as many nodes as there are permits', () => {
    const over = budgetOver(echo as Protocol, 'nodes');
    const scenario = { ...pathOf(4), options: { budget: { kind: 'basic', M: 2, root: 'n3' } }, events: begin('n0') };
    expect(checkScenario(scenarioOf(over, scenario))).toMatchObject({ verdict: 'valid' });
    expect(run(over, scenario).summary).toMatchObject({ spent: 2, stopped: ['n2'] });
  });
});

describe('mistakes are noticed', () => {
  const broken = (edit: (states: any) => void, unit: BudgetUnit = 'messages', over: Protocol = balls): Protocol => {
    const protocol = budgetOver(over, unit);
    const chart = unit === 'messages' ? 'purse' : 'gate';
    return { ...protocol, charts: { ...protocol.charts, [chart]: mutant(protocol.charts[chart]!, edit) } };
  };
  const refuted = (protocol: Protocol, scenario: object): string[] =>
    checkScenario(scenarioOf(protocol, scenario))
      .properties.filter(({ holds }) => holds === false)
      .map(({ name }) => name);

  test('a purse that pays without a permit overspends', () => {
    const pays = broken(({ asking }) => (asking.on.rejected = { target: 'idle', actions: asking.on.granted[0].actions }));
    expect(refuted(pays, twoBalls)).toContain('the budget holds');
  });

  test('a purse that gives up at once stops the protocol before its time', () => {
    const stops = broken(({ asking }) => (asking.on.granted[0].target = 'stopped'));
    expect(refuted(stops, { ...twoBalls, events: begin('n0') })).toContain('no stop before its time');
  });

  test('a gate that does not hold messages during a request breaks protocol promises', () => {
    const forgets = broken(({ asking }) => (asking.on.wave = {}), 'nodes', echo as Protocol);
    const topology = { kind: 'ring', n: 3 };
    const scenario = { topology, options: { budget: { kind: 'basic', M: 3 } }, events: begin('n0') };
    expect(refuted(budgetOver(echo as Protocol, 'nodes'), scenario)).toEqual([]);
    expect(refuted(forgets, scenario)).toContain('controlled: it decides');
  });
});

describe('an election whose links change', () => {
  const frugal = budgetOver(election as Protocol, 'messages');
  const cut = (link: readonly string[]) => ({ at: 5, do: 'cut', link });
  const scenario = (...links: (readonly string[])[]) => ({
    topology: { kind: 'ring', n: 5 },
    options: { budget: { kind: 'modified', M: 400 } },
    events: links.map(cut),
  });
  const oriented = ({
    properties,
  }: {
    readonly properties: readonly { readonly name: string; readonly holds: boolean | null }[];
  }) => properties.find(({ name }) => name === 'controlled: leader-oriented')!.holds;

  test('a link outside of the tree is cut: the election keeps its promises', () => {
    const report = run(frugal, scenario(['n2', 'n3']));
    expect([report.verdict, oriented(report)]).toEqual(['valid', true]);
  });

  test('after a cut of the tree, its fault model does not hold, and no verdict is given', () => {
    const { verdict, properties } = run(frugal, scenario(['n0', 'n1']));
    expect(properties.filter(({ holds }) => holds === false)).toEqual([]);
    expect(verdict).toBe('valid');
  });

  test('without news of links, the election waits forever, and the run is invalid', () => {
    const { takers: _, ...wiring } = frugal.wiring!;
    const report = run({ ...frugal, wiring }, scenario(['n0', 'n1']));
    expect([report.verdict, oriented(report)]).toEqual(['invalid', false]);
  });
});

test('messages waiting in a purse count as in flight above, each separately', () => {
  const frugal = budgetOver(directory as Protocol, 'messages');
  const options = { policy: 'ivy', budget: { kind: 'modified', M: 100 } };
  const workload = { concurrent: 4, requests: 12 };
  const { verdict, properties } = run(frugal, { topology: { kind: 'ring', n: 8 }, options, workload });
  expect(properties.filter(({ holds }) => holds === false)).toEqual([]);
  expect(verdict).toBe('valid');
});

test('two layers may share message names; notices reach only their own layer', () => {
  const frugal = budgetOver(directory as Protocol, 'messages');
  const events = ['n1', 'n3', 'n2'].map((node) => ({ at: 0, node, do: 'request' }));
  const options = { policy: 'ivy', budget: { kind: 'naive', M: 100 } };
  const report = run(frugal, { topology: { kind: 'ring', n: 4 }, options, events });
  expect(report.verdict).toBe('valid');
  expect(report.properties).toContainEqual({ name: 'controlled: source side', kind: 'always', holds: true });
  expect(report.summary).toMatchObject({ stopped: [], exhausted: false });
});

test('incompatible protocols and options are rejected, with the reason', () => {
  expect(() => budgetOver(exclusion as Protocol, 'messages')).toThrow(/nodes have no names/);
  expect(() => budgetOver(controller as Protocol, 'messages')).toThrow(
    /both it and the controller have a chart "request"\. Rename the chart\./,
  );
  expect(() => budgetOver(ballsUnder, 'messages')).toThrow(
    /its own link layer carries its messages\. Put the budget under that layer\./,
  );
  const unit = (word: string) => () => budgetOver(directory as Protocol, word as BudgetUnit);
  expect(unit('bytes')).toThrow('Protocol directory cannot run with a budget: "bytes" is not a unit. Choose messages or nodes.');
  expect(unit('node')).toThrow('"node" is not a unit. Choose messages or nodes.');
  const options = (budget: unknown) => () => run(ballsUnder, { ...pathOf(3), options: { budget }, events: [] });
  expect(options(undefined)).toThrow(
    'options.budget must be an object with at least the number of permits. Set "budget": { "M": 100 }.',
  );
  expect(options({ kind: 'bank', M: 1 })).toThrow(
    /" grants no permits\. Choose naive, bins, basic, main, modified or adaptive\./,
  );
  expect(options({ M: 1.5 })).toThrow('options.budget.M is 1.5. Use an integer of at least 0');
});
