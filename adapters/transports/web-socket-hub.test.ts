/** Access to a WebSocket hub, and the limits on silent clients. Real sockets. */
import cluster from 'node:cluster';
import { once } from 'node:events';
import { createServer } from 'node:http';
import net from 'node:net';
import { expect, onTestFinished, test, vi } from 'vitest';
import { WebSocket } from 'ws';
import { cert, key } from './certificate.fixture.js';
import { webSocketHub, type WebSocketHub } from './web-socket-hub.js';
import { hubWith, log, peer, pull, raw, statusOf } from './web-socket-hub.fixture.js';
import type { Listener } from './web-socket-listener.js';
import { webSocket, type WebSocketOptions } from './web-socket.js';

test('a restarted peer gets its seat back within two seconds, at once with its key', async () => {
  const hub = await hubWith();
  pull(await raw(hub.port, { id: 'a' }));
  pull(await raw(hub.port, { id: 'b', key: 'kept' }));
  const begin = performance.now();
  await peer('b', hub.port, { key: 'kept' }).connect();
  expect(performance.now() - begin).toBeLessThan(500);
  await peer('a', hub.port).connect();
  expect(performance.now() - begin).toBeLessThan(2_500);
});

test('a hub in a worker of node:cluster causes one warning', async () => {
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
  Object.assign(cluster, { isWorker: true });
  onTestFinished(() => {
    Object.assign(cluster, { isWorker: false });
    warn.mockRestore();
  });
  for (let i = 0; i < 2; i++) await (await webSocketHub({ port: 0 })).close();
  expect(warn.mock.calls).toEqual([[expect.stringContaining('Run one hub in the primary process, or in a separate process.')]]);
});

test('a running peer keeps its seat, and the stranger is refused with a reason', async () => {
  const hub = await hubWith();
  const [a, b] = [peer('a', hub.port), peer('b', hub.port)];
  await Promise.all([a.connect(), b.connect()]);
  await expect(peer('a', hub.port).connect()).rejects.toThrow(
    `the hub at ws://127.0.0.1:${hub.port} refused peer "a": the id "a" is in use`,
  );
  const seen = log(a);
  b.send('a', 'still you?');
  await expect.poll(() => seen).toContain('b: "still you?"');
});

test('concurrent hellos with a used id cause few checks, and the member stays', async () => {
  const warn = vi.spyOn(process, 'emitWarning');
  onTestFinished(() => warn.mockRestore());
  const hub = await hubWith();
  const b = peer('b', hub.port);
  const seen = log(b);
  const [a] = [await raw(hub.port, { id: 'a' }), await b.connect()];
  let asked = 0;
  a.on('ping', () => asked++);
  const strangers = await Promise.all(Array.from({ length: 150 }, () => raw(hub.port)));
  for (const stranger of strangers) stranger.send('{"type":"hello","id":"a","key":"of a stranger"}');
  await vi.waitFor(() => expect(strangers.map(({ got }) => got[0]?.type)).toEqual(strangers.map(() => 'refused')), 20_000);
  expect([seen, a.readyState]).toEqual([['up a'], WebSocket.OPEN]);
  // More at once than a `ws` socket answers.
  expect(asked).toBeLessThan(60);
  expect(warn).not.toHaveBeenCalled();
});

test('a line to a silent hub is closed after three seconds and made again', async () => {
  vi.spyOn(console, 'warn').mockImplementation(() => {});
  onTestFinished(() => void vi.restoreAllMocks());
  const hub = await hubWith();
  const between: net.Socket[] = [];
  const proxy = net.createServer((near) => {
    const far = net.connect(hub.port, '127.0.0.1');
    near.pipe(far).pipe(near);
    for (const end of [near, far]) end.on('error', () => {});
    between.push(near, far);
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  onTestFinished(() => {
    for (const socket of between) socket.destroy();
    proxy.close();
  });
  const [a, b] = [peer('a', (proxy.address() as net.AddressInfo).port), peer('b', hub.port)];
  const seen = log(a);
  await Promise.all([a.connect(), b.connect()]);
  await expect.poll(() => seen).toEqual(['up b']);
  await new Promise((resolve) => setTimeout(resolve, 1_200));
  for (const socket of between) socket.unpipe().pause();
  const begin = performance.now();
  await expect.poll(() => seen).toEqual(['up b', 'down b', 'up b']);
  expect(performance.now() - begin).toBeLessThan(5_500);
});

test('pages need the same or a listed origin; programs have none', async () => {
  const { port } = await hubWith();
  const from = (origin: string) => statusOf(port, { headers: { origin } });
  expect(await from('http://evil.example')).toBe(403);
  expect(await from(`http://127.0.0.1:${port + 1}`)).toBe(403);
  expect(await from('null')).toBe(403);
  expect(await from(`http://127.0.0.1:${port}`)).toBe(101);
  expect(await statusOf(port, {})).toBe(101);
  // DNS now resolves the host of the page to this machine.
  const rebound = { headers: { origin: `http://evil.example:${port}`, host: `evil.example:${port}` } };
  expect(await statusOf(port, rebound)).toBe(403);
  const listing = await hubWith({ origins: ['https://app.example'] });
  expect(await statusOf(listing.port, { headers: { origin: 'https://app.example' } })).toBe(101);
  expect(await statusOf(listing.port, { headers: { origin: `http://127.0.0.1:${listing.port}` } })).toBe(403);
});

test('a token is checked for each connection; a refused peer gets a reason', async () => {
  const users = new Map([['secret of a', 'a']]);
  const hub = await hubWith({
    admit: async ({ id, token, request }) => {
      await new Promise((resolve) => setTimeout(resolve, 10));
      return request.url === '/' && users.get(token ?? '') === id;
    },
  });
  const a = peer('a', hub.port, { token: () => Promise.resolve('secret of a') });
  const seen = log(a);
  await a.connect();
  for (const token of ['secret of a', 'guess', undefined]) {
    await expect(peer('b', hub.port, token === undefined ? {} : { token }).connect()).rejects.toMatchObject({
      name: 'ConnectionError',
      message: `the hub at ws://127.0.0.1:${hub.port} refused peer "b": it is not admitted: admit rejects its token or id`,
    });
  }
  expect(seen).toEqual([]);
});

test.each([
  ['a text', () => 'yes', 'the text yes'],
  ['an object', () => ({ id: 'a' }), 'an object'],
  ['a promise of one', async () => [1], 'a list'],
  ['a number', () => 1, '1'],
  ['nothing', () => undefined, 'undefined'],
])('an admit that returns %s admits no peer, and causes one warning', async (_, admit, shown) => {
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
  onTestFinished(() => warn.mockRestore());
  const hub = await hubWith({ admit: admit as never });
  for (const id of ['a', 'b']) await expect(peer(id, hub.port).connect()).rejects.toThrow('admit rejects its token or id');
  expect(warn.mock.calls.flat()).toEqual([
    `webSocketHub: admit returned ${shown} for "a". Return true or false: only true admits a peer`,
    expect.stringContaining('webSocketHub refused a connection: "a" from 127.0.0.1'),
  ]);
});

test('an admit that fails causes one warning, and the peer gets no details', async () => {
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
  onTestFinished(() => warn.mockRestore());
  let isDown = true;
  const hub = await hubWith({
    admit: async () => {
      if (isDown) throw new Error('the database does not answer');
      return true;
    },
  });
  const a = peer('a', hub.port);
  const connected = a.connect();
  await vi.waitFor(() => expect(warn).toHaveBeenCalled(), 20_000);
  isDown = false;
  await connected;
  const [reported, ...others] = warn.mock.calls.flat() as string[];
  expect(reported).toBe('webSocketHub: admit failed for "a", which may try again: Error: the database does not answer');
  expect(others.filter((text) => text.includes('database'))).toEqual([]);
});

test('a hub that cannot listen names its address and leaves nothing open', async () => {
  const { port } = await hubWith();
  await expect(webSocketHub({ port })).rejects.toThrow(`webSocketHub cannot listen at 127.0.0.1:${port}: listen EADDRINUSE`);
  class Broken {
    constructor() {
      throw new Error('no upgrades today');
    }
  }
  const free = await hubWith();
  const { port: its } = free;
  await free.close();
  expect(() => free.port).toThrow('the server has no port, because it does not listen');
  await expect(webSocketHub({ port: its, WebSocketServer: Broken as never })).rejects.toThrow('no upgrades today');
  await hubWith({ port: its });
});

test('unlisted ids are refused', async () => {
  const hub = await hubWith({ ids: ['a', 'b'] });
  await peer('a', hub.port).connect();
  await expect(peer('c', hub.port).connect()).rejects.toThrow('its id is not allowed here');
});

test('a client that sends no hello is disconnected', async () => {
  const hub = await hubWith({ limits: { helloMs: 100 } });
  const silent = await raw(hub.port);
  await once(silent, 'close');
  expect(silent.got).toEqual([{ type: 'refused', why: 'no hello was accepted within 100 ms', again: true }]);
});

test("over TLS, with Node's options", async () => {
  const hub = await hubWith({ tls: { key, cert } });
  class Trusting extends WebSocket {
    constructor(url: string) {
      super(url, { ca: cert });
    }
  }
  const url = `wss://localhost:${hub.port}`;
  const [a, b] = [
    peer('a', 0, { url: url.replace('localhost', '127.0.0.1'), WebSocket: Trusting }),
    peer('b', 0, { url: url.replace('localhost', '127.0.0.1'), WebSocket: Trusting }),
  ];
  const seen = log(b);
  await Promise.all([a.connect(), b.connect()]);
  a.send('b', 'in private');
  await expect.poll(() => seen).toContain('a: "in private"');
});

test('on your server: its routes and other paths keep working, and it stays open', async () => {
  const server = createServer((_, response) => response.end('yours'));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const { port } = server.address() as net.AddressInfo;
  const hub = await hubWith({ server, path: '/quiver' });
  expect(hub.port).toBe(port);
  const a = peer('a', 0, { url: `ws://127.0.0.1:${port}/quiver?room=1` });
  await a.connect();
  expect(await statusOf(port, {}, '/other')).toBe(404);
  expect(await (await fetch(`http://127.0.0.1:${port}/`)).text()).toBe('yours');
  await hub.close();
  expect(await (await fetch(`http://127.0.0.1:${port}/`)).text()).toBe('yours');
  expect(server.listenerCount('upgrade')).toBe(0);
});

test('of two hubs: peers move to the second, and return when the first is back', async () => {
  vi.spyOn(console, 'warn').mockImplementation(() => {});
  onTestFinished(() => void vi.restoreAllMocks());
  const [first, second] = [await hubWith(), await hubWith()];
  const { port } = first;
  const url = [first, second].map((hub) => `ws://127.0.0.1:${hub.port}`);
  const [a, b] = [peer('a', 0, { url }), peer('b', 0, { url })];
  const [seen, arrived] = [log(a), log(b)];
  await Promise.all([a.connect(), b.connect()]);
  await expect.poll(() => seen).toEqual(['up b']);
  await first.close();
  await expect.poll(() => seen).toEqual(['up b', 'down b', 'up b']);
  a.send('b', 'by the second');
  await expect.poll(() => arrived).toContain('a: "by the second"');
  const again = await hubWith({ port });
  const served = (hub: WebSocketHub) => [...(hub as unknown as { listener: Listener }).listener.lines].length;
  await expect.poll(() => [served(again), served(second)]).toEqual([2, 0]);
  await expect.poll(() => a.peers.has('b')).toBe(true);
  a.send('b', 'at home');
  await expect.poll(() => arrived).toContain('a: "at home"');
});

test.each([
  ['plain', {}],
  ['with TLS', { tls: { key, cert } }],
])('a connection without a request does not delay close: %s', async (_, options) => {
  const hub = await webSocketHub({ port: 0, ...options });
  const idle = [net.connect(hub.port, '127.0.0.1'), net.connect(hub.port, '127.0.0.1')];
  onTestFinished(() => idle.forEach((socket) => void socket.destroy()));
  await Promise.all(idle.map((socket) => once(socket, 'connect')));
  idle[1]!.on('error', () => {}).write('GET / HTTP/1.1\r\nHost: half a requ');
  idle[0]!.on('error', () => {});
  await new Promise((resolve) => setTimeout(resolve, 50));
  const begin = performance.now();
  await hub.close();
  expect(performance.now() - begin).toBeLessThan(3_000);
});

test('a silent client of a port with TLS is disconnected like any other', async () => {
  const hub = await hubWith({ tls: { key, cert }, limits: { helloMs: 200 } });
  const idle = net.connect(hub.port, '127.0.0.1');
  onTestFinished(() => void idle.destroy());
  await once(
    idle.resume().on('error', () => {}),
    'close',
  );
});

const UPGRADE =
  'Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==';

test.each(['//', '//[', 'http://[::1', '*'])('a request for the URL %s ends neither hub nor process', async (path) => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const hub = await hubWith({ server, path: '/quiver' });
  const socket = net.connect(hub.port, '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  socket.write(`GET ${path} HTTP/1.1\r\nHost: here\r\n${UPGRADE}\r\n\r\n`);
  expect(String((await once(socket, 'data'))[0])).toMatch(/^HTTP\/1.1 40[04]/);
  await peer('a', 0, { url: `ws://127.0.0.1:${hub.port}/quiver` }).connect();
});

test('a rule for origins that throws or returns a promise refuses the origin', async () => {
  const headers = { origin: 'https://app.example' };
  const failing = await hubWith({
    origins: () => {
      throw new Error('no list yet');
    },
  });
  expect(await statusOf(failing.port, { headers })).toBe(403);
  const late = await hubWith({ origins: (async () => false) as never });
  expect(await statusOf(late.port, { headers })).toBe(403);
});

test.each<[string, Partial<WebSocketOptions>, RegExp]>([
  ['an address', { url: 'localhost:8080' }, /peer "a": localhost:8080 is not an address of a WebSocket. Pass one as in ws:/],
  [
    'an address among others',
    { url: ['ws://127.0.0.1', 'http://127.0.0.1'] },
    /http:\/\/127.0.0.1 is not an address of a WebSocket/,
  ],
  ['a key', { key: '' }, /the key of peer "a" must be a string of 1 to 255 characters/],
  ['a long key', { key: 'x'.repeat(256) }, /the key of peer "a" must be a string of 1 to 255 characters$/],
  ['a token', { token: 'x'.repeat(10_000) }, /the token of peer "a" must be a string of 1 to 8192 characters$/],
])('%s that can never work is refused with an error', (_, options, message) => {
  expect(() => webSocket({ id: 'a', url: 'ws://127.0.0.1', WebSocket, ...options })).toThrow(message);
});
