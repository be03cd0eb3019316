import { once } from 'node:events';
import { connect } from 'node:net';
/** Limits of a hub: data that a connection sends or leaves unread, and the number of connections. Real sockets. */
import { expect, onTestFinished, test, vi } from 'vitest';
import { WebSocket } from 'ws';
import { hubWith, log, peer, pull, raw, statusOf } from './web-socket-hub.fixture.js';

test('connections are limited in total and by address, and freed places are reused', async () => {
  vi.spyOn(console, 'warn').mockImplementation(() => {});
  onTestFinished(() => void vi.restoreAllMocks());
  const hub = await hubWith({ limits: { connectionsPerAddress: 2 } });
  const [first, second] = [await raw(hub.port), await raw(hub.port)];
  expect(await statusOf(hub.port, {})).toBe(503);
  const waiting = peer('a', hub.port).connect();
  first.close();
  await waiting;
  expect(second.readyState).toBe(second.OPEN);
});

test('a flood is read at the limited rate, arrives completely, and blocks no peer', async () => {
  vi.spyOn(console, 'warn').mockImplementation(() => {});
  onTestFinished(() => void vi.restoreAllMocks());
  const hub = await hubWith({ limits: { framesPerSecond: 2_000 } });
  const [a, b, c] = [peer('a', hub.port), peer('b', hub.port), peer('c', hub.port)];
  const arrived: unknown[] = [];
  const others = log(c);
  a.events.subscribe((event) => event.type === 'message' && event.from === 'x' && arrived.push(event.message));
  await Promise.all([a.connect(), b.connect(), c.connect()]);
  // A connection saves up from its beginning.
  const begin = performance.now();
  const flooding = await raw(hub.port, { id: 'x' });
  for (let i = 0; i < 6_000; i++) flooding.send(JSON.stringify({ type: 'send', to: 'a', message: i }));
  b.send('c', 'meanwhile');
  await expect.poll(() => others, { timeout: 5_000 }).toContain('b: "meanwhile"');
  // The capacity saved up for a second, plus the rate of the seconds since.
  expect(arrived.length).toBeLessThanOrEqual(2_000 + 2 * Math.ceil(performance.now() - begin));
  expect(arrived.length).toBeLessThan(6_000);
  await expect.poll(() => arrived.length, { timeout: 10_000 }).toBe(6_000);
  expect(performance.now() - begin).toBeGreaterThan(1_800);
  expect(arrived).toEqual(arrived.toSorted((x, y) => Number(x) - Number(y)));
});

test('a frame in more than 64 pieces ends its connection, one in 64 is received', async () => {
  vi.spyOn(console, 'warn').mockImplementation(() => {});
  onTestFinished(() => void vi.restoreAllMocks());
  const hub = await hubWith();
  const a = peer('a', hub.port);
  const arrived = log(a);
  await a.connect();
  const inPieces = (socket: WebSocket, text: string, pieces: number) => {
    for (let i = 1; i < pieces; i++) socket.send('', { fin: false });
    socket.send(text, { fin: true });
  };
  const stranger = await raw(hub.port, { id: 'x' });
  inPieces(stranger, '{"type":"send","to":"a","message":1}', 64);
  await expect.poll(() => arrived).toContain('x: 1');
  inPieces(stranger, '{"type":"send","to":"a","message":2}', 65);
  await once(stranger, 'close');
  expect(arrived).not.toContain('x: 2');
});

test.each([
  ['one incomplete frame', (socket: WebSocket) => socket.send('x'.repeat(1_000_000), { fin: false })],
  ['many frames without a message', (socket: WebSocket) => Array.from({ length: 1_000 }, () => socket.pong('x'.repeat(125)))],
])('a client that sends more than a hello before admission is disconnected: %s', async (_, send) => {
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
  onTestFinished(() => warn.mockRestore());
  const hub = await hubWith();
  const [stranger, longest] = [await raw(hub.port), await raw(hub.port)];
  const begin = performance.now();
  send(stranger);
  await once(stranger, 'close');
  expect(performance.now() - begin).toBeLessThan(2_000);
  expect(warn.mock.calls.flat()).toEqual([
    'webSocketHub refused a connection: a client from 127.0.0.1: it sent more than 66560 bytes before it was admitted',
  ]);
  // The longest hello, in the maximum number of pieces. Afterward the client may send as much as any peer.
  const hello = JSON.stringify({ type: 'hello', id: 'x', key: 'k', token: '\0'.repeat(8_192) });
  const more = ' '.repeat(65_536 - hello.length);
  for (let i = 0; i < 63; i++) longest.send(more.slice(i * 100, (i + 1) * 100), { fin: false });
  longest.send(more.slice(6_300) + hello);
  await expect.poll(() => longest.got[0]?.type).toBe('welcome');
  for (let i = 0; i < 5; i++) longest.send(JSON.stringify({ type: 'send', to: 'x', message: 'x'.repeat(60_000) }));
  await expect.poll(() => longest.got.filter(({ type }) => type === 'message').length).toBe(5);
});

test('reconnecting does not increase the rate: a place is free only a second later', async () => {
  vi.spyOn(console, 'warn').mockImplementation(() => {});
  onTestFinished(() => void vi.restoreAllMocks());
  const hub = await hubWith({ limits: { connectionsPerAddress: 2, framesPerSecond: 100 } });
  const a = peer('a', hub.port);
  let arrived = 0;
  a.events.subscribe(({ type }) => type === 'message' && arrived++);
  await a.connect();
  const flood = () =>
    new Promise<void>((over) => {
      const stranger = new WebSocket(`ws://127.0.0.1:${hub.port}`);
      stranger.on('open', () => stranger.send('{"type":"hello","id":"x","key":"k"}'));
      stranger.once('message', () => {
        for (let i = 0; i < 100; i++) stranger.send('{"type":"send","to":"a","message":1}');
        stranger.close();
      });
      stranger.on('error', () => {}).on('close', () => over());
    });
  const begin = performance.now();
  while (performance.now() - begin < 600) await flood();
  expect(arrived).toBeGreaterThan(50);
  // One place is free for the stranger, plus another one after a second on a slow machine.
  expect(arrived).toBeLessThanOrEqual(200);
});

test('a request without an upgrade is answered once, and its connection ends', async () => {
  const hub = await hubWith({});
  const socket = connect(hub.port, '127.0.0.1');
  let answers = '';
  socket.setEncoding('utf8').on('data', (text: string) => (answers += text));
  socket.on('error', () => {}).write('GET / HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(1_000));
  await once(socket, 'close');
  expect(answers.match(/HTTP\/1.1 \d+/g)).toEqual(['HTTP/1.1 426']);
});

test('connections without a request are limited too, to a hundred above the limit', async () => {
  const hub = await hubWith({ limits: { connectionsPerAddress: 2 } });
  const sockets = Array.from({ length: 110 }, () => connect(hub.port, '127.0.0.1').on('error', () => {}));
  onTestFinished(() => sockets.forEach((socket) => socket.destroy()));
  await expect.poll(() => sockets.filter(({ closed }) => closed).length).toBe(8);
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(sockets.filter(({ closed }) => !closed)).toHaveLength(102);
});

test.each([
  ['framesPerSecond', '"pong"', 10, '10 frames'],
  ['bytesPerSecond', `"${'x'.repeat(500)}"`, 3_000, '3000 bytes'],
])('a line that is read slowly is reported once with its limit: %s', async (limit, type, most, much) => {
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
  onTestFinished(() => warn.mockRestore());
  const hub = await hubWith({ limits: { [limit]: most } });
  for (const id of ['x', 'y']) {
    const fast = await raw(hub.port, { id });
    for (let i = 0; i < 30; i++) fast.send(`{"type":${type}}`);
  }
  await vi.waitFor(() => expect(warn).toHaveBeenCalled());
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect(warn.mock.calls).toEqual([
    [
      `the connection of "x" with 127.0.0.1 sends more than ${much} a second and is read slowly. If it is your peer, raise limits.${limit} here`,
    ],
  ]);
});

test('beyond the shared backlog limit, the connection with the most unread is closed', async () => {
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
  onTestFinished(() => warn.mockRestore());
  const hub = await hubWith({ limits: { backlogBytesInAll: 2 ** 24, backlogBytes: 2 ** 30, bytesPerSecond: 2 ** 30 } });
  const a = peer('a', hub.port);
  await a.connect();
  const slow = await Promise.all(Array.from({ length: 5 }, (_, i) => raw(hub.port, { id: `slow ${i}` })));
  await expect.poll(() => a.peers.size).toBe(5);
  slow.forEach(pull);
  // They answer although they read nothing: on a busy machine three beats pass before enough bytes wait.
  const beat = setInterval(() => slow.forEach((socket) => socket.send('{"type":"pong"}')), 100);
  onTestFinished(() => clearInterval(beat));
  for (let i = 0; i < 100 && warn.mock.calls.length === 0; i++) {
    for (const id of a.peers) a.send(id, '中'.repeat(300_000));
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  await expect.poll(() => a.peers.size).toBeLessThan(5);
  expect(a.isClosed).toBe(false);
  expect(warn.mock.calls.flat()).toContainEqual(
    expect.stringMatching(
      /^webSocketHub closed a connection: all connections have 16777216 bytes unread \(limits.backlogBytesInAll\)/,
    ),
  );
});

test('a peer that does not read is disconnected, and its senders are notified of down', async () => {
  const hub = await hubWith({ limits: { backlogBytes: 2 ** 20 } });
  const a = peer('a', hub.port);
  const seen = log(a);
  await a.connect();
  const slow = await raw(hub.port, { id: 'slow' });
  await expect.poll(() => seen).toEqual(['up slow']);
  pull(slow);
  const begin = process.memoryUsage().rss;
  for (let i = 0; i < 30 && seen.length < 2; i++) {
    a.send('slow', 'x'.repeat(500_000));
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  await expect.poll(() => seen, { timeout: 5_000 }).toEqual(['up slow', 'down slow']);
  expect(process.memoryUsage().rss - begin).toBeLessThan(200 * 2 ** 20);
});
