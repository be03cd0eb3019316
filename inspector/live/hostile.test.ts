/** Hostile or invalid input of programs: it is rejected or shown, and does not end the inspector. */
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { createActor, type AnyActorLogic } from 'xstate';
import { WebSocket } from 'ws';
import { receiveInspection, type Receiving } from '../stately/receive.js';
import { ReadTrace } from '../model/recording.js';
import { sentence } from '../model/words.js';
import { reportActors } from './actors.js';
import { Inbox } from './inbox.js';
import { now, type StepReport } from './report.js';

const page = new URL('../page/', import.meta.url);
const program = { name: 'p', run: 'r' };
const deep = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels);
/** A report of long ago, so that it waits for no other. */
const report = (extra: object = {}, node = 'n'): StepReport => ({
  at: now() - 5000,
  node,
  kind: 'start',
  event: { type: 'start' },
  sent: [],
  emitted: [],
  roles: { r: { chart: 'c', value: 'a', context: {} } },
  ...extra,
});

describe('over HTTP and WebSockets', () => {
  let receiving: Receiving;
  beforeEach(async () => {
    receiving = await receiveInspection({ page });
  });
  afterEach(() => receiving.close());

  const post = async (body: string): Promise<[number, string]> => {
    const response = await fetch(`${receiving.url}report`, { method: 'POST', body });
    return [response.status, await response.text()];
  };
  /** Sends one more report, closes, and returns all that was shown. */
  async function shown(): Promise<string[]> {
    expect(await post(JSON.stringify({ program, reports: [report({}, 'last')] }))).toEqual([200, 'null']);
    const answer = await fetch(`${receiving.url}trace`);
    await receiving.close();
    const recording = new ReadTrace();
    recording.push(await answer.text());
    recording.close();
    expect(recording.problem).toBeNull();
    return Array.from({ length: recording.end }, (_, line) => sentence(recording.line(line)));
  }

  test.each<[string, object]>([
    ['links', { links: 3 }],
    ['links', { links: [null] }],
    ['links', { isOwn: true, links: null }],
    ['peers', { peers: [null] }],
    ['peers', { peers: 5 }],
    ['peers', { peers: [{ peer: 'b' }] }],
    ['timers', { timers: [null] }],
    ['drawn', { drawn: 3 }],
    ['charts', { charts: 3 }],
    ['selected', { selected: { taken: 3 } }],
    ['ports', { ports: 3 }],
    ['sent', { sent: [null] }],
    ['sent', { sent: [{ to: 3, message: { type: 'm' } }] }],
    ['emitted', { emitted: [null] }],
    ['roles', { roles: { r: { chart: 'c', value: { a: null }, context: {} } } }],
    ['roles', { roles: [1] }],
    ['event', { event: null }],
    ['from', { from: 3, message: { type: 'm' } }],
    ['message', { from: 'm', message: null }],
    ['at', { at: 'now' }],
    ['observation', { kind: 'peer', observation: { type: 'zz', peer: 'b' } }],
    ['observation', { kind: 'peer', observation: { type: 'lost', peer: 'b', number: 1 } }],
  ])('a report whose "%s" is wrong is refused: %j', async (part, extra) => {
    const [status, why] = await post(JSON.stringify({ program, reports: [report(extra)] }));
    expect([status, why]).toEqual([
      422,
      expect.stringContaining(`The field "${part}" of a step report is missing or has the wrong type.`),
    ]);
    expect(await shown()).toEqual(['last started']);
  });

  test('of a time that no clock shows', async () => {
    const body = JSON.stringify({ program, reports: [report({ at: 7 })] }).replace('"at":7', '"at":1e999');
    expect((await post(body))[0]).toBe(422);
  });

  test('a delivery of nothing', async () => {
    expect((await post(JSON.stringify({ program, reports: [report({ from: 'm' })] })))[0]).toBe(422);
  });

  test('a context that is nested too deep to be written again', async () => {
    const body = JSON.stringify({ program, reports: [report()] }).replace('"context":{}', `"context":${deep(20_000)}`);
    expect(await post(body)).toEqual([422, 'The request was rejected: it is nested more than 1000 levels deep\n']);
    expect(await shown()).toEqual(['last started']);
  });

  test('nor does one on the WebSocket', async () => {
    const client = new WebSocket(receiving.socket);
    client.on('open', () =>
      client.send(`{"type":"@xstate.snapshot","sessionId":"d","snapshot":{"value":"a","context":${deep(20_000)}}}`),
    );
    expect(await new Promise<number>((resolve) => client.on('close', resolve))).toBe(1007);
    expect(await shown()).toEqual(['last started']);
  });

  test('a snapshot whose value is not a state is shown by its status', async () => {
    const client = new WebSocket(receiving.socket);
    await new Promise((resolve) => client.on('open', resolve));
    const snapshot = { value: { a: null }, status: 'active', context: {} };
    client.send(JSON.stringify({ type: '@xstate.actor', sessionId: 'x:1', name: 'odd', snapshot }));
    client.send(JSON.stringify({ type: '@xstate.event', sessionId: 'x:1', event: { type: 'xstate.init' } }));
    client.close();
    await new Promise((resolve) => client.on('close', resolve));
    expect(await shown()).toEqual(['odd started', 'odd is gone: its program sends no more reports', 'last started']);
  });
});

test.each([
  { a: null },
  3,
  Object.assign(
    {},
    {
      get round() {
        return this;
      },
    },
  ),
])('the value of custom logic may have any type: %#', (value) => {
  const reports: StepReport[] = [];
  const stop = reportActors((one) => void reports.push(one));
  onTestFinished(stop);
  const snapshot = { status: 'active', value, output: undefined, error: undefined };
  const logic = { getInitialSnapshot: () => snapshot, transition: () => snapshot, getPersistedSnapshot: () => snapshot };
  createActor(logic as unknown as AnyActorLogic).start();
  expect(reports.map(({ roles }) => roles)).toEqual([{ actor: { chart: 'actor', value: 'active', context: {} } }]);
});

test('a bad report is left out with a warning, and later ones are taken', () => {
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
  onTestFinished(() => warn.mockRestore());
  const taken: string[] = [];
  const inbox = new Inbox({
    isReadyFor: () => true,
    take({ node }) {
      if (node.startsWith('bad')) throw new RangeError('Maximum call stack size exceeded');
      taken.push(node);
    },
    gone: () => {},
    lookAround: () => {},
  });
  for (const node of ['bad 1', 'good 1', 'bad 2', 'good 2']) inbox.put(report({}, node), program);
  inbox.close();
  expect(taken).toEqual(['good 1', 'good 2']);
  expect(warn.mock.calls.flat()).toEqual([
    'inspector: a step of "bad 1" cannot be shown: Maximum call stack size exceeded. This is the only warning of this kind.',
  ]);
});
