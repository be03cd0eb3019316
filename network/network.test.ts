/** Faults, links and determinism of the network, seen through whole runs of the directory. */
import { describe, expect, test } from 'vitest';
import { directory } from '../machines/directory/index.js';
import { election } from '../machines/election/index.js';
import { Recorder } from './recorder.js';
import { parseScenario } from './scenario/parse.js';
import { Simulation } from './simulation.js';
import { isStep, type StepLine, type TraceLine } from './trace.js';

type Json = Record<string, unknown>;

const base: Json = { protocol: 'directory', topology: { kind: 'ring', n: 6 }, options: { policy: 'ivy' } };

function run(over: Json, host: 'actors' | 'snapshots' = 'snapshots') {
  const simulation = new Simulation(parseScenario({ ...base, ...over }, { directory }), { host });
  const lines: TraceLine[] = [];
  new Recorder(simulation.network, directory, simulation.monitor).lines$.subscribe((line) => lines.push(line));
  const report = simulation.run();
  return { report, lines, text: lines.map((line) => JSON.stringify(line)).join('\n') };
}

const stormy: Json = {
  network: { latency: { min: 1, max: 9 }, order: 'fifo', duplicate: 0.05, reorder: 0.2 },
  workload: { concurrent: 3, requests: 30 },
  seed: 7,
  until: { at: 200 },
};

describe('determinism', () => {
  test('same seed, same bytes, on both hosts; another seed, another run', () => {
    const first = run(stormy, 'actors');
    expect(run(stormy, 'actors').text).toBe(first.text);
    expect(run(stormy, 'snapshots').text).toBe(first.text);
    expect(run({ ...stormy, seed: 8 }).text).not.toBe(first.text);
  });

  test('a calm run serves everyone; a fault that is switched off leaves no mark', () => {
    const calm = run({ network: { latency: { min: 1, max: 9 } }, workload: { concurrent: 3, requests: 30 } });
    expect(calm.report.verdict).toBe('valid');
    expect(calm.report.summary['served']).toHaveLength(30);
    expect(calm.lines.every(isStep)).toBe(true);
  });
});

describe('faults', () => {
  test('a lost message is reported, and violates liveness of the directory', () => {
    const { report, lines } = run({ network: { loss: 1 }, workload: { sequential: ['n3'] } });
    expect(lines.filter(({ kind }) => kind === 'lost')).toMatchObject([{ between: ['n3', 'n2'], why: 'loss' }]);
    expect(report.verdict).toBe('invalid');
    expect(report.properties.filter(({ holds }) => holds === false).map(({ name }) => name)).toContain('every request is served');
  });

  test('a duplicated find breaks the spanning tree, and the monitor reports the step', () => {
    const { report, lines } = run({ network: { duplicate: 1 }, workload: { sequential: ['n3'] }, until: { at: 8 } });
    expect(report.verdict).toBe('invalid');
    expect(lines.some(({ kind }) => kind === 'violated')).toBe(true);
  });

  test('fifo keeps the order of a channel under random latencies, unordered does not', () => {
    const overtakes = (order: string) => {
      const { lines } = run({
        topology: { kind: 'path', n: 3 },
        options: { policy: 'arrow', hold: 9 },
        until: { at: 9000 },
        workload: { concurrent: 3, requests: 400 },
        network: { latency: { min: 1, max: 50 }, order },
      });
      const last = new Map<string, number>();
      return lines.filter(isStep).some(({ node, message, event }) => {
        if (message === undefined) return false;
        const channel = `${event['from']} ${node}`;
        const overtaken = (last.get(channel) ?? -1) > message;
        last.set(channel, message);
        return overtaken;
      });
    };
    expect(overtakes('fifo')).toBe(false);
    expect(overtakes('unordered')).toBe(true);
  });

  test('a crashed node loses messages; a restarted one continues from its last state', () => {
    const events = [
      { at: 0, node: 'n3', do: 'request' },
      { at: 1, node: 'n0', do: 'crash' },
      { at: 9, node: 'n0', do: 'restart' },
      { at: 10, node: 'n5', do: 'request' },
    ];
    const { lines } = run({ events, options: { policy: 'ivy', hold: 0 } });
    expect(lines.filter(({ kind }) => kind === 'lost')).toMatchObject([{ why: 'node down' }]);
    const restarted = lines.find((line): line is StepLine => line.kind === 'restart')!;
    expect(restarted.roles['directory']).toMatchObject({ value: { holding: 'idle' } });
  });

  const deliveredAt = (lines: readonly TraceLine[]) =>
    Object.fromEntries(lines.filter(isStep).flatMap(({ message, at }) => (message === undefined ? [] : [[message, at]])));
  const slowRing: Json = { network: { latency: 10 }, workload: { sequential: ['n3'] }, until: { at: 100 } };

  test('one message may be delayed, delivered first, duplicated or dropped by number', () => {
    const touched = (...events: Json[]) => run({ ...slowRing, events }).lines;
    expect(deliveredAt(touched())).toEqual({ 0: 10, 1: 20, 2: 30, 3: 40 });
    expect(deliveredAt(touched({ at: 4, do: 'deliver', message: 0 }))).toMatchObject({ 0: 4, 1: 14 });
    expect(deliveredAt(touched({ at: 4, do: 'hold', message: 0 }))).toEqual({});
    expect(deliveredAt(touched({ at: 4, do: 'hold', message: 0 }, { at: 33, do: 'deliver', message: 0 }))).toMatchObject({
      0: 33,
      1: 43,
    });
    expect(deliveredAt(touched({ at: 4, do: 'duplicate', message: 0 }))).toMatchObject({ 0: 10, 1: 14 });
    expect(touched({ at: 4, do: 'drop', message: 0 }).find(({ kind }) => kind === 'lost')).toMatchObject({
      kind: 'lost',
      message: 0,
      at: 4,
    });
  });

  test('a message that is not in flight cannot be changed, and the trace records that', () => {
    const { lines } = run({ ...slowRing, events: [{ at: 4, do: 'drop', message: 7 }] });
    expect(lines.find(({ kind }) => kind === 'refused')).toMatchObject({ at: 4, why: 'message 7 is not in flight' });
    expect(Object.keys(deliveredAt(lines))).toHaveLength(4);
  });

  test('a slow channel delays later messages', () => {
    const { lines } = run({ ...slowRing, events: [{ at: 0, do: 'slow', channel: ['n2', 'n1'], by: 5 }] });
    expect(deliveredAt(lines)).toEqual({ 0: 10, 1: 25, 2: 35, 3: 45 });
  });

  test('messages to a paused node or on a clogged channel wait, in order', () => {
    const events = [
      { at: 0, node: 'n0', do: 'pause' },
      { at: 0, node: 'n1', do: 'request' },
      { at: 20, node: 'n0', do: 'resume' },
      { at: 30, do: 'clog', channel: ['n1', 'n0'] },
      { at: 30, node: 'n0', do: 'request' },
      { at: 50, do: 'unclog', channel: ['n1', 'n0'] },
    ];
    const { report, lines } = run({ events });
    expect(
      lines
        .filter(isStep)
        .filter(({ emitted }) => emitted.some(({ type }) => type === 'granted'))
        .map(({ node, at }) => [node, at]),
    ).toEqual([
      ['n1', 21],
      ['n0', 50],
    ]);
    expect(report.verdict).toBe('valid');
  });

  test('delayed messages arrive before new ones of the tick of their release', () => {
    const scenario = {
      protocol: 'election',
      options: { clock: 'logical', skipIfLeader: true },
      topology: { kind: 'path', n: 2 },
      network: { latency: { min: 1, max: 2 } },
      events: [
        { at: 4, do: 'cut', link: ['n0', 'n1'] },
        { at: 11, do: 'pause', node: 'n1' },
        { at: 58, do: 'join', link: ['n0', 'n1'] },
        { at: 61, do: 'resume', node: 'n1' },
      ],
      seed: 8,
    };
    const simulation = new Simulation(parseScenario(scenario, { election }), { host: 'snapshots' });
    const lines: TraceLine[] = [];
    new Recorder(simulation.network, election).lines$.subscribe((line) => lines.push(line));
    expect(simulation.run().verdict).toBe('valid');
    const arrived = lines.filter(isStep).filter(({ node, message }) => node === 'n1' && message !== undefined);
    expect(arrived.map(({ message }) => message)).toEqual(arrived.map(({ message }) => message!).sort((a, b) => a - b));
  });

  test('routed messages take the shortest remaining path, and are lost without one', () => {
    const events = [
      { at: 0, do: 'cut', link: ['n0', 'n5'] },
      { at: 1, node: 'n5', do: 'request' },
    ];
    expect(run({ events }).report.summary).toMatchObject({ findCost: 5, tokenCost: 5 });
    const alone = run({ events: [{ at: 0, do: 'cut', link: ['n4', 'n5'] }, ...events] });
    expect(alone.lines.filter(({ kind }) => kind === 'lost')).toMatchObject([{ why: 'no route' }]);
    expect(alone.report.verdict).toBe('invalid');
  });
});

test('every line has a vector clock: a delivery follows all that its sender knew', () => {
  const steps = run(stormy).lines.filter(isStep);
  const sentAt = new Map(steps.flatMap((step) => step.sent.map(({ id }) => [id, step] as const)));
  const deliveries = steps.filter(({ message }) => message !== undefined && sentAt.has(message));
  expect(deliveries.length).toBeGreaterThan(30);
  for (const { message, clock } of deliveries) {
    for (const [node, count] of Object.entries(sentAt.get(message!)!.clock)) expect(clock[node]).toBeGreaterThanOrEqual(count);
  }
});

test('a request while one is outstanding waits its turn', () => {
  const events = [0, 1, 2].map((at) => ({ at, node: 'n3', do: 'request' }));
  expect(run({ events }).report.summary['served']).toEqual(['n3', 'n3', 'n3']);
});
