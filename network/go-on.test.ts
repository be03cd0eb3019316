/** A run continued from the middle equals the run from its start, byte for byte. The original run does not change. */
import { delay } from 'rxjs';
import { expect, test } from 'vitest';
import { protocols } from '../machines/index.js';
import type { Protocol } from '../machines/protocol.js';
import { Random } from './random.js';
import { Recorder } from './recorder.js';
import { parseScenario } from './scenario/parse.js';
import { Simulation, type SimulationOptions } from './simulation.js';

type Event = Readonly<Record<string, unknown>> & { readonly at: number };
type Json = { readonly events?: readonly Event[] } & Readonly<Record<string, unknown>>;

const faults = { loss: 0.02, duplicate: 0.02, reorder: 0.1 };
const jittery = { latency: { min: 1, max: 9 } };
const commands = (what: string, nodes: readonly string[], every: number, more: object = {}): readonly Event[] =>
  nodes.map((node, i) => ({ at: 1 + i * every, do: what, node, ...more }));
const several = ['n1', 'n2', 'n0', 'n2', 'n1', 'n3', 'n0', 'n2'];

const scenarios: Record<string, Json> = {
  directory: { protocol: 'directory', options: { hold: 2 }, topology: { kind: 'ring', n: 6 }, network: jittery },
  'directory, with faults': {
    protocol: 'directory',
    options: { policy: 'random' },
    topology: { kind: 'ring', n: 6 },
    network: { latency: { exponential: 4 }, order: 'fifo', ...faults },
  },
  exclusion: { protocol: 'exclusion', options: { hold: 2 }, topology: { kind: 'ring', n: 6 }, network: jittery },
  queue: { protocol: 'queue', topology: { kind: 'path', n: 5 }, network: { ...jittery, loss: 0.02 } },
  'queue, at rest': {
    protocol: 'queue',
    topology: { kind: 'path', n: 5 },
    network: jittery,
    workload: { concurrent: 2, requests: 12 },
    until: { idle: true },
  },
  election: {
    protocol: 'election',
    topology: { kind: 'ring', n: 5 },
    network: jittery,
    workload: undefined,
    events: [4, 18, 33, 47, 62, 80].map((at, i) => ({ at, do: i % 2 === 0 ? 'cut' : 'join', link: ['n2', 'n3'] })),
  },
  controller: {
    protocol: 'controller',
    topology: { kind: 'path', n: 5 },
    options: { kind: 'bins', M: 30, W: 5, U: 20 },
    network: jittery,
    workload: undefined,
    events: commands('take', several, 12),
  },
  locks: {
    protocol: 'locks',
    topology: { kind: 'complete', n: 4 },
    network: jittery,
    workload: undefined,
    events: commands('request', several, 20),
  },
  link: {
    protocol: 'link',
    topology: { kind: 'path', n: 4 },
    network: { latency: { min: 1, max: 9 }, ...faults },
    workload: undefined,
    events: [0, 1, 2, 3, 4].flatMap((i) => [
      { at: 2 + 10 * i, do: 'post', node: 'n1', peer: 'n2', body: i },
      { at: 5 + 10 * i, do: 'post', node: 'n2', peer: 'n1', body: i },
    ]),
  },
};

const asJson = (json: Json): Json => ({
  until: { at: 120 },
  workload: { concurrent: 3, requests: 40 },
  ...json,
});
const withoutNothing = (json: Json): unknown => JSON.parse(JSON.stringify(json));
const parse = (json: Json, known: Readonly<Record<string, Protocol>> = protocols) => parseScenario(withoutNothing(json), known);

interface Run {
  readonly simulation: Simulation;
  readonly recorder: Recorder;
  readonly lines: string[];
}

function recorded(simulation: Simulation, from?: Recorder): Run {
  const recorder = new Recorder(simulation.network, simulation.scenario.protocol, simulation.monitor, from);
  const lines: string[] = [];
  recorder.lines$.subscribe((line) => lines.push(JSON.stringify(line)));
  return { simulation, recorder, lines };
}

function ended({ simulation, recorder, lines }: Run): readonly [lines: readonly string[], report: unknown] {
  while (simulation.advance());
  const report = simulation.finish();
  recorder.conclude(report);
  return [lines, report];
}

function fromStart(json: Json, options: SimulationOptions = { host: 'snapshots' }): Run {
  const run = recorded(new Simulation(parse(json), options));
  run.simulation.start();
  return run;
}

/** To between two ticks, at or after a time; false where the run ends before. */
function runTo({ simulation }: Run, at: number): boolean {
  while (simulation.clock.now() < at || !simulation.isBetweenTicks) if (!simulation.advance()) return false;
  return true;
}

function gesture(random: Random, at: number, { protocol }: Json): Event {
  const node = random.pick(['n0', 'n1', 'n2']);
  const channel = random.pick([
    ['n0', 'n1'],
    ['n2', 'n1'],
  ]);
  const ofLinks = protocol === 'election' || protocol === 'queue' || protocol === 'exclusion';
  return random.pick<Event>([
    { at, do: 'crash', node },
    // A link has a command of this name.
    ...(protocol === 'link' ? [] : [{ at, do: 'restart', node }]),
    { at, do: 'pause', node },
    { at, do: 'resume', node },
    { at, do: 'clog', channel },
    { at, do: 'unclog', channel },
    { at, do: 'slow', channel, by: 5 },
    ...(['drop', 'duplicate', 'hold', 'deliver'] as const).map((what) => ({ at, do: what, message: random.below(60) })),
    ...(ofLinks ? (['cut', 'join'] as const).map((what) => ({ at, do: what, link: ['n0', 'n1'] })) : []),
  ]);
}

const inTime = (events: readonly Event[]): readonly Event[] => events.toSorted((a, b) => a.at - b.at);

/** The part before and the part after a copy are together the run from its start. */
function expectSame(left: Run, copy: Simulation, json: Json): void {
  const before = [...left.lines];
  const [lines, report] = ended(recorded(copy, left.recorder));
  const [all, expected] = ended(fromStart(json));
  expect([...before, ...lines]).toEqual(all);
  expect(report).toEqual(expected);
}

test.each(Object.keys(scenarios))('%s: from random moments, with random gestures after them', (name) => {
  const base = asJson(scenarios[name]!);
  const random = new Random(7, name);
  const endless = 'idle' in (base['until'] as object);
  let made = 0;
  for (let turn = 0; turn < 5; turn++) {
    const at = 2 + random.below(70);
    // A message that is held forever keeps some from ever coming to rest.
    const some = (from: number, count: number) =>
      endless ? [] : Array.from({ length: count }, () => gesture(random, from + random.below(80) / 2 + 0.25, base));
    const before = { ...base, events: inTime([...(base.events ?? []), ...some(0, 2).filter((event) => event.at < at)]) };
    const other = { ...before, events: inTime([...before.events, ...some(at + 40, 1)]) };
    const left = fromStart(other);
    if (!runTo(left, at)) continue;
    const now = left.simulation.clock.now();
    if (now > at + 40) continue;
    const after = endless ? [{ at: now + 0.5, do: 'drop', message: 30 }] : some(now, 2);
    const json = { ...before, events: inTime([...before.events, ...after]) };
    const copy = left.simulation.goOn(parse(json));
    if (!copy) continue;
    made++;
    expectSame(left, copy, json);
    // Going on changed nothing where it began.
    expect(ended(left)[0]).toEqual(ended(fromStart(other))[0]);
  }
  expect(made).toBeGreaterThan(1);
});

const base = asJson(scenarios['directory']!);

test.each<[string, Json, number, readonly Event[]]>([
  [
    'messages that wait before a node and a channel',
    {
      ...base,
      events: [
        { at: 2, do: 'pause', node: 'n1' },
        { at: 9, do: 'clog', channel: ['n3', 'n2'] },
      ],
    },
    9,
    [
      { at: 60, do: 'resume', node: 'n1' },
      { at: 61, do: 'unclog', channel: ['n3', 'n2'] },
    ],
  ],
  [
    'a fault from which the network has not recovered yet',
    { ...asJson(scenarios['queue']!), until: { at: 900 }, events: [{ at: 700, do: 'corrupt', nodes: ['n1', 'n2'] }] },
    700,
    [{ at: 890, do: 'drop', message: 1 }],
  ],
])('%s', (_, json, at, after) => {
  const left = fromStart(json);
  expect(runTo(left, at)).toBe(true);
  const next = { ...json, events: [...json.events!, ...after] };
  expectSame(left, left.simulation.goOn(parse(next))!, next);
});

test('a run that waited for an event cannot continue without it', () => {
  const json = asJson(scenarios['queue, at rest']!);
  const late = { at: 5000, do: 'drop', message: 1 };
  const left = fromStart({ ...json, events: [late] });
  runTo(left, 1000);
  expect(left.simulation.goOn(parse(json))).toBeNull();
  expect(left.simulation.goOn(parse({ ...json, events: [{ ...late, at: 2000 }] }))).not.toBeNull();
});

test.each<[string, Json, SimulationOptions]>([
  ['a medium', base, { medium: (_from, _to, clock) => delay(3, clock) }],
  ['contacts', { ...base, topology: { kind: 'path', n: 4 } }, {}],
  ['a reload', { ...asJson(scenarios['locks']!), events: [{ at: 3, do: 'reload', node: 'n1' }] }, {}],
])('%s: such a run does not go on from the middle', (what, json, options) => {
  const scenario = parse(json);
  const contacts = what === 'contacts' ? [{ at: 0, i: 'n0', j: 'n1' }] : [];
  const simulation = new Simulation({ ...scenario, contacts }, options);
  simulation.start();
  while (!simulation.isBetweenTicks) simulation.advance();
  expect(simulation.goOn(scenario)).toBeNull();
});

test('nor can a run of choices, or one whose account contains a function', () => {
  const scenario = parse(base);
  expect(new Simulation(scenario, { choices: [] }).goOn(scenario)).toBeNull();
  const account = { record: () => {}, summary: () => ({}), meters: () => [] };
  const protocol = { ...scenario.protocol, observe: () => account };
  const simulation = new Simulation({ ...scenario, protocol });
  expect(simulation.goOn({ ...scenario, protocol })).toBeNull();
});

test('in the middle of a tick a run cannot be left', () => {
  const simulation = new Simulation(parse(base));
  simulation.start();
  expect(simulation.isBetweenTicks).toBe(false);
  expect(simulation.goOn(simulation.scenario)).toBeNull();
});
