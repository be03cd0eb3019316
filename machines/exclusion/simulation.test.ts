/** Runs of whole networks: the summary, commands, links that change, and both hosts alike. */
import { describe, expect, test } from 'vitest';
import { parseScenario } from '../../network/scenario/parse.js';
import { Recorder } from '../../network/recorder.js';
import { Simulation } from '../../network/simulation.js';
import { UsageError } from '../errors.js';
import { exclusion } from './index.js';

const path = { kind: 'path', n: 3 };
const scenario = (more: object) =>
  parseScenario({ protocol: 'exclusion', topology: path, options: { hold: 2 }, seed: 3, ...more }, { exclusion });
const run = (more: object) => new Simulation(scenario(more)).run() as any;
const lock = (node: string, at = 0) => ({ at, node, do: 'lock' });

test('a request is on record with its lock set and its times', () => {
  expect(run({ events: [lock('n1', 5)] }).summary).toMatchObject({
    locks: [{ node: 'n1', lockSet: ['n0', 'n1', 'n2'], requestedAt: 5, lockedAt: 11, unlockedAt: 13 }],
    lockSets: { n1: [['n0', 'n1', 'n2']] },
    edgeMessages: 16,
    maxInTransitPerEdge: 1,
    trials: 1,
  });
});

test('a second Lock waits its turn', () => {
  expect(run({ events: [lock('n0'), lock('n0')] }).summary.locks).toMatchObject([
    { requestedAt: 0, lockedAt: 6 },
    { requestedAt: 10, lockedAt: 16 },
  ]);
});

test('a pair: the node and the neighbor at one port', () => {
  const { verdict, summary } = run({ events: [{ at: 0, node: 'n1', do: 'pair', port: 2 }] });
  expect({ verdict, sets: summary.lockSets, messages: summary.edgeMessages }).toEqual({
    verdict: 'valid',
    sets: { n1: [['n1', 'n2']] },
    messages: 8,
  });
});

test('hold null: locked until Unlock, and Unlock before that is of no effect', () => {
  const events = [lock('n0'), { at: 3, node: 'n0', do: 'unlock' }, { at: 50, node: 'n0', do: 'unlock' }];
  expect(run({ options: { hold: null }, events }).summary.locks).toMatchObject([{ lockedAt: 6, unlockedAt: 50 }]);
});

test('a neighbor that leaves or arrives is not part of the lock set', () => {
  const events = [lock('n1'), { at: 2, do: 'cut', link: ['n1', 'n2'] }, { at: 3, do: 'join', link: ['n1', 'n2'] }];
  const { verdict, summary } = run({ events });
  expect({ verdict, sets: summary.lockSets }).toEqual({ verdict: 'valid', sets: { n1: [['n0', 'n1']] } });
});

test('an edge at a port in use is rejected', () => {
  const events = [{ at: 1, do: 'join', link: ['n0', 'n2'], ports: [1, 2] }];
  expect(() => run({ events })).toThrow(UsageError);
  expect(() => run({ events })).toThrow('Port 1 of n0 is in use. Free ports start at 2.');
});

test('fixed draws of the scenario come first, then those from the seed', () => {
  const drawn = (seed: number) => {
    const values: number[] = [];
    const events = [lock('n0'), lock('n0'), lock('n0')];
    const simulation = new Simulation(scenario({ seed, options: { priorities: 1_000_000, draws: { n0: [7, 9] } }, events }));
    simulation.network.steps$.subscribe((step) => values.push(...step.drawn));
    simulation.run();
    return values;
  };
  expect(drawn(1).slice(0, 2)).toEqual([7, 9]);
  expect(drawn(1)[2]).not.toBe(drawn(2)[2]);
});

describe('hosts', () => {
  test('live actors and bare snapshots write the same trace, links changing', () => {
    const events = [
      ...['n0', 'n1', 'n2'].map((node) => lock(node)),
      { at: 7, do: 'cut', link: ['n0', 'n1'] },
      { at: 9, do: 'join', link: ['n0', 'n2'] },
      { at: 20, do: 'join', link: ['n0', 'n1'] },
    ];
    const traceOn = (host: 'actors' | 'snapshots') => {
      const simulation = new Simulation(scenario({ events, network: { latency: { min: 1, max: 9 } } }), { host });
      const lines: string[] = [];
      new Recorder(simulation.network, exclusion).lines$.subscribe((line) => lines.push(JSON.stringify(line)));
      simulation.run();
      return lines;
    };
    const live = traceOn('actors');
    expect(live.length).toBeGreaterThan(50);
    expect(live).toEqual(traceOn('snapshots'));
  });
});
