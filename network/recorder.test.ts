/** The lines that a recorder writes for the events of a simulated network. */
import { Subject } from 'rxjs';
import { expect, test } from 'vitest';
import { setup } from 'xstate';
import type { Protocol } from '../machines/protocol.js';
import type { Network } from './network.js';
import { overallVerdict } from './report.js';
import { Recorder, traceHeader } from './recorder.js';
import { isStep, TRACE_VERSION, type TraceLine } from './trace.js';

const role = (value: string, context: object = {}) => ({ chart: 'c', value, context });

/** A network of `a` and `b`, linked, each with one role. */
function networkOf() {
  const subjects = Object.fromEntries(
    ['started$', 'steps$', 'lost$', 'duplicated$', 'placed$', 'channels$', 'refused$'].map((name) => [name, new Subject<any>()]),
  ) as Record<string, Subject<any>>;
  const nodes = new Map<string, Record<string, unknown>>([
    ['a', { main: role('idle') }],
    ['b', { main: role('idle') }],
  ]);
  const flights: object[] = [];
  const state = { now: 5, watched: 0, crashed: undefined as string[] | undefined };
  const topology = { nodes: ['a', 'b'], links: [['a', 'b', 1]] };
  const network = {
    ...subjects,
    get now() {
      return state.now;
    },
    links: { neighbors: (node: string) => (node === 'a' ? ['b'] : []), up: (from: string) => from === 'a' },
    get configuration() {
      return { nodes, flights, instance: { topology }, ...(state.crashed && { crashed: state.crashed }) };
    },
    watchSelections: () => {
      state.watched++;
      return () => void state.watched--;
    },
  };
  return { network: network as never as Network, subjects, nodes, flights, state, topology };
}

const chart = setup({}).createMachine({ initial: 'x', states: { x: {} } });
const protocol = {
  name: 'p',
  charts: { c: chart },
  properties: () => [{ name: 'safe', kind: 'always', description: 'It is.', holds: () => true }],
} as never as Protocol;

function recording(of: Protocol = protocol, monitor?: object, from?: Recorder) {
  const all = networkOf();
  const recorder = new Recorder(all.network, of, monitor as never, from);
  const lines: TraceLine[] = [];
  let isOver = false;
  recorder.lines$.subscribe({ next: (line) => lines.push(line), complete: () => (isOver = true) });
  let index = 0;
  /** A step of a node that sends messages with these numbers. */
  const step = (node: string, more: object = {}, sent: number[] = []) =>
    all.subjects['steps$']!.next({
      index: index++,
      at: all.state.now,
      kind: 'deliver',
      node,
      event: { type: 'go' },
      emitted: [],
      sent: sent.map((id) => ({ id, from: node, to: 'b', message: { type: 'word' }, cost: 1 })),
      timers: [],
      drawn: [],
      selected: undefined,
      ...more,
    });
  return { ...all, recorder, lines, step, news: () => lines.splice(0), isOver: () => isOver };
}

test('the first line contains the parts of the run', () => {
  const { network, topology } = networkOf();
  const header = {
    quiver: TRACE_VERSION,
    protocol: 'p',
    scenario: { n: 1 },
    seed: 7,
    nodes: topology.nodes,
    links: topology.links,
    charts: { c: { initial: 'x', states: { x: {} } } },
    properties: [{ name: 'safe', kind: 'always', description: 'It is.' }],
  };
  expect(traceHeader(protocol, { n: 1 }, 7, network)).toEqual(header);
  const more = { choices: [{ deliver: 1 }], refutes: { property: 'safe' }, start: { nodes: {}, flights: [] } };
  expect(traceHeader(protocol, { n: 1 }, 7, network, more)).toEqual({ ...header, ...more });
});

test('initial nodes, with the selections of their charts', () => {
  const { subjects, news } = recording();
  subjects['started$']!.next(new Map([['a', { taken: [['main', '', '', 0]], refused: [] }]]));
  const line = {
    at: 5,
    kind: 'start',
    event: { type: 'start' },
    sent: [],
    emitted: [],
    roles: { main: role('idle') },
    clock: {},
  };
  expect(news()).toEqual([
    { ...line, index: 0, node: 'a', taken: [['main', '', '', 0]], refused: [] },
    { ...line, index: 1, node: 'b' },
  ]);
});

test("a step contains its changes, and the clocks of its node and the message's sender", () => {
  const { nodes, step, news } = recording();
  nodes.set('a', { main: role('busy'), other: role('new') });
  step('a', { kind: 'command', role: 'main', timers: [{ role: 'main', timer: 't', delay: 3 }], drawn: [2] }, [7]);
  expect(news()).toEqual([
    {
      index: 0,
      at: 5,
      kind: 'command',
      node: 'a',
      event: { type: 'go' },
      role: 'main',
      emitted: [],
      sent: [{ id: 7, to: 'b', message: { type: 'word' }, cost: 1 }],
      timers: [['main', 't', 3]],
      drawn: [2],
      roles: { main: role('busy'), other: role('new') },
      clock: { a: 1 },
    },
  ]);
  step('b', { message: 7, selected: { taken: [], refused: [] } });
  expect(news()).toEqual([
    {
      index: 1,
      at: 5,
      kind: 'deliver',
      node: 'b',
      event: { type: 'go' },
      message: 7,
      emitted: [],
      sent: [],
      taken: [],
      refused: [],
      roles: { main: role('idle') },
      clock: { a: 1, b: 1 },
    },
  ]);
  const same = nodes.get('a')!['main'];
  nodes.set('a', { main: same });
  step('a');
  step('a');
  nodes.set('a', { main: role('busy', { n: 1 }) });
  step('a');
  expect(news().map((line) => isStep(line) && line.roles)).toEqual([{ other: null }, {}, { main: role('busy', { n: 1 }) }]);
});

test('events of messages, channels and commands', () => {
  const { subjects, state, step, news } = recording();
  step('a', {}, [7, 8]);
  news();
  const word = { type: 'word' };
  const flight = (id: number) => ({ id, from: 'a', to: 'b', message: word });
  state.now = 9;
  subjects['lost$']!.next({ flight: flight(7), why: 'loss' });
  subjects['lost$']!.next({ flight: flight(7), why: 'loss' });
  subjects['duplicated$']!.next(flight(9));
  subjects['placed$']!.next(flight(10));
  subjects['channels$']!.next({ from: 'a', to: 'b', up: false });
  subjects['refused$']!.next({ event: word, why: 'no' });
  subjects['refused$']!.next({ node: 'a', event: word, why: 'no' });
  step('b', { message: 9 });
  const between = ['a', 'b'];
  const clock = { a: 1 };
  expect(news()).toEqual([
    { index: 1, at: 9, kind: 'lost', between, message: 7, event: word, why: 'loss', clock },
    { index: 2, at: 9, kind: 'lost', between, message: 7, event: word, why: 'loss', clock: {} },
    { index: 3, at: 9, kind: 'duplicated', between, message: 9, event: word, clock },
    { index: 4, at: 9, kind: 'placed', between, message: 10, event: word, clock: {} },
    { index: 5, at: 9, kind: 'channel', between, up: false, clock },
    { index: 6, at: 9, kind: 'refused', event: word, why: 'no', clock: {} },
    { index: 7, at: 9, kind: 'refused', between: ['a', 'a'], event: word, why: 'no', clock },
    expect.objectContaining({ index: 8, node: 'b', clock: { a: 1, b: 1 } }),
  ]);
});

test('violations, the end of a run that continues forever, and the verdict', () => {
  const violations$ = new Subject<object>();
  const { recorder, news, isOver, step, state } = recording(protocol, { violations$ });
  violations$.next({ property: 'safe', description: 'It is.', index: 3, at: 4, nodes: ['a'] });
  recorder.endless('nothing more happens');
  recorder.conclude({ verdict: 'invalid', properties: [] });
  expect(news()).toEqual([
    { index: 0, at: 5, kind: 'violated', why: 'safe: It is.', refutes: { property: 'safe', nodes: ['a'] }, clock: {} },
    { index: 1, at: 5, kind: 'endless', why: 'nothing more happens', clock: {} },
    { index: 2, at: 5, kind: 'verdict', verdict: 'invalid', properties: [], clock: {} },
  ]);
  expect(state.watched).toBe(1);
  recorder.stop();
  step('a');
  violations$.next({ property: 'safe', description: 'It is.' });
  expect([news(), isOver(), violations$.observed, state.watched]).toEqual([[], true, false, 0]);
});

test('it pauses, and continues with the current state', () => {
  const violations$ = new Subject<object>();
  const { recorder, nodes, flights, state, step, news } = recording(protocol, { violations$ });
  step('a', {}, [7]);
  recorder.pause();
  expect(state.watched).toBe(0);
  news();
  step('b', { message: 7 });
  violations$.next({ property: 'safe', description: 'It is.' });
  expect(news().map(({ kind }) => kind)).toEqual(['violated']);
  nodes.set('a', {});
  flights.push({ id: 8, from: 'a', to: 'b', message: { type: 'word' } });
  state.crashed = ['b'];
  recorder.resume('it was too fast');
  const node = { index: -1, at: 5, event: { type: 'stands' }, sent: [], emitted: [], clock: {} };
  const line = { index: -1, at: 5, clock: {} };
  expect(news()).toEqual([
    { index: 2, at: 5, kind: 'skipped', why: 'it was too fast', clock: {} },
    { ...node, kind: 'start', node: 'a', roles: { main: null } },
    { ...node, kind: 'crash', node: 'b', roles: { main: role('idle') } },
    { ...line, kind: 'channel', between: ['a', 'b'], up: true },
    { ...line, kind: 'channel', between: ['b', 'a'], up: false },
    { ...line, kind: 'channel', between: ['a', 'b'], up: true },
    { ...line, kind: 'placed', between: ['a', 'b'], message: 8, event: { type: 'word' } },
  ]);
  step('b', { message: 7 });
  expect(news()).toMatchObject([{ index: 3, clock: { b: 1 } }]);
  expect(state.watched).toBe(1);
});

test('while quiet, it counts lines and updates clocks', () => {
  const { recorder, subjects, state, step, news } = recording();
  recorder.beQuiet();
  expect(state.watched).toBe(0);
  subjects['started$']!.next(new Map());
  step('a', {}, [7]);
  subjects['placed$']!.next({ id: 9, from: 'a', to: 'b', message: { type: 'x' } });
  expect(news()).toEqual([]);
  expect([recorder.speak(), state.watched]).toEqual([4, 1]);
  step('b', { message: 7 });
  expect(news()).toMatchObject([{ index: 4, roles: {}, clock: { a: 1, b: 1 } }]);
});

test('a copy continues with the same clocks', () => {
  const first = recording();
  first.step('a', {}, [7]);
  const second = recording(protocol, undefined, first.recorder);
  second.nodes.set('a', first.nodes.get('a')!);
  second.step('b', { message: 7 });
  second.step('a');
  expect(second.news()).toMatchObject([
    { index: 1, node: 'b', clock: { a: 1, b: 1 } },
    { index: 2, node: 'a', roles: {}, clock: { a: 2 } },
  ]);
});

test('the overlay of a node is recorded if the protocol has one', () => {
  const seen: unknown[][] = [];
  const overlay = (...given: unknown[]) => (seen.push(given), given[1] === 'a' ? { badge: '★' } : undefined);
  const { subjects, network, nodes, step, news } = recording({ ...protocol, overlay } as never);
  subjects['started$']!.next(new Map());
  step('a');
  step('b');
  expect(news().map((line) => ('overlay' in line ? line.overlay : null))).toEqual([{ badge: '★' }, null, { badge: '★' }, null]);
  expect(seen[0]).toEqual([nodes.get('a'), 'a', network.links, network.configuration]);
});

test('a run is invalid after a violation, unknown if cut off, else valid', () => {
  const result = (holds: boolean | null) => ({ name: 'x', kind: 'always', holds }) as const;
  expect(overallVerdict([result(true), result(false)], true)).toBe('invalid');
  expect(overallVerdict([result(true), result(null)], true)).toBe('unknown');
  expect(overallVerdict([result(true), result(null)], false)).toBe('valid');
  expect(overallVerdict([], false)).toBe('valid');
});
