import { createMachine, setup } from 'xstate';
import { describe, expect, test } from 'vitest';
import { directory } from '../../machines/directory/index.js';
import { locks } from '../../machines/locks/index.js';
import { parseScenario } from '../../network/scenario/parse.js';
import { Simulation } from '../../network/simulation.js';
import { explore } from '../explore/explore.js';
import { completeGraph } from '../explore/fixtures.js';
import { graphsOf } from '../paths/graph.js';
import { light, lightChart } from '../paths/light.fixtures.js';
import { coverageOf } from '../paths/suite.js';
import { systemWalks } from '../system/tours.js';
import { Coverage } from './coverage.js';
import { itemsOf } from './items.js';
import { coverageReport, type Reasons } from './report.js';

function reportOf(protocol: ReturnType<typeof light>, reasons?: Reasons) {
  const coverage = coverageOf(protocol, graphsOf(protocol, 100));
  coverage.merge(systemWalks(protocol).coverage.toJSON());
  return coverageReport(coverage, reasons);
}

test('the items of a chart', () => {
  expect(itemsOf(lightChart)).toEqual([
    'state red',
    'state green',
    'state broken',
    'transition red: go',
    'transition red: go #2',
    'transition green: stop',
    'transition broken: stop',
    'guard red: go is true',
    'guard red: go is false',
    'guard broken: stop is true',
    'guard broken: stop is false',
    'event go',
    'event stop',
  ]);
});

describe('the report', () => {
  test('names uncovered items, with the reason', () => {
    expect(reportOf(light())).toMatchObject({
      charts: {
        toy: {
          state: { covered: 3, of: 3 },
          transition: { covered: 3, of: 4 },
          guard: { covered: 3, of: 4 },
          event: { covered: 2, of: 2 },
        },
      },
      missing: [
        { item: 'transition broken: stop', reason: 'its guard was never true', isExplained: false },
        { item: 'guard broken: stop is true', reason: 'its guard never had this result (tries: 1)', isExplained: false },
      ],
      isComplete: false,
    });
  });

  test('names charts that are left out, for they have no samples', () => {
    expect(coverageReport(new Coverage(locks)).leftOut).toEqual(['election', 'directory']);
  });

  test('knows states that nothing leads to and events that never come', () => {
    const chart = createMachine({ initial: 'a', states: { a: { on: { go: 'a', other: 'b' } }, b: { on: { go: 'a' } } } });
    const reasons = reportOf(light(chart)).missing.map(({ item, reason }) => `${item}: ${reason}`);
    expect(reasons).toEqual([
      'state b: no transition into it was taken',
      'transition a: other: no run sent the event other',
      'transition b: go: state b was never entered',
      'event other: no run sent it in a state with a transition for it',
    ]);
  });

  test('knows a transition that another always answers first', () => {
    const chart = createMachine({ initial: 'a', on: { go: {} }, states: { a: { on: { go: {} } } } });
    expect(reportOf(light(chart)).missing.map(({ reason }) => reason)).toEqual([
      'go never came in (root), or another transition always took it first',
    ]);
  });

  test('is complete with a correct reason for the rest, and not with a wrong one', () => {
    const reasons = { 'toy: transition broken: stop': 'a broken light stays so', 'toy: guard broken: stop is true': 'the same' };
    expect(reportOf(light(), reasons)).toMatchObject({ isComplete: true, refuted: [] });
    const wrong = { ...reasons, 'toy: transition green: stop': 'it cannot' };
    expect(reportOf(light(), wrong)).toMatchObject({
      isComplete: false,
      refuted: ['toy: transition green: stop'],
    });
  });
});

describe('counting', () => {
  test('a guard evaluated twice in a step counts both ways; eventless choices count', () => {
    const chart = setup({ guards: { yes: () => true, no: () => false } }).createMachine({
      initial: 'a',
      states: {
        a: {
          always: [
            { guard: 'no', target: 'c' },
            { guard: 'yes', target: 'b' },
          ],
        },
        b: {},
        c: {},
      },
    });
    expect(reportOf(light(chart)).missing.map(({ item }) => item)).toEqual([
      'state c',
      'transition a: always',
      'guard a: always is true',
      'guard a: always #2 is false',
    ]);
  });

  test('runs add up, and an exploration that sees more covers more', () => {
    const coverage = new Coverage(directory);
    const scenario = { protocol: 'directory', topology: { kind: 'path', n: 2 }, events: [{ at: 0, node: 'n1', do: 'request' }] };
    coverage.during((observed) => new Simulation(parseScenario(scenario, { directory: observed }), { host: 'snapshots' }).run());
    expect(coverage.of('directory').get('transition idle: request')).toBe(1);
    expect(coverage.missing()).toContain('directory: transition waiting.last: find #2');
    coverage.during((observed) => explore(observed, { topology: completeGraph(3), commands: { unlimited: ['request'] } }));
    expect(coverage.missing()).not.toContain('directory: transition waiting.last: find #2');
    // Only the random policy draws.
    expect(coverage.missing()).toContain('directory: transition waiting.last: find');
  });

  test('nothing is counted when the run is over', () => {
    const coverage = new Coverage(light());
    const observed = coverage.during((protocol) => protocol);
    graphsOf(observed, 10);
    expect(coverage.of('toy').get('transition red: go #2')).toBe(0);
  });

  test('merging adds the counts of another run', () => {
    const one = coverageOf(light(), graphsOf(light(), 100));
    const two = new Coverage(light());
    two.merge(one.toJSON());
    two.merge(one.toJSON());
    expect(two.of('toy').get('transition green: stop')).toBe(2 * one.of('toy').get('transition green: stop')!);
    expect(two.missing()).toEqual(one.missing());
    expect(() => two.merge({ toy: { 'state blue': 1 } })).toThrow(/chart toy of toy has no state blue/);
    expect(() => two.merge({ other: { 'state red': 1 } })).toThrow(/has no chart "other"/);
  });
});
