/** Refusals at both ends: the reports name the peer, the reason and the fix. Real sockets. */
import { once } from 'node:events';
import net from 'node:net';
import { expect, onTestFinished, test, vi } from 'vitest';
import { WebSocket, type ClientOptions } from 'ws';
import { cert, key } from './certificate.fixture.js';
import { throughHub } from './through-hub.js';
import { webSocketHub } from './web-socket-hub.js';
import { hubWith, peer, statusOf } from './web-socket-hub.fixture.js';
import { webSocketMesh } from './web-socket-mesh.js';

const quiet = () => {
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
  onTestFinished(() => warn.mockRestore());
  return () => warn.mock.calls.flat() as string[];
};

test('a hub reports refusals with address and reason, every ten seconds with a count', async () => {
  const reported = quiet();
  const hub = await hubWith({ ids: ['a', 'b'], admit: ({ token }) => token === 'right' });
  const url = `ws://127.0.0.1:${hub.port}`;
  for (const [id, why] of [
    ['b', 'it is not admitted: admit rejects its token or id'],
    ['c', 'its id is not allowed here. Add it to ids'],
  ] as const)
    await expect(peer(id, hub.port, { token: 'wrong' }).connect()).rejects.toThrow(
      `the hub at ${url} refused peer "${id}": ${why}`,
    );
  expect(await statusOf(hub.port, { headers: { origin: 'https://other.example' } })).toBe(403);
  const b = '"b" from 127.0.0.1: it is not admitted: admit rejects its token or id';
  expect(reported()).toEqual([`webSocketHub refused a connection: ${b}`]);
  vi.useFakeTimers({ now: Date.now() + 11_000, toFake: ['Date'] });
  onTestFinished(() => void vi.useRealTimers());
  expect(await statusOf(hub.port, { headers: { origin: 'https://other.example' } })).toBe(403);
  const page = 'a page of https://other.example from 127.0.0.1: add its origin to origins if the page is yours';
  expect(reported().slice(1)).toEqual([`webSocketHub refused a connection: ${page} (and 2 more since the last warning)`]);
});

test('a mesh peer does the same', async () => {
  const reported = quiet();
  const mesh = (id: string, peers: readonly string[], token: string) => {
    const admit = ({ token }: { token: string | undefined }) => token === 'right';
    const transport = webSocketMesh({ id, listen: { port: id === 'a' ? port : 0 }, peers, token, admit });
    onTestFinished(() => transport.close());
    return transport;
  };
  const free = net.createServer().listen(0, '127.0.0.1');
  await once(free, 'listening');
  const { port } = free.address() as net.AddressInfo;
  await new Promise((resolve) => free.close(resolve));
  const at = `ws://127.0.0.1:${port}`;
  await mesh('a', [], 'right').connect();
  const b = mesh('b', [at], 'wrong');
  const closed = new Promise<Error | null>((resolve) =>
    b.events.subscribe((event) => event.type === 'closed' && resolve(event.error)),
  );
  b.connect().catch(() => {});
  const why = 'it is not admitted: admit rejects its token or id';
  expect((await closed)?.message).toBe(`peer "a" at ${at} refused peer "b": ${why}`);
  expect(reported()).toEqual([`peer "a" refused a connection: "b" from 127.0.0.1: ${why}`]);
});

const dialing = (options: ClientOptions) =>
  class extends WebSocket {
    constructor(url: string) {
      super(url, options);
    }
  };

test('a peer that cannot connect retries, and the warning contains advice', async () => {
  const reported = quiet();
  const [plain, tls] = [await hubWith({ host: '0.0.0.0' }), await hubWith({ host: '0.0.0.0', tls: { key, cert } })];
  const cases: [id: string, url: string, options: ClientOptions, shown: RegExp][] = [
    [
      'page',
      `ws://127.0.0.1:${plain.port}`,
      { origin: 'https://other.example' },
      /403; the server does not accept pages of this origin: add it to/,
    ],
    ['without TLS', `ws://127.0.0.1:${tls.port}`, {}, /socket hang up; try wss:, if it listens with TLS$/],
    ['with TLS', `wss://127.0.0.1:${plain.port}`, {}, /it does not use TLS there: try ws:$/],
    ['without authority', `wss://127.0.0.1:${tls.port}`, {}, /self-signed certificate; .*NODE_EXTRA_CA_CERTS$/],
    ['by another name', `wss://127.0.0.2:${tls.port}`, { ca: cert }, /subjectAltName$/],
  ];
  for (const [id, url, options] of cases)
    peer(id, 0, { url, WebSocket: dialing(options) })
      .connect()
      .catch(() => {});
  const of = (id: string) => reported().find((text) => text.startsWith(`peer "${id}" has no connection`));
  await vi.waitFor(() => cases.forEach(([id, , , shown]) => expect(of(id)).toMatch(shown)), 20_000);
});

test.each<[string, object, RegExp]>([
  [
    'an origin with a slash',
    { origins: ['https://app.example', 'https://www.app.example/'] },
    /^webSocketHub: origins has "https:\/\/www.app.example\/" at place 1, which is not an origin. Pass a list/,
  ],
  [
    'an invalid certificate',
    { tls: { key, cert: 'x' } },
    /^webSocketHub: tls has a cert that cannot be read \(.*no start line.*\). Pass options of a TLS server/,
  ],
  ['an invalid key', { tls: { key: 'x', cert } }, /^webSocketHub: tls has a key that cannot be read/],
  [
    'TLS with a server',
    { tls: { key, cert }, port: undefined, server: new net.Server() },
    /^webSocketHub: tls does not go with server; pass it to createServer of node:https$/,
  ],
  [
    'a host with a server',
    { host: '::1', port: undefined, server: new net.Server() },
    /^webSocketHub: host does not go with server; pass it to server.listen$/,
  ],
])('a hub refuses %s with an error', async (_, options, message) => {
  await expect(webSocketHub({ port: 0, ...options })).rejects.toMatchObject({
    name: 'UsageError',
    message: expect.stringMatching(message),
  });
});

test('a mesh peer does not dial its own address, and reports once if it cannot listen', async () => {
  const reported = quiet();
  const taken = net.createServer().listen(0, '127.0.0.1');
  await once(taken, 'listening');
  onTestFinished(() => void taken.close());
  const { port } = taken.address() as net.AddressInfo;
  await expect(webSocketMesh({ id: 'a', listen: { port }, peers: [] }).connect()).rejects.toMatchObject({
    message: expect.stringMatching(`^peer "a" cannot listen at 127.0.0.1:${port}: listen EADDRINUSE: address already in use`),
  });
  await new Promise((resolve) => taken.close(resolve));
  const dialed: string[] = [];
  class Dialing extends WebSocket {
    constructor(url: string) {
      super(url);
      dialed.push(url);
    }
  }
  const a = webSocketMesh({
    id: 'a',
    listen: { port, tls: { key, cert } },
    peers: [`wss://127.0.0.1:${port}`],
    WebSocket: Dialing,
  });
  onTestFinished(() => a.close());
  await a.connect();
  expect([dialed, reported()]).toEqual([[], []]);
});

test('a token function that throws is named, and differs from a failed connection', async () => {
  const token = () => Promise.reject(new Error('no vault'));
  const open = () => Promise.reject(new Error('not reached'));
  const connecting = throughHub({ id: 'a', key: 'k', token }, open)({} as never, new AbortController().signal);
  await expect(connecting).rejects.toMatchObject({
    name: 'ConnectionError',
    message: 'the token of peer "a" is a function that failed: no vault',
  });
});
