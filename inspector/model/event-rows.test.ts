import { describe, expect, test } from 'vitest';
import { directoryTrace, readTrace } from '../page/testing/traces.js';
import { eventRow, shownLines } from './event-rows.js';
import { eventName } from './words.js';

const header = {
  quiver: 1,
  protocol: 'programs',
  scenario: null,
  seed: 0,
  nodes: [],
  links: [],
  charts: {},
  properties: [],
  live: true,
};
const step = (index: number, fields: object) => ({ index, at: index, clock: {}, sent: [], emitted: [], roles: {}, ...fields });
const traceOf = (lines: readonly object[]) => readTrace([header, ...lines].map((line) => JSON.stringify(line)).join('\n'));

describe('a row', () => {
  test('of a delivery: from, to, type, payload, states and context before and after', () => {
    const recording = readTrace(directoryTrace());
    const rows = Array.from({ length: recording.end }, (_, line) => eventRow(recording, line));
    const row = rows.find(({ from, type }) => from === 'n0' && type === 'token')!;
    expect(row).toMatchObject({
      to: 'n2',
      states: [{ role: 'directory', chart: 'directory', before: 'waiting.last', after: 'holding.using.last' }],
    });
    expect(rows.find(({ to, from }) => to === 'n2' && from === '')!.type).toBe('start');
    expect(rows.find(({ type }) => type === 'request')!.context).toContainEqual({ key: 'parent', before: '"n1"', after: '"n2"' });
  });

  test('of an internal event is in words', () => {
    const recording = traceOf([
      step(0, {
        kind: 'start',
        node: 'shop/app',
        event: { type: 'start' },
        roles: { app: { chart: 'app', value: 'busy', context: {} } },
      }),
      step(1, {
        kind: 'deliver',
        node: 'shop/app',
        event: { type: 'xstate.done.actor.0.app.busy', output: 3, from: 'shop/app/load' },
        roles: { app: { chart: 'app', value: 'idle', context: {} } },
      }),
    ]);
    expect(eventRow(recording, 1)).toEqual({
      from: 'shop/app/load',
      to: 'shop/app',
      type: 'load done',
      payload: '{"output":3}',
      states: [{ role: 'app', chart: 'app', before: 'busy', after: 'idle' }],
      context: [],
      isWrong: false,
    });
  });

  test('of a resolved promise has no timer; an earlier actor is already running', () => {
    const node = 'shop/load';
    const recording = traceOf([
      step(0, { kind: 'start', node, event: { type: 'stands' } }),
      step(1, { kind: 'timer', node, event: { type: 'xstate.promise.resolve', data: 3 } }),
      step(2, { kind: 'timer', node, event: { type: 'xstate.after.2000.app.on' } }),
    ]);
    expect([0, 1, 2].map((line) => eventRow(recording, line)).map(({ from, type }) => [from, type])).toEqual([
      ['', 'already running'],
      ['', 'resolved'],
      ['timer', 'after 2 s in on'],
    ]);
  });
});

test('internal events of XState in words', () => {
  const types = {
    'xstate.done.actor.0.app.busy': 'busy done',
    'xstate.error.actor.load': 'load failed',
    'xstate.after.2000.app.on': 'after 2 s in on',
    'xstate.after.timeout.app.on': 'after timeout in on',
    'xstate.done.state.app.form': 'form done',
    'xstate.snapshot.load': 'load changed',
    'xstate.promise.resolve': 'resolved',
    'xstate.other': 'other',
    GO: 'GO',
  };
  expect(Object.fromEntries(Object.keys(types).map((type) => [type, eventName(type)]))).toEqual(types);
  expect(eventName('xstate.done.actor.0.app.busy', 'shop/app/load')).toBe('load done');
});

test('lines that only prepare others have no row', () => {
  const start = (index: number, node: string) => step(index, { kind: 'start', node, event: { type: 'start' } });
  const channel = (index: number) => ({ index, at: index, kind: 'channel', between: ['a', 'b'], up: true, clock: {} });
  const { count, lineAt, rowOf } = shownLines(
    traceOf([channel(0), start(1, 'a'), channel(2), channel(3), start(4, 'b'), start(5, 'c')]),
  );
  expect(Array.from({ length: count }, (_, row) => lineAt(row))).toEqual([1, 4, 5]);
  expect([1, 4, 5].map(rowOf)).toEqual([0, 1, 2]);
  expect(rowOf(3)).toBe(0);
});
