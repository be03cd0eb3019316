/** The generated tests, run by a runner of our own: each must be able to fail. */
import { assign } from 'xstate';
import { describe, expect, test } from 'vitest';
import type { Configuration } from '../machines/protocol.js';
import { describeProtocol, type Runner } from './describe-protocol.js';
import { describeScenarios } from './describe-scenarios.js';
import { emitTests, startChart, startSystem } from './emit.js';
import { light, lightChart } from './paths/light.fixtures.js';

const reasons = { 'toy: transition broken: stop': 'a broken light stays so', 'toy: guard broken: stop is true': 'the same' };

const isDark = ({ nodes }: Configuration): boolean => [...nodes.values()].every((node) => node['toy']!.value !== 'green');

/** Runs the tests and tells which failed. */
function run(declare: (runner: Runner) => void): { passed: string[]; failed: string[] } {
  const passed: string[] = [];
  const failed: string[] = [];
  const test = (name: string, body: () => void) => {
    try {
      body();
      passed.push(name);
    } catch {
      failed.push(name);
    }
  };
  declare({ describe: (_, body) => body(), test, expect });
  return { passed, failed };
}

describe('describeProtocol', () => {
  test('a test for each kind of path of each sample, and one of coverage', () => {
    expect(run((runner) => describeProtocol(light(), runner, reasons))).toEqual({
      passed: [
        'toy, start 0: shortest paths',
        'toy, start 0: simple paths',
        'toy, start 0: tour paths',
        'system 0: walks over the bus',
        'system 1: walks over the bus',
        'system 2: walks over the bus',
        'states, transitions, guards both ways, events and messages are covered',
      ],
      failed: [],
    });
  });

  test('what is not covered fails', () => {
    expect(run((runner) => describeProtocol(light(), runner)).failed).toEqual([
      'states, transitions, guards both ways, events and messages are covered',
    ]);
  });

  test('a chart that remembers outside its context fails', () => {
    let n = 0;
    const moody = lightChart.provide({ actions: { count: assign({ count: () => n++ % 2 }) } });
    expect(run((runner) => describeProtocol(light(moody), runner)).failed).toContain('toy, start 0: tour paths');
  });
});

describe('describeScenarios', () => {
  const scenario = { protocol: 'toy', topology: { kind: 'path', n: 2 }, events: [{ at: 0, node: 'n0', do: 'go' }] };
  const dark = {
    ...light(),
    properties: () => [{ name: 'dark', says: 'No light is green.', kind: 'always' as const, holds: isDark }],
  };

  test('a test for each, which fails when a property breaks', () => {
    const saved = { 'a.json': scenario, 'b.json': { ...scenario, events: [] } };
    expect(run((runner) => describeScenarios({ toy: light() }, saved, runner))).toEqual({
      passed: ['a.json breaks nothing any more', 'b.json breaks nothing any more'],
      failed: [],
    });
    expect(run((runner) => describeScenarios({ toy: dark }, saved, runner))).toEqual({
      passed: ['b.json breaks nothing any more'],
      failed: ['a.json breaks nothing any more'],
    });
  });

  test('one of a protocol that is not known fails', () => {
    expect(run((runner) => describeScenarios({}, { 'a.json': scenario }, runner)).failed).toHaveLength(1);
  });
});

describe('emitted tests', () => {
  /** The emitted file without its imports, as a function. */
  const load = (text: string) =>
    // oxlint-disable-next-line typescript/no-implied-eval
    new Function('test', 'expect', 'startChart', 'startSystem', 'protocol', text.replaceAll(/^import .*$/gm, '')) as (
      ...args: unknown[]
    ) => void;
  const emitted = emitTests(light(), "import { light as protocol } from './light.js';");
  const runOn = (chart = lightChart) =>
    run(({ test, expect }) => load(emitted)(test, expect, startChart, startSystem, light(chart)));

  test('are readable: imports, a title, one step a statement', () => {
    expect(emitted.slice(0, emitted.indexOf('  expect(chart.send({"type":"stop"}')))
      .toBe(`// Transition tours of the protocol toy and walks through its systems, made by: quiver test toy --emit
import { expect, test } from 'vitest';
import { startChart, startSystem } from 'xstate-quiver/test';
import { light as protocol } from './light.js';

test("toy, start 0, walk 0", () => {
  const chart = startChart(protocol, "toy", {"max":1});
  expect(chart.first).toEqual({
    value: "red",
    context: {"count":0,"max":1},
    effects: [],
  });
  expect(chart.send({"type":"go"})).toEqual({
    value: "green",
    context: {"count":1,"max":1},
    effects: [{"type":"send","to":"n0","message":{"type":"go"}}],
  });
`);
  });

  test('pass on the chart that they were made of, and fail on a changed one', () => {
    expect(runOn()).toEqual({ passed: ['toy, start 0, walk 0', 'system 0, walk 0'], failed: [] });
    expect(runOn(lightChart.provide({ guards: { isFull: () => false } })).failed).toEqual([
      'toy, start 0, walk 0',
      'system 0, walk 0',
    ]);
  });

  test('a chart that is not there is refused', () => {
    expect(() => startChart(light(), 'tou', {})).toThrow(/protocol toy has no chart "tou"; it has toy/);
  });
});
