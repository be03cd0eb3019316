/** The link layer and its medium: frames that fit, oversized messages, and frames that no peer of Quiver sent. */
import { connect } from '@nats-io/transport-node';
import { WebSocket } from 'ws';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { CHECKSUM_BASIS, type Frame } from '../machines/link/frames.js';
import { linked, LINKED_MESSAGE_BYTES_MAX } from './linked.js';
import { Channels } from './node/channels.js';
import { createTransport } from './transports/driver.js';
import { InProcessBus } from './transports/in-process.js';
import { nats } from './transports/nats.js';
import { bytesOf } from './transports/reading.js';
import { sealed } from './transports/sealed.js';
import { hasCommand } from '../testing/servers.js';
import { natsServer } from './transports/servers.fixture.js';
import type { Json, Linked, Transport } from './transports/transport.js';
import { webSocketHub } from './transports/web-socket-hub.js';
import { webSocket } from './transports/web-socket.js';
import { inProcessGuarantees } from './transports/guarantees.js';

const peers = ['a', 'b'];
const fast = { beatMs: 20, patience: 200 };

const receivedBy = (transport: Transport): Json[] => {
  const arrived: Json[] = [];
  transport.events.subscribe((event) => event.type === 'message' && arrived.push(event.message));
  return arrived;
};

const closing = (...transports: readonly Transport[]) =>
  onTestFinished(() => Promise.all(transports.map((transport) => transport.close())).then(() => {}));

type Medium = readonly [string, () => Promise<(id: string) => Transport>];
const media: Medium[] = [
  [
    'a WebSocket hub',
    async () => {
      const hub = await webSocketHub({ port: 0 });
      onTestFinished(() => hub.close());
      return (id) => webSocket({ id, url: `ws://127.0.0.1:${hub.port}`, WebSocket });
    },
  ],
];
if (hasCommand('nats-server')) {
  media.push([
    'NATS',
    async () => {
      const server = await natsServer();
      onTestFinished(() => server.kill());
      return (id) => nats({ id, connection: () => connect({ servers: `127.0.0.1:${server.port}` }) });
    },
  ]);
}

describe.each(media)('over %s', (_, open) => {
  test('300 messages of 6 kB for a peer that is on its way arrive', async () => {
    const create = await open();
    const [a, b] = [linked(create('a'), { peers, ...fast }), linked(create('b'), { peers, ...fast })];
    closing(a, b);
    const arrived = receivedBy(b);
    await a.connect();
    for (let i = 0; i < 300; i++) a.send('b', { i, text: 'x'.repeat(6_000) });
    await b.connect();
    await expect.poll(() => arrived.length, { timeout: 20_000 }).toBe(300);
    expect(arrived.map((message) => (message as { i: number }).i)).toEqual(Array.from({ length: 300 }, (__, i) => i));
    expect([a.isClosed, b.isClosed]).toEqual([false, false]);
  });

  test('a message of 5 MB arrives between two small ones; send rejects one of 9 MB', async () => {
    const create = await open();
    const [a, b] = [linked(create('a'), { peers, ...fast }), linked(create('b'), { peers, ...fast })];
    closing(a, b);
    const arrived = receivedBy(b);
    await Promise.all([a.connect(), b.connect()]);
    const large = '"\\€😀'.repeat(500_000);
    expect(() => a.send('b', 'x'.repeat(9_000_000))).toThrow(
      'transport "a" cannot carry this message: it has 9000002 bytes as JSON; the limit is 8388608. Split it. Nothing was sent',
    );
    for (const message of ['before', large, 'after']) a.send('b', message);
    await expect.poll(() => arrived.length, { timeout: 20_000 }).toBe(3);
    expect([arrived[0], arrived[1] === large, arrived[2]]).toEqual(['before', true, 'after']);
  });
});

/** A bus with frames of at most 32 kB, and the size of the largest one. */
function narrow(bus: InProcessBus, id: string, largest: { bytes: number }): Transport {
  const inner = bus.transport(id);
  return createTransport(id, { ...inProcessGuarantees, messageBytesMax: 32_768 }, async (medium) => {
    inner.events.subscribe((event) => {
      if (event.type === 'message') medium.received(event.from, event.message);
      else if (event.type !== 'closed') medium[event.type](event.peer);
    });
    await inner.connect();
    medium.opened({
      send: (to, message, text) => {
        largest.bytes = Math.max(largest.bytes, bytesOf(text));
        inner.send(to, message);
      },
      close: () => inner.close(),
    });
  });
}

const key = 'sixteen bytes and more';
test('losing the first of two hubs loses no message and reports no peer as down', async () => {
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
  onTestFinished(() => warn.mockRestore());
  const [first, second] = [await webSocketHub({ port: 0 }), await webSocketHub({ port: 0 })];
  onTestFinished(() => second.close());
  const url = [first, second].map(({ port }) => `ws://127.0.0.1:${port}`);
  const [a, b] = peers.map((id) => linked(webSocket({ id, url, WebSocket }), { peers, ...fast }));
  closing(a!, b!);
  const arrived = receivedBy(b!);
  const notified: string[] = [];
  a!.events.subscribe(({ type }) => notified.push(type));
  await Promise.all([a!.connect(), b!.connect()]);
  await expect.poll(() => notified).toEqual(['up']);
  for (let i = 0; i < 100; i++) {
    a!.send('b', i);
    if (i === 50) await first.close();
    if (i % 10 === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  }
  await expect.poll(() => arrived.length).toBe(100);
  expect(arrived).toEqual(Array.from({ length: 100 }, (_, i) => i));
  expect(notified).toEqual(['up']);
});

test.each([
  ['quotes', '"'],
  ['backslashes', '\\'],
  ['three bytes each', '€'],
  ['four bytes each', '😀'],
  ['control characters', '\u0001'],
  ['halves of characters', '\uD800'],
])('frames fit their medium, sealed or not, for any content: %s', async (_, character) => {
  for (const isSealed of [false, true]) {
    const bus = new InProcessBus();
    const largest = { bytes: 0 };
    const wire = (id: string) => {
      const transport = narrow(bus, id, largest);
      return isSealed ? sealed(transport, { key }) : transport;
    };
    const [a, b] = [linked(wire('a'), { peers, ...fast }), linked(wire('b'), { peers, ...fast })];
    const arrived = receivedBy(b);
    await a.connect();
    const messages = [1, 300, 5_000, 80_000].flatMap((length) => [character.repeat(length), 'x']);
    for (const message of messages) a.send('b', message);
    await b.connect();
    await expect.poll(() => arrived.length).toBe(messages.length);
    expect(arrived).toEqual(messages);
    // A refused frame would have thrown; it is also used: a quarter is filled.
    expect(largest.bytes).toBeGreaterThan(2_500);
    expect(largest.bytes).toBeLessThanOrEqual(32_768);
    await Promise.all([a.close(), b.close()]);
  }
});

/** Two linked peers in a process without other work: they exchange no acknowledgments until the test waits. */
async function up() {
  const bus = new InProcessBus();
  const [a, b] = peers.map((id) => linked(bus.transport(id), { peers, beatMs: 20, patience: 10_000 })) as [
    Transport<Linked>,
    Transport<Linked>,
  ];
  closing(a, b);
  await Promise.all([a.connect(), b.connect()]);
  await expect.poll(() => a.peers.has('b')).toBe(true);
  const notified: string[] = [];
  a.events.subscribe((event) => 'peer' in event && notified.push(event.type));
  return { a, b, notified, arrived: receivedBy(b) };
}

test.each<[string, Json, number]>([
  ['33 of a megabyte', 'x'.repeat(1_000_000), 33],
  ['10,256 small ones', 'small', 10_256],
])('unread messages are limited, send rejects more, and accepted ones arrive: %s', async (_, message, most) => {
  const { a, notified, arrived } = await up();
  for (let sent = 0; sent < most; sent++) a.send('b', message);
  expect(() => a.send('b', message)).toThrow(
    expect.objectContaining({
      name: 'BackpressureError',
      peer: 'b',
      message: expect.stringMatching(
        /^transport "a" accepts no more messages for "b" now: \d+\.\d MiB in \d+ messages or parts of them wait for it. .* raise limits.bytesPerSecond there. Nothing was sent$/,
      ),
    }),
  );
  await expect.poll(() => arrived.length, { timeout: 20_000 }).toBe(most);
  a.send('b', 'again');
  await expect.poll(() => arrived.at(-1)).toBe('again');
  expect(notified).toEqual([]);
});

test('small messages overtake large ones of other conversations only', async () => {
  const { a, arrived } = await up();
  const sendText = (name: string, text: string) => a.send('b', { v: 1, name, message: { type: text } });
  const large = (name: string, text: string) => a.send('b', { v: 1, name, message: { type: text, d: 'x'.repeat(4_000_000) } });
  large('bulk', 'first');
  large('bulk', 'second');
  large('more', 'third');
  for (const name of ['bulk', 'locks', 'more', 'locks']) sendText(name, `after ${name}`);
  await expect.poll(() => arrived.length, { timeout: 20_000 }).toBe(7);
  const types = arrived.map((message) => (message as { message: { type: string } }).message.type);
  expect(types).toEqual(['after locks', 'after locks', 'first', 'second', 'third', 'after bulk', 'after more']);
});

test('node messages have extra space; a peer beyond it counts as gone, with a warning', async () => {
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
  onTestFinished(() => warn.mockRestore());
  const { a, notified } = await up();
  expect(() => {
    for (;;) a.send('b', 'x'.repeat(1_000_000));
  }).toThrow('accepts no more messages');
  const sendText = () => Channels.of(a).send('x', 'b', { type: 'find', text: 'x'.repeat(100_000) } as never);
  for (let i = 0; i < 80; i++) sendText();
  expect(notified).toEqual([]);
  for (let i = 0; i < 20; i++) sendText();
  expect(notified).toEqual(['down']);
  expect(warn.mock.calls.join()).toContain('"b" counts as gone: 40.0 MiB in');
});

const HUGE = Number.MAX_SAFE_INTEGER;
/** Sends a frame as a stranger that receives nothing. */
const frame = (fields: object) => ({
  type: 'frame',
  to: null,
  nonce: 7,
  echo: null,
  ack: 0,
  checksum: CHECKSUM_BASIS,
  seq: 0,
  rejects: false,
  hears: true,
  bodies: [],
  ...fields,
});

/** Two peers on a bus that trusts the claimed sender, and a stranger that claims to be b. */
async function deceived() {
  vi.spyOn(console, 'warn').mockImplementation(() => {});
  onTestFinished(() => void vi.restoreAllMocks());
  const bus = new InProcessBus();
  const start = (id: string) => {
    const inner = bus.transport(id);
    let forge!: (from: string, message: Json) => void;
    let last!: Json;
    const claimed = createTransport(id, { ...inProcessGuarantees, identity: 'claimed', presence: 'none' }, async (medium) => {
      forge = (from, message) => medium.received(from, message);
      inner.events.subscribe((event) => {
        if (event.type === 'message') medium.received(event.from, (last = event.message));
      });
      await inner.connect();
      medium.opened({ send: (to, message) => inner.send(to, message), close: () => inner.close() });
    });
    const wire = {
      last: () => (last as unknown as { message: Frame }).message,
      transport: linked(claimed, { peers, beatMs: 5, patience: 100 }),
      forge: (message: Json) => forge(id === 'a' ? 'b' : 'a', message),
      crash: () => inner.close(),
    };
    closing(wire.transport);
    return wire;
  };
  const [a, b] = [start('a'), start('b')];
  const notified: string[] = [];
  a.transport.events.subscribe((event) => 'peer' in event && notified.push(event.type));
  await Promise.all([a.transport.connect(), b.transport.connect()]);
  await expect.poll(() => notified).toEqual(['up']);
  return { a, b, start, notified, arrived: receivedBy(a.transport) };
}

const later = () => (Date.now() + 5_000) * 1_000;
/** Frames of a stranger, including one that knows the sessions: `real` is the last frame of b. */
const strange: [string, (real: Frame) => object][] = [
  ['a huge session', () => frame({ session: HUGE })],
  ['for a huge session', () => frame({ session: 0, to: HUGE })],
  ['a good-bye of a huge session', () => ({ type: 'bye', session: HUGE, echo: 7 })],
  ['for a session that may be', () => frame({ session: later(), to: later() })],
  ['bodies that are no texts', () => frame({ session: later(), bodies: [{ v: 1 }] })],
  ['the next start of the peer', ({ session }) => frame({ session: session + 1 })],
  ['the next start of the peer, as it would answer', ({ session, to }) => frame({ session: session + 1, to, echo: 7 })],
  ['a good-bye of the peer', ({ session }) => ({ type: 'bye', session, echo: 7 })],
  ['a possible next frame of the peer', ({ session, to, seq }) => frame({ session, to, seq, echo: 7, bodies: ['=7'] })],
];

test('forged frames of a stranger that receives nothing never stop a link', async () => {
  const { a, b, notified, arrived } = await deceived();
  notified.length = 0;
  for (const [what, message] of strange) {
    for (let i = 0; i < 3; i++) a.forge({ v: 1, name: 'link/1', message: message(a.last()) as Json });
    b.transport.send('a', what);
    await expect.poll(() => arrived.at(-1)).toBe(what);
  }
  // Longer than the patience.
  await new Promise((resolve) => setTimeout(resolve, 600));
  b.transport.send('a', 'still there');
  await expect.poll(() => arrived.at(-1)).toBe('still there');
  expect(notified).toEqual([]);
  expect([a.transport.isClosed, b.transport.isClosed]).toEqual([false, false]);
});

test('forged frames of an absent peer neither block it nor end a receiver', async () => {
  const { a, b, notified, start } = await deceived();
  const forge = () => {
    for (const [, message] of strange) a.forge({ v: 1, name: 'link/1', message: message(a.last()) as Json });
  };
  notified.length = 0;
  await b.crash();
  for (let i = 0; i < 5; i++) {
    forge();
    // More beats than it takes to believe that another node has taken the place.
    await new Promise((resolve) => setTimeout(resolve, 30));
  }
  expect([notified, a.transport.isClosed]).toEqual([[], false]);
  await expect.poll(() => notified).toEqual(['down']);
  forge();
  const again = start('b');
  await again.transport.connect();
  forge();
  await expect.poll(() => notified).toEqual(['down', 'up']);
  const arrived = receivedBy(a.transport);
  again.transport.send('a', 'back');
  await expect.poll(() => arrived).toEqual(['back']);
});

test.each([
  ['thirty messages', Array(30).fill('=0')],
  ['a part of a message', ['+x']],
  ['as many as are sent at that moment', ['=0', '=1']],
])('a forged frame with the next numbers is detected, and messages arrive again: %s', async (_, bodies) => {
  const { a, b, notified, arrived } = await deceived();
  notified.length = 0;
  const { seq, bodies: before, ...real } = a.last();
  a.forge({ v: 1, name: 'link/1', message: { ...real, seq: seq + before.length, bodies } as unknown as Json });
  for (const message of ['swallowed', 'as well']) b.transport.send('a', message);
  await expect.poll(() => notified).toEqual(['down', 'up']);
  await expect.poll(() => b.transport.peers.has('a')).toBe(true);
  b.transport.send('a', 'still there');
  await expect.poll(() => arrived.at(-1)).toBe('still there');
  expect([a.transport.isClosed, b.transport.isClosed]).toEqual([false, false]);
});

test('forged frames for a later session do not replace a running session', async () => {
  const { a, b, arrived } = await deceived();
  for (let i = 0; i < 20; i++) {
    // With the session of the peer, but for a session of this peer that never began.
    a.forge({ v: 1, name: 'link/1', message: frame({ session: later() - 4_000_000, to: later() }) as Json });
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  b.transport.send('a', 'still there');
  await expect.poll(() => arrived.at(-1)).toBe('still there');
  expect(a.transport.isClosed).toBe(false);
});

test('a warning names messages without an envelope on a medium of the link layer', async () => {
  const { a } = await deceived();
  a.forge(['a seal', 'that nobody opens']);
  expect(vi.mocked(console.warn).mock.calls.join()).toContain('it is not an envelope, from "b"');
});

test('if one of two lists lacks a relayed peer, the warning names the lists', async () => {
  const { a } = await deceived();
  a.forge({ v: 1, name: 'link/1', message: { type: 'relay', target: 'c', message: frame({ session: later() }) } as Json });
  expect(vi.mocked(console.warn).mock.calls.join()).toContain(
    'or names a node that is not in the topology here. Pass the same list',
  );
});

test('another version of the link layer is refused with a warning; others are served', async () => {
  const { a, b, arrived } = await deceived();
  const old = { type: 'frame', session: 1, to: null, ack: 0, seq: 0, bodies: [] };
  a.forge({ v: 1, name: 'link', message: old });
  expect(vi.mocked(console.warn).mock.calls.join()).toContain(
    'peer "b" uses version "link" of the link layer, this peer "link/1". Run the same release on both',
  );
  b.transport.send('a', 'served');
  await expect.poll(() => arrived).toEqual(['served']);
});

test('a medium with too small messages is refused with an error that names it', () => {
  const transport = createTransport('a', { ...inProcessGuarantees, messageBytesMax: 5_000 }, () => {});
  expect(() => linked(transport, { peers })).toThrow('transport "a" carries messages of 5000 bytes. linked needs at least 8192');
});

test('a peer called constructor is refused before anything starts', () => {
  expect(() => linked(new InProcessBus().transport('a'), { peers: ['a', 'constructor'] })).toThrow(
    /a peer cannot be "constructor"/,
  );
  expect(LINKED_MESSAGE_BYTES_MAX).toBe(8_388_608);
});
