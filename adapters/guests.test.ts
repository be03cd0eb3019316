/** Links on demand, in virtual time: with peers in no list, and with peers of the list that no object here needs. */
import { expect, onTestFinished, test } from 'vitest';
import { linked, type LinkedOptions } from './linked.js';
import { beats, clock, receivedBy, warnings, wireOf } from './linked.fixture.js';
import { limitsHere } from './limits.js';
import { LiveNode } from './node/node.js';
import { watchers } from './node/watchers.js';
import { needLinks } from './transports/linked-peers.js';

/** A voter `a`, which is given its options, and guests that list it. */
function network(options: Partial<LinkedOptions>) {
  const time = clock();
  const net = wireOf({ loss: 'possible' });
  const nodes: LiveNode[] = [];
  const watch = (node: object) => void nodes.push(node as LiveNode);
  watchers().add(watch);
  const made: ReturnType<typeof linked>[] = [];
  const start = async (id: string, own: LinkedOptions, needed?: readonly string[]) => {
    const transport = linked(net.transport(id), { clock: time, patience: 10, ...own });
    if (needed) needLinks(transport, needed);
    made.push(transport);
    const received = receivedBy(transport);
    await transport.connect();
    return { transport, received };
  };
  onTestFinished(async () => {
    watchers().delete(watch);
    for (const transport of made) void transport.close();
    await beats(time, 40);
  });
  const guest = (id: string, own: Partial<LinkedOptions> = {}) => start(id, { peers: ['a'], ...own });
  /** The links that are open at a peer. */
  const linksOf = (id: string) => Object.keys(nodes.findLast((node) => node.id === id)!.view());
  /** The frames between two peers during some beats. */
  const framesIn = async (count: number, from: string, to: string) => {
    net.sent.splice(0);
    await beats(time, count);
    return net.sent.filter(([by, of]) => by === from && of === to).length;
  };
  return { ...net, time, start, guest, linksOf, framesIn, a: () => start('a', { peers: [], ...options }) };
}

test('a peer in no list is linked by its first frame, and forgotten when it leaves', async () => {
  const { a: startA, guest, linksOf, framesIn, time } = network({ accept: true });
  const a = await startA();
  const x = await guest('x');
  await beats(time, 3);
  expect([a.received, x.received, linksOf('a')]).toEqual([['x up'], ['a up'], ['link x']]);
  x.transport.send('a', 'to a');
  a.transport.send('x', 'to x');
  await beats(time, 2);
  expect([a.received, x.received]).toEqual([
    ['x up', 'x: "to a"'],
    ['a up', 'a: "to x"'],
  ]);
  void x.transport.close();
  await beats(time, 3);
  expect([a.received.at(-1), linksOf('a')]).toEqual(['x down', []]);
  expect(await framesIn(10, 'a', 'x')).toBe(0);
});

test('a silent one is forgotten after the patience, and linked again when it returns', async () => {
  const { a: startA, guest, linksOf, wire, time } = network({ accept: true });
  const a = await startA();
  const x = await guest('x', { patience: 30 });
  await beats(time, 3);
  wire.isCut = () => true;
  await beats(time, 12);
  expect([a.received, x.received, linksOf('a')]).toEqual([['x up', 'x down'], ['a up'], []]);
  a.transport.send('x', 'lost');
  // The guest has not noticed: for it, this peer has restarted.
  wire.isCut = () => false;
  await beats(time, 6);
  expect([a.received, x.received]).toEqual([
    ['x up', 'x down', 'x up'],
    ['a up', 'a down', 'a up'],
  ]);
  for (const i of [1, 2, 3]) {
    x.transport.send('a', i);
    a.transport.send('x', i);
  }
  await beats(time, 3);
  expect([a.received.slice(3), x.received.slice(3)]).toEqual([
    ['x: 1', 'x: 2', 'x: 3'],
    ['a: 1', 'a: 2', 'a: 3'],
  ]);
});

test('one that comes back at once, with the same id, is another run', async () => {
  const { a: startA, guest, sent, time } = network({ accept: true });
  const a = await startA();
  for (let i = 0; i < 5; i++) {
    const x = await guest('x');
    await beats(time, 3);
    x.transport.send('a', i);
    await beats(time, 1);
    expect(a.received.slice(-2)).toEqual(['x up', `x: ${i}`]);
    void x.transport.close();
    await beats(time, 1);
  }
  const frames = sent.flatMap(([from, , { message }]) => (from === 'a' && message.type === 'frame' ? [message] : []));
  expect([new Set(frames.map(({ nonce }) => nonce)).size, new Set(frames.map(({ session }) => session)).size]).toEqual([5, 5]);
});

test('one that never answers is forgotten after the patience', async () => {
  const { a: startA, ends, linksOf, framesIn, time } = network({ accept: true });
  const a = await startA();
  const frame = { session: time.now() * 1_000, to: null, nonce: 1, echo: null, ack: 0, checksum: 0, seq: 0 };
  const message = { type: 'frame', ...frame, rejects: false, hears: true, bodies: [] };
  ends.get('a')!.up('ghost');
  ends.get('a')!.received('ghost', { v: 1, name: 'link/1', message });
  expect(linksOf('a')).toEqual(['link ghost']);
  expect(await framesIn(9, 'a', 'ghost')).toBeGreaterThan(0);
  await beats(time, 2);
  expect([linksOf('a'), a.received]).toEqual([[], []]);
  expect(await framesIn(10, 'a', 'ghost')).toBe(0);
});

test.each<[string, Partial<LinkedOptions>]>([
  ['the default', {}],
  ['false', { accept: false }],
  ['a rule that is not true for it', { accept: (id) => id.startsWith('pod-') }],
  ['a rule that returns no boolean', { accept: (() => 'yes') as never }],
])('%s refuses a peer in no list, with a warning', async (_, options) => {
  const said = warnings();
  const { a: startA, guest, linksOf, time } = network(options);
  const a = await startA();
  const x = await guest('x');
  await beats(time, 12);
  expect([a.received, x.received, linksOf('a')]).toEqual([[], [], []]);
  expect(said()[0]).toContain('A message is from "x", which is not in the topology');
  expect(said()[0]).toContain('linked(transport, { peers, accept: true })');
});

test('a rule accepts some ids', async () => {
  warnings();
  const { a: startA, guest, time } = network({ accept: (id) => id.startsWith('pod-') });
  const a = await startA();
  await Promise.all(['pod-1', 'tab-1', 'pod-2'].map((id) => guest(id)));
  await beats(time, 3);
  expect(a.received).toEqual(['pod-1 up', 'pod-2 up']);
});

test('other frames than the first one of a link open none', async () => {
  warnings();
  const { a: startA, ends, linksOf } = network({ accept: true });
  await startA();
  for (const message of [{ type: 'bye', session: 1, echo: null }, { type: 'relayed', origin: 'y', message: {} }])
    ends.get('a')!.received('x', { v: 1, name: 'link/1', message } as never);
  for (const other of ['hello', { v: 1, name: 'other', message: { type: 'frame' } }]) ends.get('a')!.received('x', other);
  expect(linksOf('a')).toEqual([]);
});

test('the number of guests is bounded, and a place is free again when one leaves', async () => {
  const said = warnings();
  const place = Symbol.for('xstate-quiver.limits');
  (globalThis as Record<symbol, unknown>)[place] = 'small';
  onTestFinished(() => void delete (globalThis as Record<symbol, unknown>)[place]);
  const max = limitsHere().guests;
  const { a: startA, guest, linksOf, time } = network({ accept: true });
  await startA();
  const guests = [];
  for (let i = 0; i <= max; i++) guests.push(await guest(`x${i}`));
  await beats(time, 3);
  expect(linksOf('a')).toHaveLength(max);
  expect(said()[0]).toContain(`"x${max}" is refused: ${max} peers outside the list are linked, the maximum`);
  void guests[0]!.transport.close();
  await beats(time, 3);
  expect(linksOf('a')).toContain(`link x${max}`);
});

test('listed peers that no object needs exchange no frames until one sends', async () => {
  const { start, linksOf, framesIn, time } = network({});
  const peers = ['v', 'x', 'y'];
  const v = await start('v', { peers });
  const [x, y] = await Promise.all(['x', 'y'].map((id) => start(id, { peers }, ['v'])));
  await beats(time, 5);
  expect(['v', 'x', 'y'].map(linksOf)).toEqual([['link x', 'link y'], ['link v'], ['link v']]);
  expect(await framesIn(10, 'x', 'y')).toBe(0);
  x!.transport.send('y', 'hello');
  await beats(time, 3);
  expect([v.received, x!.received, y!.received]).toEqual([['x up', 'y up'], ['v up', 'y up'], ['v up', 'x up', 'x: "hello"']]);
  void x!.transport.close();
  await beats(time, 3);
  expect(linksOf('y')).toEqual(['link v']);
});

test('an object that needs the whole list links with all of it, also later', async () => {
  const { start, linksOf, time } = network({});
  const peers = ['v', 'x', 'y'];
  await start('v', { peers });
  const [x] = await Promise.all(['x', 'y'].map((id) => start(id, { peers }, ['v'])));
  await beats(time, 3);
  expect(linksOf('x')).toEqual(['link v']);
  needLinks(x!.transport, undefined);
  await beats(time, 3);
  expect(['x', 'y'].map(linksOf)).toEqual([
    ['link v', 'link y'],
    ['link v', 'link x'],
  ]);
});
