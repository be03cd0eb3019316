import { setup } from 'xstate';
import { expect, onTestFinished, test, vi } from 'vitest';
import { directory } from '../../machines/directory/index.js';
import { arm, effects } from '../../machines/effects.js';
import type { Protocol } from '../../machines/protocol.js';
import { VirtualClock } from '../../network/clock.js';
import { InProcessBus } from '../transports/in-process.js';
import { MessagePortHub, messagePort } from '../transports/message-port.js';
import { Channels } from './channels.js';
import { Presence } from './presence.js';
import { createNode, type LiveNode } from './node.js';
import type { NodeOptions } from './node-options.js';
import type { Transport } from '../transports/transport.js';

const star = {
  nodes: ['a', 'b', 'c'],
  links: [
    ['a', 'b', 1],
    ['a', 'c', 1],
  ] as [string, string, number][],
};

function nodes(ids: readonly string[], options: Partial<NodeOptions> = {}): LiveNode[] {
  const bus = new InProcessBus();
  onTestFinished(() => bus.close());
  return ids.map((id) =>
    createNode({ transport: bus.transport(id), protocol: directory, topology: star, options: { hold: null }, ...options }),
  );
}

const next = (node: LiveNode, type: string): Promise<void> =>
  new Promise((resolve) => node.addEventListener(type, () => resolve(), { once: true }));

test('a request travels to the token and the token to the requester', async () => {
  const [a, , c] = nodes(['a', 'b', 'c']);
  const granted = next(c!, 'granted');
  c!.command('request');
  await granted;
  expect(c!.view()['directory']!.value).toEqual({ holding: { using: 'last' } });
  expect(a!.view()['directory']!.context).toMatchObject({ parent: 'c' });
});

test('a request that the chart cannot accept yet waits its turn', async () => {
  const [a, b] = nodes(['a', 'b', 'c']);
  const order: string[] = [];
  for (const node of [a!, b!]) node.addEventListener('granted', () => order.push(node.id));
  const released = next(b!, 'released');
  a!.command('request');
  a!.command('request');
  b!.command('request');
  a!.addEventListener('granted', () => a!.command('release'));
  b!.addEventListener('granted', () => b!.command('release'));
  await released;
  expect(order).toEqual(['a', 'a', 'b']);
});

test('ten thousand requests in turn, each released in its grant, need no deep stack', async () => {
  const [a] = nodes(['a']);
  let grants = 0;
  a!.addEventListener('granted', () => {
    grants++;
    a!.command('release');
  });
  await a!.ready;
  for (let i = 0; i < 10_000; i++) a!.command('request');
  expect(grants).toBe(10_000);
});

test('a command at the wrong time is refused and changes nothing', async () => {
  const [a] = nodes(['a']);
  await a!.ready;
  const before = a!.view();
  expect(() => a!.command('release')).toThrow(/node "a".*cannot accept the command "release"/);
  expect(() => a!.command('pray')).toThrow(/Use one of: request, release/);
  expect(a!.view()).toEqual(before);
});

test('strangers, unknown types and malformed messages are dropped, and reported once', async () => {
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
  const bus = new InProcessBus();
  onTestFinished(() => bus.close());
  onTestFinished(() => warn.mockRestore());
  const a = createNode({ transport: bus.transport('a'), protocol: directory, topology: star, options: { hold: null } });
  const [b, stranger] = ['b', 'x'].map((id) => bus.transport(id)) as [Transport, Transport];
  await Promise.all([a.ready, b.connect(), stranger.connect()]);
  const before = a.view();
  const find = { type: 'find', producer: 'b', visited: ['b'], edge: 'tree' };
  const envelope = (message: object) => ({ v: 1, name: 'directory', message }) as never;
  stranger.send('a', envelope(find));
  b.send('a', envelope({ ...find, visited: 'b' }));
  b.send('a', envelope({ type: 'release' }));
  b.send('a', envelope({ ...find, producer: 'x' }));
  const stepped = new Promise<void>((resolve) => a.steps$.subscribe(() => resolve()));
  expect(a.view()).toEqual(before);
  b.send('a', envelope(find));
  await stepped;
  expect(a.drops.count).toBe(4);
  expect(warn).toHaveBeenCalledTimes(1);
  expect(warn.mock.calls[0]![0]).toContain('"x", which is not in the topology. If it should participate, add it: linked(');
});

test.each([
  ['another version', { v: 2, name: 'directory', message: { type: 'find' } }, /uses version 2/],
  ['an unknown conversation', { v: 1, name: 'chess', message: { type: 'move' } }, /"chess"/],
  ['an envelope with another field', { v: 1, name: 'directory', message: { type: 'find' }, extra: 1 }, /not part of an envelope/],
])('%s is dropped with a warning that names it', async (_, value, warning) => {
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
  onTestFinished(() => warn.mockRestore());
  const bus = new InProcessBus();
  onTestFinished(() => bus.close());
  const transport = bus.transport('a');
  const a = createNode({ transport, protocol: directory, topology: star });
  const b = bus.transport('b');
  await Promise.all([a.ready, b.connect()]);
  const arrived = new Promise((resolve) => transport.events.subscribe(resolve));
  b.send('a', value);
  await arrived;
  expect(warn.mock.calls.map(([text]) => text).join()).toMatch(warning);
});

test.each([['hello'], [7], [['a', 'list']], [{ type: 'chat', text: 'hello' }]])(
  'nodes ignore a message of the application: %j',
  async (message) => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
    onTestFinished(() => warn.mockRestore());
    const bus = new InProcessBus();
    onTestFinished(() => bus.close());
    const [transport, b] = [bus.transport('a'), bus.transport('b')];
    const a = createNode({ transport, protocol: directory, topology: star });
    await Promise.all([a.ready, b.connect()]);
    const arrived = new Promise((resolve) =>
      transport.events.subscribe((event) => event.type === 'message' && resolve(event.message)),
    );
    b.send('a', message);
    expect(await arrived).toEqual(message);
    expect([warn.mock.calls, a.drops.count, Channels.of(transport).drops.count]).toEqual([[], 0, 0]);
  },
);

test('a node continues from the state of an earlier one', async () => {
  const [a, b] = nodes(['a', 'b', 'c']);
  const granted = next(b!, 'granted');
  b!.command('request');
  await granted;
  const resume = JSON.parse(JSON.stringify(b!.view()));
  const [again] = nodes(['b'], { resume });
  await again!.ready;
  again!.command('release');
  expect(again!.view()['directory']!.value).toEqual({ holding: 'idle' });
  expect(a!.view()['directory']!.value).toBe('idle');
});

/** Ticks `times` times, one tick apart. */
const ticker: Protocol = {
  ...directory,
  name: 'ticker',
  charts: {
    ticker: setup({ actions: effects() }).createMachine({
      entry: arm(() => ({ timer: 'tick', delay: 5 })),
      initial: 'armed',
      states: { armed: { on: { timer: 'fired' } }, fired: {} },
    }),
  },
  roles: () => [{ role: 'ticker', chart: 'ticker', input: {} }],
  route: () => 'ticker',
};

test('timers run on the given clock, and not after close', async () => {
  const clock = new VirtualClock();
  const [node, closed] = [
    nodes(['a'], { protocol: ticker, options: {}, clock })[0]!,
    nodes(['b'], { protocol: ticker, options: {}, clock })[0]!,
  ];
  await Promise.all([node.ready, closed.ready]);
  await closed.close();
  clock.runUntil(4);
  expect(node.view()['ticker']!.value).toBe('armed');
  clock.runUntil(5);
  expect(node.view()['ticker']!.value).toBe('fired');
  expect(clock.isIdle).toBe(true);
});

test('closing ends waiting commands and frees the name; the transport stays open', async () => {
  const bus = new InProcessBus();
  onTestFinished(() => bus.close());
  const transport = bus.transport('b');
  const options = { transport, protocol: directory, topology: star, options: { hold: null } };
  const first = createNode(options);
  expect(() => createNode(options)).toThrow(/"directory" is already open/);
  first.command('request');
  await first.close();
  expect(await first.closed).toBeNull();
  expect(() => first.command('request')).toThrow(/closed/);
  expect(transport.isClosed).toBe(false);
  await using second = createNode(options);
  await second.ready;
});

test('a node whose transport breaks closes with a named error', async () => {
  const hub = new MessagePortHub();
  const { port1, port2 } = new MessageChannel();
  hub.attach(port1);
  const node = createNode({ transport: messagePort(port2, { id: 'a' }), protocol: directory, topology: star });
  await node.ready;
  hub.close();
  expect(await node.closed).toMatchObject({ name: 'ConnectionError' });
});

test('a protocol is refused on a transport with too few guarantees', () => {
  const bus = new InProcessBus();
  const transport = bus.transport('a');
  const lossy = { ...transport, id: 'a', guarantees: { ...transport.guarantees, loss: 'possible' } } as const;
  // @ts-expect-error the compiler refuses it as well
  const make = () => createNode({ transport: lossy, protocol: directory, topology: star });
  expect(make).toThrow(/directory is not safe on a transport that may lose messages/);
  expect(() => createNode({ transport, protocol: directory, topology: { nodes: ['x'], links: [] } })).toThrow(
    /node "a" is not in the topology/,
  );
});

test('unanswered greeted peers also receive the goodbye, departed ones do not', () => {
  const reported: string[] = [];
  const presence = new Presence(
    (to, { type }) => reported.push(`${to} ${type}`),
    () => {},
  );
  for (const peer of ['b', 'c']) presence.greet(peer);
  presence.part('c');
  presence.leave();
  presence.leave();
  expect(reported).toEqual(['b node.hello', 'c node.hello', 'b node.bye']);
});
