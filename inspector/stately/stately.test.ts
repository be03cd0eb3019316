import { createNames } from '../../adapters/names.js';
import { createQuota } from '../../adapters/quota.js';
import { createInspector, createWebSocketInspector, type StatelyInspectionEvent } from '@statelyai/inspect';
import { createActor, createMachine, sendTo, setup, type AnyActorRef } from 'xstate';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { WebSocket } from 'ws';
import { createBank } from '../../adapters/controller/bank.js';
import { createElection } from '../../adapters/election.js';
import { createLocks } from '../../adapters/locks/locks.js';
import { Neighborhood } from '../../adapters/neighborhood.js';
import { InProcessBus } from '../../adapters/transports/in-process.js';
import { nodeLogic } from '../../adapters/node/node-logic.js';
import { createNode } from '../../adapters/node/node.js';
import { directory } from '../../machines/directory/index.js';
import { exclusion } from '../../machines/exclusion/index.js';
import { protocols } from '../../machines/index.js';
import { Simulation, type SimulationOptions } from '../../network/simulation.js';
import { parseScenario } from '../../network/scenario/parse.js';
import type { StepLine } from '../../network/trace.js';
import { Moment } from '../model/moment.js';
import { ReadTrace } from '../model/recording.js';
import { sentence } from '../model/words.js';
import { receiveInspection } from './receive.js';

const page = new URL('../page/', import.meta.url);
const soon = (milliseconds = 50): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** The real inspector, with an adapter that keeps what would go to a viewer. */
function viewer() {
  const notified: StatelyInspectionEvent[] = [];
  const { inspect } = createInspector({ send: (event) => void notified.push(event) });
  const nameOf = (id: string | undefined) =>
    notified.flatMap((event) => (event.type === '@xstate.actor' && event.sessionId === id ? [event.name] : []))[0];
  const messages = () =>
    notified.flatMap((event) =>
      event.type === '@xstate.event' && event.event.type !== 'xstate.init'
        ? [`${nameOf(event.sourceId) ?? '-'} → ${nameOf(event.sessionId)}: ${event.event.type}`]
        : [],
    );
  const valueOf = (name: string) =>
    notified.flatMap((event) =>
      event.type === '@xstate.snapshot' && nameOf(event.sessionId) === name ? [(event.snapshot as any).value] : [],
    );
  return { inspect, notified, messages, valueOf };
}

function simulate(json: object, options: SimulationOptions): void {
  new Simulation(parseScenario(json, protocols), options).run();
}

const scenario = {
  protocol: 'directory',
  topology: { kind: 'path', n: 3 },
  events: [{ at: 0, node: 'n2', do: 'request' }],
};
const topology = { nodes: ['a', 'b'], links: [['a', 'b', 1]] as [string, string, number][] };

describe('viewers of @statelyai/inspect attach to our actors', () => {
  test('of everything that an application makes of a node', async () => {
    const { inspect, notified } = viewer();
    const base = () => ({ transport: new InProcessBus().transport('a'), peers: ['a'], inspect });
    const made = [
      () => createElection(base()),
      () => createLocks(base()),
      () => createQuota({ ...base(), budget: 1 }),
      () => createNames(base()),
      () => createBank(base()),
      () => new Neighborhood(base()),
    ];
    for (const make of made) {
      notified.length = 0;
      const one = make();
      await one.ready;
      await soon();
      expect(notified.some(({ type }) => type === '@xstate.actor')).toBe(true);
      await one[Symbol.asyncDispose]();
    }
  });

  test('of a simulation: every role by name, and every message from its sender', async () => {
    const { inspect, notified, messages, valueOf } = viewer();
    simulate(scenario, { inspect });
    await soon();
    expect(messages()).toEqual([
      '- → n2 directory: request',
      'n2 directory → n1 directory: find',
      'n1 directory → n0 directory: find',
      'n0 directory → n2 directory: token',
      '- → n2 directory: release',
    ]);
    expect(valueOf('n2 directory').at(-1)).toEqual({ holding: 'idle' });
    const actor = notified.find((event) => event.type === '@xstate.actor' && event.name === 'n0 directory');
    expect(JSON.parse((actor as { definition: string }).definition).states).toHaveProperty('waiting');
  });

  test('of anonymous nodes, by the names that the network knows', async () => {
    const { inspect, messages } = viewer();
    simulate(
      { protocol: 'exclusion', topology: { kind: 'path', n: 2 }, events: [{ at: 0, node: 'n0', do: 'lock' }] },
      { inspect },
    );
    await soon();
    expect(messages()).toContain('n0 exclusion → n1 exclusion: prepare');
    expect(exclusion.network.addressing).toBe('ports');
  });

  test('a node in an application: each remote peer appears as an actor', async () => {
    const { inspect, messages } = viewer();
    const bus = new InProcessBus();
    onTestFinished(() => bus.close());
    const options = { hold: null };
    createNode({ transport: bus.transport('a'), protocol: directory, topology, options });
    const b = createNode({ transport: bus.transport('b'), protocol: directory, topology, options, inspect });
    await b.ready;
    b.command('request');
    await vi.waitFor(() => expect(messages()).toEqual(['- → b directory: request', 'a → b directory: token']));
  });

  test("of a node that is an actor of the user's own: their `inspect` is enough", async () => {
    const { inspect, messages } = viewer();
    const bus = new InProcessBus();
    onTestFinished(() => bus.close());
    const [a, b] = ['a', 'b'].map((id) =>
      nodeLogic(() => createNode({ transport: bus.transport(id), protocol: directory, topology })),
    );
    const machine = setup({ actors: { a: a!, b: b! } }).createMachine({
      invoke: [
        { src: 'a', id: 'left', input: {} },
        { src: 'b', id: 'right', input: {} },
      ],
      on: { go: { actions: sendTo('right', { type: 'request' }) } },
    });
    const actor = createActor(machine, { inspect }).start();
    await soon();
    actor.send({ type: 'go' });
    await vi.waitFor(() => expect(messages()).toContain('a → b directory: token'));
    expect(messages()).toContain('b → a directory: find');
    actor.stop();
  });

  test('snapshots instead of actors are rejected', () => {
    expect(() => simulate(scenario, { host: 'snapshots', inspect: () => {} })).toThrow(
      'inspect watches live actors. Set host to "actors", or omit it.',
    );
  });
});

describe('the page receives the messages of @statelyai/inspect', () => {
  async function received(work: (socket: string) => Promise<void>): Promise<ReadTrace> {
    const receiving = await receiveInspection({ page });
    const answer = await fetch(`${receiving.url}trace`);
    await work(receiving.socket);
    await soon(100);
    await receiving.close();
    const recording = new ReadTrace();
    recording.push(await answer.text());
    recording.close();
    return recording;
  }
  const sentences = (recording: ReadTrace) => Array.from({ length: recording.end }, (_, line) => sentence(recording.line(line)));

  const child = createMachine({
    id: 'lamp',
    initial: 'off',
    states: { off: { on: { press: 'on' } }, on: { on: { press: 'off' } } },
  });
  const parent = setup({ actors: { child } }).createMachine({
    id: 'hall',
    invoke: { src: 'child', id: 'lamp' },
    on: { enter: { actions: sendTo('lamp', { type: 'press' }) } },
  });

  async function hall(socket: string): Promise<void> {
    const inspector = createWebSocketInspector({ url: socket });
    onTestFinished(() => inspector.stop());
    const actor: AnyActorRef = createActor(parent, { id: 'hall', inspect: inspector.inspect }).start();
    actor.send({ type: 'enter' });
    await soon(300);
    inspector.stop();
  }

  test('actors, their charts and states, and messages from one to the other', async () => {
    const recording = await received(hall);
    expect(recording.problem).toBeNull();
    expect(recording.header!.charts).toHaveProperty('lamp.states.off');
    expect(sentences(recording)).toEqual(
      expect.arrayContaining([
        'hall was asked to enter',
        'press hall → hall/lamp was sent',
        'hall/lamp received press from hall',
      ]),
    );
    const end = new Moment(recording, recording.end - 1);
    const lamp = recording.nodes.find('hall/lamp');
    expect(end.roles(lamp).map(({ view }) => view.value)).toEqual(['on']);
    expect(end.flights()).toEqual([]);
    expect(end.channelUp(recording.nodes.find('hall'), lamp)).toBe(true);
  });

  test('events sent before the start are reported once, with the resulting state', async () => {
    const recording = await received(async (socket) => {
      const inspector = createWebSocketInspector({ url: socket });
      const actor = createActor(child, { id: 'lamp', inspect: inspector.inspect });
      actor.send({ type: 'press' });
      actor.start();
      actor.send({ type: 'press' });
      await soon(300);
      inspector.stop();
    });
    const notified = Array.from({ length: recording.end }, (_, line) => recording.line(line) as StepLine);
    expect(notified.slice(1, 4).map((line) => [sentence(line), line.roles['lamp']?.value])).toEqual([
      ['lamp came to its first state', 'off'],
      ['lamp was asked to press', 'on'],
      ['lamp was asked to press', 'off'],
    ]);
  });

  test('two programs with the same actor names are two separate networks', async () => {
    const recording = await received(async (socket) => void (await Promise.all([hall(socket), hall(socket)])));
    expect(recording.problem).toBeNull();
    expect(recording.nodes.names.toSorted()).toEqual(['hall', 'hall (2)', 'hall (2)/lamp', 'hall/lamp']);
    const programOf = (name: string) => recording.programs[recording.nodes.find(name)];
    expect(['hall', 'hall (2)'].map(programOf).toSorted()).toEqual(['program', 'program (2)']);
    // A lamp is in the program of the hall that it is linked to.
    for (const [channel] of recording.channels) {
      const [from, to] = channel.split('>').map((number) => recording.programs[Number(number)]);
      expect(from).toBe(to);
    }
  });

  test('a program that has gone is gone, and its next run takes its place', async () => {
    const recording = await received(async (socket) => {
      await hall(socket);
      await soon(100);
      await hall(socket);
    });
    expect(recording.nodes.names).toEqual(['hall', 'hall/lamp']);
    expect(recording.programs).toEqual(['program', 'program']);
    const notified = sentences(recording);
    const afterOne = notified.findIndex((one) => one.startsWith('hall is gone'));
    expect(notified.slice(afterOne).filter((one) => one === 'hall started' || one === 'hall/lamp started')).toHaveLength(2);
    const lives = (line: number) => [0, 1].map((node) => new Moment(recording, line).life(node));
    expect(lives(afterOne - 1)).toEqual(['alive', 'alive']);
    expect(lives(notified.findLastIndex((one) => one === 'hall/lamp received press from hall'))).toEqual(['alive', 'alive']);
    expect(lives(recording.end - 1)).toEqual(['gone', 'gone']);
  });

  test('an invalid event ends its connection, and others continue', async () => {
    const codes: number[] = [];
    const recording = await received(async (socket) => {
      for (const text of ['nonsense', '[]', '{"type":"@xstate.actor"}']) {
        const client = new WebSocket(socket);
        client.on('open', () => client.send(text));
        codes.push(await new Promise<number>((resolve) => client.on('close', resolve)));
      }
      await hall(socket);
    });
    expect(codes).toEqual([1007, 1007, 1007]);
    expect(sentences(recording)).toContain('hall/lamp received press from hall');
  });

  test('any origin with the token connects; terminal and page show a refusal', async () => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
    onTestFinished(() => warn.mockRestore());
    const receiving = await receiveInspection({ page });
    const answer = await fetch(`${receiving.url}trace`);
    const refused = (url: string, origin?: string) =>
      new Promise<boolean>((resolve) => {
        const client = new WebSocket(url, origin === undefined ? {} : { origin });
        client.on('open', () => resolve(false));
        client.on('error', () => resolve(true));
      });
    for (const origin of [undefined, 'http://example.com', 'http://localhost:5173', 'null'])
      expect(await refused(receiving.socket, origin)).toBe(false);
    const guess = receiving.socket.replace(/\/[\w-]+\/inspect/, '/guess/inspect');
    // The second of a kind is not shown again.
    for (let time = 0; time < 2; time++) expect(await refused(guess, 'http://example.com')).toBe(true);
    expect(await refused(`${receiving.socket}or`, 'http://127.0.0.1:1')).toBe(true);
    // The trace is for the page of the inspector, token or not.
    expect((await fetch(`${receiving.url}trace`, { headers: { origin: 'http://example.com' } })).status).toBe(403);
    await receiving.close();
    const shown = [
      'A program of http://example.com used a wrong token and was refused. Give it the whole address that this inspector printed.',
      'A program of http://127.0.0.1:1 asked for the unknown path "/inspector" and was refused. Give it the whole address that this inspector printed.',
    ];
    expect(warn.mock.calls.flat()).toEqual(shown.map((one) => `quiver: ${one}`));
    const recording = new ReadTrace();
    recording.push(await answer.text());
    recording.close();
    expect([recording.refusals, sentences(recording)]).toEqual([shown, shown]);
  });
});
