import { describe, expect, test } from 'vitest';
import { protocols } from '../../machines/index.js';
import { Recorder, traceHeader } from '../../network/recorder.js';
import { parseScenario } from '../../network/scenario/parse.js';
import { Simulation, type SimulationOptions } from '../../network/simulation.js';
import { isStep, type StepLine, type TraceLine } from '../../network/trace.js';
import { verifyTrace } from './verify.js';

function recorded(json: Readonly<Record<string, unknown>>, options: Pick<SimulationOptions, 'start' | 'choices'> = {}) {
  const scenario = parseScenario(json, protocols);
  const simulation = new Simulation(scenario, { host: 'snapshots', ...options });
  const lines: TraceLine[] = [];
  new Recorder(simulation.network, scenario.protocol, simulation.monitor).lines$.subscribe((line) => lines.push(line));
  const report = simulation.run();
  const header = traceHeader(scenario.protocol, json, scenario.seed, simulation.network, options);
  // As from a file: nothing but JSON.
  return { scenario, simulation, report, header, lines: JSON.parse(JSON.stringify(lines)) as TraceLine[] };
}

const verify = ({ scenario, header }: ReturnType<typeof recorded>, lines: readonly TraceLine[]) =>
  verifyTrace(scenario.protocol, { ...scenario.graph, options: scenario.options }, header, lines);

const ring = {
  protocol: 'directory',
  topology: { kind: 'ring', n: 5 },
  options: { policy: 'random' },
  workload: { concurrent: 2, requests: 12 },
};

describe('a trace as it was recorded', () => {
  test.each([
    ring,
    { ...ring, network: { latency: { min: 1, max: 9 }, loss: 0.05, duplicate: 0.05 } },
    {
      protocol: 'queue',
      topology: { kind: 'path', n: 3 },
      events: [
        { at: 1, node: 'n2', do: 'request' },
        { at: 30, do: 'corrupt', nodes: ['n1'] },
      ],
      until: { at: 60 },
    },
    {
      protocol: 'election',
      topology: { kind: 'ring', n: 4 },
      events: [
        { at: 5, do: 'cut', link: ['n0', 'n1'] },
        { at: 9, do: 'join', link: ['n0', 'n1'] },
      ],
    },
    {
      protocol: 'exclusion',
      topology: { kind: 'path', n: 3 },
      options: { hold: 1 },
      events: [
        { at: 0, node: 'n0', do: 'lock' },
        { at: 0, node: 'n1', do: 'lock' },
        { at: 3, do: 'cut', link: ['n1', 'n2'] },
      ],
    },
    {
      protocol: 'controller',
      topology: { kind: 'path', n: 3 },
      options: { kind: 'names', M: 4, W: 1, U: 8 },
      events: [
        { at: 0, node: 'n2', do: 'take' },
        { at: 4, node: 'n2', do: 'child' },
      ],
    },
    {
      protocol: 'locks',
      topology: { kind: 'ring', n: 3 },
      options: { storage: 2 },
      events: [
        { at: 1, node: 'n2', do: 'request' },
        { at: 9, node: 'n0', do: 'crash' },
        { at: 15, node: 'n0', do: 'reload' },
      ],
    },
  ])('$protocol: every step is one that the charts take', (json) => {
    const run = recorded(json);
    expect(verify(run, run.lines)).toMatchObject({ impossible: null });
    expect(verify(run, run.lines).steps).toBeGreaterThan(2);
  });
});

const faulty = {
  protocol: 'queue',
  topology: { kind: 'path', n: 3 },
  network: { loss: 0.05, duplicate: 0.05 },
  events: [
    { at: 1, node: 'n2', do: 'request' },
    { at: 9, node: 'n1', do: 'crash' },
    { at: 15, node: 'n1', do: 'restart' },
    { at: 20, node: 'n0', do: 'request' },
  ],
  until: { at: 30 },
};

test('a trace that begins in a given state, with its timers', () => {
  const { simulation } = recorded(faulty);
  const { world } = simulation.network;
  const nodes = [...world.configuration.nodes].map(([id, roles]) => {
    const timers = world.pendingOf(id).armed.map(({ role, timer }) => [role, timer] as const);
    return [id, { roles, timers }] as const;
  });
  const start = { nodes: Object.fromEntries(nodes), flights: world.flights.all };
  const [role, timer] = start.nodes['n1']!.timers[0]!;
  const choices = [{ deliver: 0 }, { timer: ['n1', role, timer] as const }];
  const { network: _, events: __, until: ___, ...quiet } = faulty;
  const run = recorded(quiet, { start: JSON.parse(JSON.stringify(start)), choices });
  expect(start.flights.length).toBeGreaterThan(0);
  expect(run.lines.filter((line) => isStep(line) && line.kind !== 'start')).toHaveLength(2);
  expect(verify(run, run.lines)).toMatchObject({ impossible: null });
});

test('a message lost or duplicated at sending is in flight zero or two times', () => {
  // A lost token is not a token: the properties have the same results in the run and in its trace.
  const verdicts = Array.from({ length: 12 }, (_, seed) => {
    const run = recorded({
      ...ring,
      seed,
      options: { policy: 'ivy' },
      network: { loss: 0.02, duplicate: 0.02 },
      until: { at: 80 },
    });
    const { impossible, properties } = verify(run, run.lines);
    expect(impossible).toBeNull();
    // A trace contains states, so properties of a run's steps are not checked.
    const ofStates = new Set(properties.map(({ name }) => name));
    const known = run.report.properties.filter(({ kind, name }) => kind !== 'eventually' && ofStates.has(name));
    expect(known).toHaveLength(7);
    expect(properties.filter(({ kind }) => kind !== 'eventually')).toEqual(known);
    return known.map(({ holds }) => holds).join();
  });
  expect(new Set(verdicts).size).toBeGreaterThan(1);
});

describe('wrongly recorded faults', () => {
  const run = recorded(faulty);
  const changed = (kind: StepLine['kind'] | 'lost' | 'duplicated', change: (line: any) => void) => {
    const lines = structuredClone(run.lines);
    change(lines.find((line) => line.kind === kind));
    return verify(run, lines).impossible?.what;
  };

  test.each<[string, StepLine['kind'] | 'lost' | 'duplicated', (line: any) => void, RegExp]>([
    [
      'a restart with more time on its timers than was left',
      'restart',
      (line) => line.timers[0][2]++,
      /for restart, n1 sets the timers/,
    ],
    [
      'a restart that forgets',
      'restart',
      (line) => (line.roles = { [line.timers[0][0]]: null }),
      /after restart, role ".*" of n1 is/,
    ],
    [
      'a crash that changes its node',
      'crash',
      (line) => (line.roles = { extra: null, x: { value: 'y' } }),
      /after crash, role "x" of n1 is/,
    ],
    [
      'a crash of one that is down',
      'restart',
      (line) => Object.assign(line, { kind: 'crash', event: { type: 'crash' } }),
      /n1 cannot crash/,
    ],
    [
      'a loss of what nobody sends',
      'lost',
      (line) => Object.assign(line, { message: 9_999, between: ['n0', 'n0'] }),
      /message #9999 is lost in the record/,
    ],
    [
      'a duplicate of a message that no node sends',
      'duplicated',
      (line) => (line.event = { type: 'nothing' }),
      /is duplicated in the record/,
    ],
  ])('%s', (_, kind, change, what) => {
    expect(changed(kind, change)).toMatch(what);
  });

  test('and the same lines as they were', () => {
    expect(changed('restart', () => {})).toBeUndefined();
  });
});

describe('a trace that is wrong', () => {
  const run = recorded(ring);
  const indexOf = (fits: (line: StepLine) => boolean) => run.lines.findIndex((line) => isStep(line) && fits(line));
  const changed = (index: number, change: (line: any) => void) => {
    const lines = structuredClone(run.lines);
    change(lines[index]);
    return verify(run, lines).impossible;
  };
  const delivery = indexOf(({ kind, sent }) => kind === 'deliver' && sent.length > 0);
  const grant = indexOf(({ emitted }) => emitted.length > 0);

  test.each<[string, number, (line: any) => void, RegExp]>([
    [
      'another state',
      delivery,
      (line) => (Object.values<any>(line.roles)[0].context.parent = 'n9'),
      /role "directory" of n\d is .*, but the record has/,
    ],
    [
      'a message that no chart sends',
      delivery,
      (line) => (line.sent[0].message = { type: 'token', fence: 9 }),
      /n\d sends .* but the record has|n\d does not send/,
    ],
    ['another receiver', delivery, (line) => (line.sent[0].to = line.node), /n\d sends .* but the record has/],
    ['a message less', delivery, (line) => (line.sent = []), /n\d sends .* which the record lacks/],
    [
      'a message that is not on its way',
      delivery,
      (line) => (line.message = 999),
      /message #999 arrives at n\d, but it was not in flight to n\d/,
    ],
    ['a message from somebody else', delivery, (line) => (line.event.from = 'n9'), /message #\d+ is from n\d, not from n9/],
    ['a step before the one before it', delivery, (line) => (line.at = -1), /time goes back from \d+ to -1/],
    [
      'a message with another content',
      delivery,
      (line) => (line.event.producer = 'n9'),
      /message #\d+ contains .* but the record has/,
    ],
    [
      'a notification that no chart gives',
      delivery,
      (line) => line.emitted.push({ type: 'granted', fence: null }),
      /sends the notifications \[\], but the record has/,
    ],
    ['a notification left out', grant, (line) => (line.emitted = []), /sends the notifications .*, but the record has \[\]/],
    [
      'a timer that no chart arms',
      delivery,
      (line) => (line.timers = [['directory', 'x', 1]]),
      /sets the timers \[\], but the record has/,
    ],
    [
      'a role that is not there',
      delivery,
      (line) => (line.role = 'nobody'),
      /has no role "nobody" that could receive (find|token)/,
    ],
    [
      'a timer that is not armed',
      delivery,
      (line) => Object.assign(line, { kind: 'timer', event: { type: 'timer', timer: 'x' } }),
      /the timer x of n\d expires, but it was not armed/,
    ],
  ])('%s: no chart can do that', (_, index, change, what) => {
    const impossible = changed(index, change);
    expect(impossible?.what).toMatch(what);
    expect(impossible?.line).toBe(index + 2);
  });

  test('properties after it are unknown', () => {
    const lines = structuredClone(run.lines);
    (lines[delivery] as any).sent = [];
    expect(verify(run, lines)).toMatchObject({ violations: [], properties: [] });
  });

  test('a step left out is missed at the next of its node or message', () => {
    const lines = run.lines.filter((_, i) => i !== delivery);
    expect(verify(run, lines).impossible).not.toBeNull();
  });

  test('a draw beyond its bound', () => {
    const drawing = indexOf(({ drawn }) => (drawn?.length ?? 0) > 0);
    expect(changed(drawing, (line) => (line.drawn = [99]))?.what).toMatch(
      /random number 1 of the step must be below \d+, but the record has 99/,
    );
  });
});

describe('properties', () => {
  const twoTokens = recorded({ ...ring, options: { policy: 'ivy' }, network: { duplicate: 0.2 }, until: { at: 60 } });

  test('a violated property is reported with its line, as in the run', () => {
    const { impossible, violations, properties } = verify(twoTokens, twoTokens.lines);
    // The run records it just before the line of the step that caused it.
    const { lines } = twoTokens;
    const notified = lines.flatMap((line, i) =>
      line.kind === 'violated' ? [{ line: lines.findIndex((next, n) => n > i && isStep(next)) + 2, what: line.why }] : [],
    );
    expect(impossible).toBeNull();
    expect(notified.length).toBeGreaterThan(0);
    expect(violations[0]).toEqual(notified[0]);
    // Only the run knows that nothing more will come: a trace may have been cut off.
    const atOnce = notified.filter(({ what }) => !what!.startsWith('every request is served'));
    expect(new Set(violations.map(({ what }) => what))).toEqual(new Set(atOnce.map(({ what }) => what)));
    expect(properties.filter(({ holds }) => holds === false)).toHaveLength(violations.length);
  });

  test('none breaks in a good run', () => {
    const run = recorded(ring);
    expect(verify(run, run.lines).violations).toEqual([]);
  });
});
