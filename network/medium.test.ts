/** RxJS for input and output of the bus: marbles of events, and operators as media. */
import {
  concatMap,
  debounceTime,
  delay,
  filter,
  identity,
  map,
  mergeMap,
  of,
  take,
  tap,
  type MonoTypeOperatorFunction,
} from 'rxjs';
import { TestScheduler } from 'rxjs/testing';
import { describe, expect, test } from 'vitest';
import { protocols } from '../machines/index.js';
import { UsageError } from '../machines/errors.js';
import type { Flight } from '../machines/protocol.js';
import { calm } from './arrivals.js';
import type { Medium } from './medium.js';
import { Network } from './network.js';
import { recordRun } from './record-run.js';
import { parseScenario } from './scenario/parse.js';
import { Simulation } from './simulation.js';
import { timingOn } from './timing.js';

const scenarioOf = (events: readonly object[], n = 2, options = {}) =>
  parseScenario({ protocol: 'directory', topology: { kind: 'path', n }, options: { hold: 2, ...options }, events }, protocols);

const ask = (node: string, at = 0) => ({ at, node, do: 'request' });

describe('marbles', () => {
  test('a find and the token take the latency, the release comes after its hold', () => {
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
      expectObservable(network.notifications$.pipe(map(({ notification }) => notification.type[0]))).toBe('-------g-r');
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

  test('messages that it does not emit are lost at the end', () => {
    const deaf: Medium = () => filter(({ message }) => message.type !== 'token');
    const { report, lines } = run(deaf, [ask('n1')]);
    expect(lines).toEqual(['0 find n0', 'lost token loss']);
    expect(report.verdict).toBe('invalid');
  });

  test.each([1, 2, 3, 4])('what is on its way when a protocol comes to rest is not lost, seed %i', (seed) => {
    const json = {
      protocol: 'queue',
      topology: { kind: 'path', n: 4 },
      workload: { concurrent: 3, requests: 12 },
      events: [{ at: 3, do: 'corrupt', nodes: ['n1'] }],
      seed,
    };
    const verdicts = [undefined, ((_, __, clock) => delay(1, clock)) satisfies Medium].map((medium) => {
      const { verdict, at } = new Simulation(parseScenario(json, protocols), { ...(medium && { medium }) }).run();
      return { verdict, at };
    });
    expect(verdicts).toEqual([verdicts[0], verdicts[0]]);
    expect(verdicts[0]!.verdict).toBe('valid');
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

  test('is rejected if choices determine when messages arrive', () => {
    expect(() => new Simulation(scenarioOf([]), { choices: [], medium: () => undefined })).toThrow(
      /`choices` and `medium` both determine delivery\. Pass only one of them\./,
    );
  });
});

const SCENARIOS = {
  directory: {
    topology: { kind: 'ring', n: 6 },
    options: { policy: 'ivy', hold: 1 },
    workload: { concurrent: 3, requests: 20 },
  },
  queue: { topology: { kind: 'path', n: 4 }, workload: { concurrent: 3, requests: 12 } },
  election: {
    topology: { kind: 'ring', n: 5 },
    events: [
      { at: 5, do: 'cut', link: ['n0', 'n1'] },
      { at: 5, do: 'cut', link: ['n0', 'n4'] },
    ],
  },
  exclusion: { topology: { kind: 'path', n: 3 }, workload: { concurrent: 3, requests: 6 } },
  controller: {
    topology: { kind: 'path', n: 4 },
    options: { kind: 'basic', M: 20, W: 10 },
    workload: { concurrent: 4, requests: 24 },
  },
};

const OPERATORS: Readonly<Record<string, MonoTypeOperatorFunction<Flight>>> = {
  identity,
  map: map((flight) => ({ ...flight })),
  filter: filter(() => true),
  tap: tap(() => {}),
  take: take(1_000_000),
  'mergeMap, each message twice': mergeMap((flight) => of(flight, flight)),
};

describe.each(Object.entries(SCENARIOS))(
  "an operator's immediate message arrives in the same tick, after its step: %s",
  (protocol, rest) => {
    const traceOf = (network: object, medium?: Medium) => {
      const json = { protocol, ...rest, network };
      const options = { host: 'snapshots', ...(medium && { medium }) } as const;
      return [...recordRun(parseScenario(json, protocols), json, options)].map((line) => JSON.stringify(line));
    };
    const without = traceOf({ latency: 0 });

    test('without a medium and with latency 0 it is valid', () => {
      expect(without.at(-1)).toContain('"verdict":"valid"');
    });

    test.each(Object.entries(OPERATORS))('%s: the same trace, byte for byte', (_, operator) => {
      expect(traceOf({ latency: 0 }, () => operator)).toEqual(without);
    });

    test.each(Object.entries(OPERATORS))('%s instead of another latency is valid', (_, operator) => {
      expect(traceOf({}, () => operator).at(-1)).toContain('"verdict":"valid"');
    });
  },
);

describe('a medium that fails ends the run', () => {
  const boom = new Error('boom');
  const failing: Readonly<Record<string, Medium>> = {
    'at once': () =>
      map(() => {
        throw boom;
      }),
    later: (_, __, clock) => (source) =>
      source.pipe(
        delay(3, clock),
        map(() => {
          throw boom;
        }),
      ),
    'as it is made': () => {
      throw boom;
    },
  };
  const runWith = (medium: Medium) => new Simulation(scenarioOf([ask('n1')]), { medium }).run();

  test.each(Object.entries(failing))('with its own error, %s', (_, medium) => {
    expect(() => runWith(medium)).toThrow(
      expect.objectContaining({
        name: 'UsageError',
        message: 'The medium of the channel from n1 to n0 failed: boom',
        cause: boom,
      }),
    );
  });

  const strange: Readonly<Record<string, readonly [Medium, RegExp]>> = {
    'a scheduler of real time': [() => delay(1), /scheduler that does not advance during a run\. Use the clock/],
    'the same, further on': [
      (_, __, clock) => (source) => source.pipe(delay(2, clock), debounceTime(1)),
      /scheduler that does not advance/,
    ],
    'what is no message': [() => map(() => undefined as never), /emitted undefined/],
    'what is no operator': [() => 5 as never, /from n1 to n0 failed: It returned 5\. Return an RxJS operator/],
    'what is no function': [5 as never, /medium is 5\. Pass a function/],
  };

  test.each(Object.entries(strange))('%s is refused', (_, [medium, message]) => {
    expect(() => runWith(medium)).toThrow(UsageError);
    expect(() => runWith(medium)).toThrow(message);
  });
});
