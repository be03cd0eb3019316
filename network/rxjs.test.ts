/** The Observables of a run: they end with it, carry its time and take the operators of RxJS that need time or an end. */
import { asyncScheduler, bufferTime, count, lastValueFrom, map, take, throttleTime, toArray } from 'rxjs';
import { TestScheduler } from 'rxjs/testing';
import { describe, expect, test } from 'vitest';
import { directory } from '../machines/directory/index.js';
import { UsageError } from '../machines/errors.js';
import { networkOn } from './network-on.js';
import { parseScenario } from './scenario/parse.js';
import { Simulation } from './simulation.js';

const scenarioOf = (events: readonly object[], rest: object = {}) =>
  parseScenario(
    { protocol: 'directory', topology: { kind: 'path', n: 3 }, options: { hold: 2 }, events, ...rest },
    { directory },
  );
const ask = (node: string, at = 0) => ({ at, node, do: 'request' });
const twice = [ask('n1'), ask('n2', 10)];

test('every Observable completes when the run ends', async () => {
  const simulation = new Simulation(scenarioOf(twice));
  const { steps$, sent$, delivered$, notifications$, lost$, duplicated$, placed$, channels$, refused$, started$ } =
    simulation.network;
  const all = [steps$, sent$, delivered$, notifications$, lost$, duplicated$, placed$, channels$, refused$, started$];
  const counts = [...all, simulation.monitor.violations$].map((each: any) => lastValueFrom(each.pipe(count())));
  const { messages } = simulation.run();
  const [steps, sent, delivered, notifications] = await Promise.all(counts);
  expect([sent, delivered]).toEqual([messages.total, messages.total]);
  expect(notifications).toBe(4);
  expect(steps).toBeGreaterThan(messages.total);
});

test('published values contain their time', async () => {
  const simulation = new Simulation(scenarioOf(twice, { network: { latency: 3 } }));
  const sent = lastValueFrom(
    simulation.network.sent$.pipe(
      map(({ at, message }) => `${at} ${message.type}`),
      toArray(),
    ),
  );
  simulation.run();
  expect(await sent).toEqual(['0 find', '3 token', '10 find', '13 token']);
  const cut = new Simulation(
    parseScenario(
      { protocol: 'election', topology: { kind: 'path', n: 3 }, events: [{ at: 7, do: 'cut', link: ['n0', 'n1'] }] },
      (await import('../machines/index.js')).protocols,
    ),
  );
  const down = lastValueFrom(
    cut.network.channels$.pipe(
      map(({ at, up }) => [at, up]),
      toArray(),
    ),
  );
  cut.run();
  expect(await down).toEqual([
    [7, false],
    [7, false],
  ]);
});

describe('operators in the time of the run', () => {
  test('bufferTime and throttleTime take simulation.scheduler, and do not extend the run', async () => {
    const simulation = new Simulation(scenarioOf(twice));
    const windows = lastValueFrom(
      simulation.network.sent$.pipe(
        bufferTime(5, simulation.scheduler),
        map(({ length }) => length),
        toArray(),
      ),
    );
    const throttled = lastValueFrom(simulation.network.sent$.pipe(throttleTime(5, simulation.scheduler), count()));
    const { at } = simulation.run();
    expect(await windows).toEqual([2, 0, 2]);
    expect(await throttled).toBe(2);
    expect(at).toBe(new Simulation(scenarioOf(twice)).run().at);
  });

  test('a run until a time moves the scheduler to that time', () => {
    const simulation = new Simulation(scenarioOf([], { until: { at: 20 } }));
    const ticks: number[] = [];
    simulation.scheduler.schedule(() => ticks.push(simulation.scheduler.now()), 20);
    simulation.scheduler.schedule(() => ticks.push(simulation.scheduler.now()), 21);
    simulation.run();
    expect(ticks).toEqual([20]);
  });
});

describe('networkOn', () => {
  test('draws a run as marbles, from its first tick to its end', () => {
    const scheduler = new TestScheduler((actual, expected) => expect(actual).toEqual(expected));
    scheduler.run(({ expectObservable }) => {
      const network = networkOn(scenarioOf([ask('n1', 1)], { network: { latency: 3 }, until: { at: 12 } }), scheduler);
      expectObservable(network.sent$.pipe(map(({ message }) => message.type[0]))).toBe('-f--t-------|');
      expectObservable(network.notifications$.pipe(map(({ notification }) => notification.type[0]))).toBe('-------g-r--|');
    });
  });

  test('a missing scheduler is refused', () => {
    expect(() => networkOn(scenarioOf([]), undefined as never)).toThrow(
      new UsageError('networkOn needs an RxJS scheduler as its second argument, got undefined.'),
    );
  });

  test('a workload and link changes run on it as well, and in real time', async () => {
    const workload = { sequential: ['n2', 'n0'] };
    const network = networkOn(scenarioOf([], { workload }), asyncScheduler);
    const four = network.notifications$.pipe(
      map(({ notification }) => notification.type),
      take(4),
      toArray(),
    );
    expect(await lastValueFrom(four)).toEqual(['granted', 'released', 'granted', 'released']);
    network.stop();
  });
});
