/** The generated tests, run by a runner of our own: each must be able to fail. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { assign } from 'xstate';
import { afterAll, afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { ReadTrace } from '../inspector/model/recording.js';
import { verdictOf } from '../inspector/model/verdict.js';
import { sentence } from '../inspector/model/words.js';
import type { Configuration } from '../machines/protocol.js';
import type { StepLine } from '../network/trace.js';
import { describeProtocol } from './describe-protocol.js';
import type { Runner } from './runner.js';
import { describeScenarios } from './describe-scenarios.js';
import { emitTests, startChart, startSystem } from './emit.js';
import { light, lightChart } from './paths/light.fixtures.js';

const reasons = { 'toy: transition broken: stop': 'a broken light stays so', 'toy: guard broken: stop is true': 'the same' };

const isDark = ({ nodes }: Configuration): boolean => [...nodes.values()].every((node) => node['toy']!.value !== 'green');

/** The actual value instead of the expected one, as runners print it. */
const textOf = (actual: unknown): string => (Array.isArray(actual) ? actual.join('\n') : JSON.stringify(actual));

/** Runs the tests. Returns the names of those that passed, and the messages of those that failed. */
async function run(declare: (runner: Runner) => void): Promise<{ passed: string[]; failed: string[]; description: string[] }> {
  const [passed, failed, description]: string[][] = [[], [], []];
  const bodies: [string, () => void | Promise<void>][] = [];
  declare({ describe: (_, body) => body(), test: (name, body) => void bodies.push([name, body]), expect });
  for (const [name, body] of bodies) {
    try {
      await body();
      passed!.push(name);
    } catch (error) {
      failed!.push(name);
      description!.push(textOf((error as { actual?: unknown }).actual));
    }
  }
  return { passed: passed!, failed: failed!, description: description! };
}

const dark = {
  ...light(),
  properties: () => [{ name: 'dark', description: 'No light is green.', kind: 'always' as const, holds: isDark }],
};

/** Where failing tests leave their pages. */
const folder = mkdtempSync(join(tmpdir(), 'quiver-failing-'));
afterAll(() => rmSync(folder, { recursive: true }));
beforeEach(() => void vi.spyOn(process, 'cwd').mockReturnValue(folder));
afterEach(() => void vi.restoreAllMocks());

/** The trace in the page that a failing test names. */
function pageIn(description: string): ReadTrace {
  const [path] = /quiver-failures\/[\w.-]+\.html/.exec(description)!;
  const [, packed] = /id="trace">([^<]*)</.exec(readFileSync(join(folder, path), 'utf8'))!;
  const recording = new ReadTrace();
  recording.push(String(gunzipSync(Buffer.from(packed!, 'base64'))));
  recording.close();
  expect(recording.problem).toBeNull();
  return recording;
}
const sentencesOf = (recording: ReadTrace) => Array.from({ length: recording.end }, (_, i) => sentence(recording.line(i)));

describe('describeProtocol', () => {
  test('a test for each kind of path of each sample, and one of coverage', async () => {
    expect(await run((runner) => describeProtocol(light(), runner, reasons))).toMatchObject({
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

  test('an uncovered item fails, and its page has the tours with their coverage', async () => {
    const { failed, description } = await run((runner) => describeProtocol(light(), runner));
    expect(failed).toEqual(['states, transitions, guards both ways, events and messages are covered']);
    const { header } = pageIn(description[0]!);
    expect(header!.nodes.length).toBeGreaterThan(0);
    expect(header!.coverage!['toy']!['transition broken: stop']).toBe(0);
  });

  test('a chart with state outside its context fails; the page ends with its behavior', async () => {
    let n = 0;
    const moody = lightChart.provide({ actions: { count: assign({ count: () => n++ % 2 }) } });
    const { failed, description } = await run((runner) => describeProtocol(light(moody), runner));
    expect(failed).toContain('toy, start 0: tour paths');
    const reported = description[failed.indexOf('toy, start 0: tour paths')]!;
    expect(reported).toContain('quiver-failures/toy-toy-start-0-tour-paths.html');
    const recording = pageIn(reported);
    expect(sentencesOf(recording).at(-1)).toMatch(/^verdict: invalid.*the chart goes as expected/);
    const last = recording.line(recording.end - 2) as StepLine;
    const { value, context } = last.roles['toy']!;
    expect(reported).toContain(recording.header!.properties[0]!.description);
    expect(recording.header!.properties[0]!.description).toContain(' instead of ');
    expect(reported).toContain(`${JSON.stringify(last.event)} has the result ${JSON.stringify({ value, context }).slice(0, -1)}`);
  });

  test('a system that breaks a property fails, and the page has the run up to there', async () => {
    const { failed, description } = await run((runner) => describeProtocol(dark, runner, reasons));
    expect(failed).toContain('system 0: walks over the bus');
    const recording = pageIn(description[failed.indexOf('system 0: walks over the bus')]!);
    expect(sentencesOf(recording)).toContainEqual(expect.stringMatching(/^violated.*No light is green/));
  });

  test('if no page can be written, the failure is the same', async () => {
    const file = join(folder, 'file');
    writeFileSync(file, '');
    vi.mocked(process.cwd).mockReturnValue(file);
    const { failed, description } = await run((runner) => describeProtocol(light(), runner));
    expect(failed).toHaveLength(1);
    expect(description[0]).toContain('toy: transition broken: stop');
    expect(description[0]).not.toContain('quiver-failures');
  });
});

describe('describeScenarios', () => {
  const scenario = { protocol: 'toy', topology: { kind: 'path', n: 2 }, events: [{ at: 0, node: 'n0', do: 'go' }] };

  test('a test for each, which fails when a property breaks, with the page of the run', async () => {
    const saved = { 'a.json': scenario, 'b.json': { ...scenario, events: [] } };
    expect(await run((runner) => describeScenarios({ toy: light() }, saved, runner))).toMatchObject({
      passed: ['a.json breaks nothing any more', 'b.json breaks nothing any more'],
      failed: [],
    });
    const broken = await run((runner) => describeScenarios({ toy: dark }, saved, runner));
    expect(broken).toMatchObject({ passed: ['b.json breaks nothing any more'], failed: ['a.json breaks nothing any more'] });
    const recording = pageIn(broken.description[0]!);
    expect(recording.header!.scenario).toEqual(scenario);
    expect(verdictOf(recording).violated.map(({ property }) => property)).toEqual(['dark']);
  });

  test('one of a protocol that is not known fails', async () => {
    expect((await run((runner) => describeScenarios({}, { 'a.json': scenario }, runner))).failed).toHaveLength(1);
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
import { startChart, startSystem } from 'xstate-quiver/check';
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

  test('pass on the chart that they were made of, and fail on a changed one', async () => {
    expect(await runOn()).toMatchObject({ passed: ['toy, start 0, walk 0', 'system 0, walk 0'], failed: [] });
    expect((await runOn(lightChart.provide({ guards: { isFull: () => false } }))).failed).toEqual([
      'toy, start 0, walk 0',
      'system 0, walk 0',
    ]);
  });

  test('a chart that is not there is refused', () => {
    expect(() => startChart(light(), 'tou', {})).toThrow(/Protocol toy has no chart "tou"\. Its charts are toy/);
  });
});
