/** RxJS as the way in and out of the bus: marbles of what happens, and operators as media. */
import { concatMap, delay, filter, map, of } from 'rxjs';
import { TestScheduler } from 'rxjs/testing';
import { describe, expect, test } from 'vitest';
import { protocols } from '../machines/index.js';
import { calm } from './arrivals.js';
import type { Medium } from './medium.js';
import { Network } from './network.js';
import { parseScenario } from './scenario/parse.js';
import { Simulation } from './simulation.js';
import { timingOn } from './timing.js';

const scenarioOf = (events: readonly object[], n = 2, options = {}) =>
  parseScenario({ protocol: 'directory', topology: { kind: 'path', n }, options: { hold: 2, ...options }, events }, protocols);

const ask = (node: string, at = 0) => ({ at, node, do: 'request' });

describe('marbles', () => {
  test('a find takes the latency, the token as long, the release comes after its hold', () => {
    const scheduler = new TestScheduler((actual, expected) => expect(actual).toEqual(expected));
    scheduler.run(({ expectObservable }) => {
      const { protocol, graph, options } = scenarioOf([]);
      const network = new Network({
        protocol,
        instance: { ...graph, options },
        conditions: { ...calm, latency: 3 },
        timing: timingOn(scheduler),
        seed: 1,
        host: 'snapshots',
      });
      scheduler.schedule(() => {
        network.start();
        network.perform({ do: 'command', name: 'request', node: 'n1', fields: {} });
      }, 1);
      expectObservable(network.sent$.pipe(map(({ message }) => message.type[0]))).toBe('-f--t');
      expectObservable(network.delivered$.pipe(map(({ event }) => event.type[0]))).toBe('----f--t');
      expectObservable(network.notices$.pipe(map(({ notice }) => notice.type[0]))).toBe('-------g-r');
    });
  });
});

describe('a medium', () => {
  const run = (medium: Medium | undefined, events: readonly object[], n = 2) => {
    const simulation = new Simulation(scenarioOf(events, n), { host: 'snapshots', ...(medium && { medium }) });
    const lines: string[] = [];
    simulation.network.delivered$.subscribe(({ at, node, event }) => lines.push(`${at} ${event.type} ${node}`));
    simulation.network.lost$.subscribe(({ flight, why }) => lines.push(`lost ${flight.message.type} ${why}`));
    return { report: simulation.run(), lines };
  };

  test('delays one direction, by the clock of the run', () => {
    const slow: Medium = (from, _, clock) => (from === 'n0' ? delay(20, clock) : undefined);
    expect(run(slow, [ask('n1')]).lines).toEqual(['1 find n0', '21 token n1']);
    expect(run(undefined, [ask('n1')]).lines).toEqual(['1 find n0', '2 token n1']);
  });

  test('what it does not pass on is lost when nothing else is to come', () => {
    const deaf: Medium = () => filter(({ message }) => message.type !== 'token');
    const { report, lines } = run(deaf, [ask('n1')]);
    expect(lines).toEqual(['0 find n0', 'lost token loss']);
    expect(report.verdict).toBe('invalid');
  });

  test('a bandwidth: one message in ten ticks', () => {
    const narrow: Medium = (_, to, clock) => (to === 'n0' ? concatMap((flight) => of(flight).pipe(delay(10, clock))) : undefined);
    const { lines, report } = run(narrow, [ask('n1'), ask('n2')], 3);
    expect(lines.filter((line) => line.includes('find n0'))[0]).toBe('10 find n0');
    expect(report.verdict).toBe('valid');
  });

  test('the same seed gives the same run', () => {
    const slow: Medium = (_, __, clock) => delay(7, clock);
    expect(run(slow, [ask('n1'), ask('n2', 3)], 3)).toEqual(run(slow, [ask('n1'), ask('n2', 3)], 3));
  });

  test('is refused where choices say when messages arrive', () => {
    expect(() => new Simulation(scenarioOf([]), { choices: [], medium: () => undefined })).toThrow(
      /choices say when messages arrive/,
    );
  });
});
