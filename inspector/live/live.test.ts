import { expect, onTestFinished, test, describe } from 'vitest';
import { createNode, type LiveNode } from '../../adapters/node/node.js';
import { InProcessBus } from '../../adapters/transports/in-process.js';
import { directory } from '../../machines/directory/index.js';
import { exclusion } from '../../machines/exclusion/index.js';
import type { Protocol } from '../../machines/protocol.js';
import { isStep } from '../../network/trace.js';
import { ReadTrace } from '../model/recording.js';
import { Moment } from '../model/moment.js';
import { sentence } from '../model/words.js';
import { LiveTrace } from './live-trace.js';
import { inspect } from './inspect.js';
import { Outbox } from './outbox.js';
import { reportNode } from './report.js';

const page = new URL('../page/', import.meta.url);
const topology = {
  nodes: ['a', 'b', 'c'],
  links: [
    ['a', 'b', 1],
    ['b', 'c', 1],
  ] as [string, string, number][],
};

function nodes(protocol: Protocol, ids: readonly string[], options: Record<string, unknown> = {}): LiveNode[] {
  const bus = new InProcessBus();
  onTestFinished(() => bus.close());
  return ids.map((id) => createNode({ transport: bus.transport(id), protocol, topology, options }));
}

const next = (node: LiveNode, type: string): Promise<void> =>
  new Promise((resolve) => node.addEventListener(type, () => resolve(), { once: true }));

/** Reads the trace as a page does: line by line, as lines arrive. */
class Reader {
  readonly recording = new ReadTrace();
  private readonly ended: Promise<void>;
  private look = (): void => {};

  static async open(url: string): Promise<Reader> {
    return new Reader(await fetch(`${url}trace`));
  }

  private constructor(response: Response) {
    this.ended = this.readAll(response);
  }

  /** Resolves when the recording is as wanted. */
  until(isWanted: (recording: ReadTrace) => boolean): Promise<void> {
    return new Promise((resolve) => {
      this.look = () => {
        if (isWanted(this.recording)) resolve();
      };
      this.look();
    });
  }

  /** The recording up to the end of the trace. */
  async end(): Promise<ReadTrace> {
    await this.ended;
    return this.recording;
  }

  private async readAll(response: Response): Promise<void> {
    const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
    for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
      this.recording.push(piece.value as string);
      this.look();
    }
    this.recording.close();
    this.look();
  }
}

const sentences = (recording: ReadTrace): string[] =>
  Array.from({ length: recording.end - recording.first }, (_, i) => sentence(recording.line(recording.first + i)));

const releases = (recording: ReadTrace, node: string): number =>
  sentences(recording).filter((text) => text.startsWith(`${node} was asked to release`)).length;

describe('live nodes are watched in one line', () => {
  test('states, messages and causes, as in a simulated run', async () => {
    const [a, b, c] = nodes(directory, ['a', 'b', 'c'], { hold: null });
    const watched = await inspect([a!, b!, c!], { page });
    const reader = await Reader.open(watched.url);
    const granted = next(c!, 'granted');
    c!.command('request');
    await granted;
    c!.command('release');
    await watched.close();
    const recording = await reader.end();
    expect(sentences(recording)).toEqual([
      'a was already running',
      'b was already running',
      'c was already running',
      'c was asked to request; sent find to b',
      'b received find from c; sent find to a',
      'a received find from b; sent token to c',
      'c received token from a; announced granted',
      'c was asked to release; announced released',
    ]);
    const end = new Moment(recording, recording.end - 1);
    expect(end.flights()).toEqual([]);
    expect(end.roles(2)[0]!.view.value).toEqual({ holding: 'idle' });
    expect(end.overlay(2)).toMatchObject({ badge: '●', tone: 'active' });
    expect(recording.line(recording.end - 1).clock).toEqual({ a: 2, b: 2, c: 4 });
  });

  test('anonymous nodes by their names, since the inspector is not one of them', async () => {
    const [a, b] = nodes(exclusion, ['a', 'b']);
    const watched = await inspect([a!, b!], { page });
    const reader = await Reader.open(watched.url);
    const locked = next(a!, 'locked');
    a!.command('lock');
    await locked;
    await watched.close();
    expect(sentences(await reader.end())).toContainEqual(expect.stringMatching(/^b received prepare from a; sent ready to a/));
  });

  test('a late reader gets the past', async () => {
    const [a] = nodes(directory, ['a'], { hold: null });
    const watched = await inspect(a!, { page });
    const first = await Reader.open(watched.url);
    a!.command('request');
    a!.command('release');
    await first.until((recording) => sentences(recording).length === 4);
    const reader = await Reader.open(watched.url);
    await watched.close();
    expect(sentences(await reader.end())).toEqual([
      'channel a → b went down: a receives nothing from b',
      'a was already running',
      'a was asked to request; announced granted',
      'a was asked to release; announced released',
    ]);
  });
});

describe('nodes of several processes on one page', () => {
  test('reports come in order, and a delivery finds its sending', async () => {
    const [a, b, c] = nodes(directory, ['a', 'b', 'c'], { hold: null });
    const watched = await inspect(a!, { page });
    const others = await Promise.all([inspect(c!, { report: watched.url }), inspect(b!, { report: watched.url })]);
    const reader = await Reader.open(watched.url);
    const granted = next(c!, 'granted');
    c!.command('request');
    await granted;
    for (const other of others) await other.close();
    await watched.close();
    const recording = await reader.end();
    expect(sentences(recording).slice(3)).toEqual([
      'c was asked to request; sent find to b',
      'b received find from c; sent find to a',
      'a received find from b; sent token to c',
      'c received token from a; announced granted',
    ]);
    expect(new Moment(recording, recording.end - 1).flights()).toEqual([]);
  });

  /** Sends the token around several times. Every find and every token is equal to the previous one. */
  async function goRound(nodes: readonly LiveNode[], times: number): Promise<void> {
    for (let round = 0; round < times; round++)
      for (const node of nodes) {
        const granted = next(node, 'granted');
        node.command('request');
        await granted;
        node.command('release');
      }
  }

  test('observed one after the other: finally no message is in flight or confused', async () => {
    const all = nodes(directory, ['a', 'b', 'c'], { hold: null });
    const [a, b, c] = all;
    await Promise.all(all.map(({ ready }) => ready));
    await goRound(all, 2);
    const watched = await inspect(a!, { page });
    const reader = await Reader.open(watched.url);
    const acting = goRound(all, 30);
    const others = [await inspect(c!, { report: watched.url })];
    await goRound([], 1);
    others.push(await inspect(b!, { report: watched.url }));
    await acting;
    await goRound(all, 2);
    for (const other of others) await other.close();
    // All 32 rounds that were watched at "a" are read, and what was sent before its receiver was watched is given up.
    await reader.until((seen) => releases(seen, 'a') === 32 && new Moment(seen, seen.end - 1).flights().length === 0);
    await watched.close();
    const recording = await reader.end();
    expect(new Moment(recording, recording.end - 1).flights()).toEqual([]);
    // The last rounds were seen whole: what a node received follows on what its sender did.
    const lines = Array.from({ length: recording.end }, (_, i) => recording.line(i));
    const steps = new Map<string, number>();
    const sentIn = new Map<number, readonly [node: string, count: number]>();
    let checked = 0;
    for (const line of lines) {
      if (!isStep(line)) continue;
      const count = line.clock[line.node]!;
      expect(count).toBe((steps.get(line.node) ?? 0) + 1);
      steps.set(line.node, count);
      for (const { id } of line.sent) sentIn.set(id, [line.node, count]);
      const sender = sentIn.get(line.message ?? -1);
      if (!sender) continue;
      checked++;
      expect(sender[0]).toBe(line.event['from']);
      expect(line.clock[sender[0]]).toBeGreaterThanOrEqual(sender[1]);
    }
    expect(checked).toBeGreaterThan(10);
    expect(lines.slice(-12).some((line) => !isStep(line))).toBe(false);
  });

  test('a killed program is gone, its peers suspect it, and its next run replaces it', async () => {
    const bus = new InProcessBus();
    onTestFinished(() => bus.close());
    const of = (id: string) =>
      createNode({ transport: bus.transport(id), protocol: directory, topology, options: { hold: null } });
    const [a, b] = [of('a'), of('b')];
    const watched = await inspect(a, { page, program: 'one' });
    const reader = await Reader.open(watched.url);
    const outbox = new Outbox(watched.url, { name: 'two', run: '1' });
    await b.ready;
    const stop = reportNode(b, (report) => outbox.put(report));
    const granted = next(b, 'granted');
    b.command('request');
    await granted;
    await outbox.flush();
    // Killed: no last word, and no heartbeat.
    stop();
    outbox.kill();
    await reader.until((seen) => sentences(seen).includes('b is gone: its program sends no more reports'));
    await b.close();
    const again = of('c');
    const second = await inspect(again, { report: watched.url, program: 'two' });
    await reader.until(({ programs }) => programs.length === 3);
    await second.close();
    await watched.close();
    const recording = await reader.end();
    expect(sentences(recording)).toContain('b is gone: its program sends no more reports');
    const end = new Moment(recording, recording.end - 1);
    expect(recording.nodes.names.map((_, node) => end.life(node))).toEqual(['alive', 'gone', 'alive']);
    expect(recording.programs).toEqual(['one', 'two', 'two']);
    expect(end.flights()).toEqual([]);
  });

  test('an invalid report is rejected, and the page continues', async () => {
    const [a] = nodes(directory, ['a'], { hold: null });
    const watched = await inspect(a!, { page });
    const post = (body: string) => fetch(`${watched.url}report`, { method: 'POST', body }).then(({ status }) => status);
    expect(await post('[{"node":7}]')).toBe(422);
    expect(await post('nonsense')).toBe(422);
    await watched.close();
  });

  test('an invalid address, and one without a server', async () => {
    const [a] = nodes(directory, ['a'], { hold: null });
    await expect(inspect(a!, { report: 'here' })).rejects.toThrow('"here" is not the address of an inspector');
    await expect(inspect(a!, { report: 'http://127.0.0.1:9/x/' })).rejects.toThrow();
    await expect(inspect([], { page })).rejects.toThrow('nodes is empty. Name at least one node.');
  });
});

describe('a live trace', () => {
  const line = (index: number) => ({
    index,
    at: index,
    kind: 'command' as const,
    node: `n${index % 3}`,
    event: { type: 'go' },
    sent: [],
    emitted: [],
    roles: { r: { chart: 'c', value: `s${index}`, context: {} } },
    clock: {},
  });
  const header = {
    quiver: 1 as const,
    protocol: 'p',
    scenario: null,
    seed: 0,
    nodes: ['n0', 'n1', 'n2'],
    links: [],
    charts: {},
    properties: [],
  };

  async function readAsText(trace: LiveTrace): Promise<ReadTrace> {
    const recording = new ReadTrace();
    for await (const piece of trace.text()) recording.push(piece);
    recording.close();
    expect(recording.problem).toBeNull();
    return recording;
  }
  /** Each node as the last line of it left it. */
  const standing = (last: number) =>
    [0, 1, 2].flatMap((back) => (last < back ? [] : [{ ...line(last - back), kind: 'start' as const, index: -1, at: last }]));
  const CHARACTERS = 10_000;

  test('keeps a limited part, and the state of every node before it', async () => {
    let last = -1;
    const trace = new LiveTrace(header, () => standing(last), CHARACTERS);
    for (last = 0; last < 1000; last++) trace.add(line(last));
    trace.end();
    const recording = await readAsText(trace);
    expect(recording.text().length).toBeLessThan(2 * CHARACTERS);
    // A page compares both numbers to know how far it is behind.
    expect([trace.written, recording.next]).toEqual([1000, 1000]);
    const oldest = recording.line(3).index;
    expect(oldest).toBeGreaterThan(900);
    const early = new Moment(recording, 2);
    const stand = (node: number) => Number(String(early.roles(node)[0]!.view.value).slice(1));
    expect([0, 1, 2].map(stand).sort((a, b) => a - b)).toEqual([oldest - 3, oldest - 2, oldest - 1]);
    const late = new Moment(recording, recording.end - 1);
    expect(late.roles(0)[0]!.view.value).toBe('s999');
  });

  test('notifies a slow reader of the lines that it missed', async () => {
    let last = -1;
    const trace = new LiveTrace(header, () => standing(last), CHARACTERS);
    const pieces = trace.text();
    const recording = new ReadTrace();
    recording.push((await pieces.next()).value as string);
    for (last = 0; last < 1000; last++) trace.add(line(last));
    trace.end();
    for await (const piece of pieces) recording.push(piece);
    recording.close();
    expect(sentence(recording.line(0))).toBe('left out: this page was too slow for it');
    expect(recording.gaps).toEqual([0]);
    expect(new Moment(recording, recording.end - 1).roles(0)[0]!.view.value).toBe('s999');
  });
});
