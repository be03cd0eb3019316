/** The mesh with real sockets: the conformance suite, and failures of a cluster without a hub. */
import { once } from 'node:events';
import net from 'node:net';
import type { TLSSocket } from 'node:tls';
import { expect, onTestFinished, test, vi } from 'vitest';
import { WebSocket } from 'ws';
import { linked } from '../linked.js';
import { createLocks } from '../locks/locks.js';
import { cert, key } from './certificate.fixture.js';
import { faster } from './clock.fixture.js';
import { transportConformance } from './conformance.js';
import { fuzz } from './fuzz.fixture.js';
import { freePort } from '../../testing/servers.js';
import { onSockets } from './strangers.fixture.js';
import type { Transport } from './transport.js';
import { log } from './web-socket-hub.fixture.js';
import { webSocketMesh, type WebSocketMeshOptions } from './web-socket-mesh.js';
import { webSocketMeshGuarantees } from './guarantees.js';

const url = (port: number, scheme = 'ws') => `${scheme}://127.0.0.1:${port}`;
let newest = new Map<string, number>();

transportConformance({
  test,
  guarantees: webSocketMeshGuarantees,
  values: fuzz,
  inject: async (to, garbage) => {
    for (const frames of [[garbage], [{ type: 'hello', id: 'stranger', key: 'k' }, garbage, { type: 'bye' }]]) {
      const raw = new WebSocket(url(newest.get(to)!));
      await once(raw, 'open');
      for (const frame of frames) raw.send(JSON.stringify(frame));
      await once(raw, 'close');
    }
  },
  injectTexts: (to, texts) => onSockets(url(newest.get(to)!), '{"type":"hello","id":"x","key":"k"}', texts),
  create: async (ids) => {
    const ports = await Promise.all(ids.map(() => freePort()));
    newest = new Map(ids.map((id, i) => [id, ports[i]!]));
    return ids.map((id, i) => webSocketMesh({ id, listen: { port: ports[i]! }, peers: ports.map((port) => url(port)) }));
  },
});

type Others = Partial<WebSocketMeshOptions>;
function peer(id: string, port: number, ports: readonly number[], others: Others = {}): Transport {
  const transport = webSocketMesh({ id, listen: { port }, peers: ports.map((other) => url(other)), ...others });
  onTestFinished(() => transport.close());
  return transport;
}

const portsOf = (count: number) => Promise.all(Array.from({ length: count }, () => freePort()));

test('any peer may start before the others, and each pair has one connection', async () => {
  const ports = await portsOf(4);
  const ids = ['a', 'b', 'c', 'd'];
  const peers = ids.map((id, i) => peer(id, ports[i]!, ports));
  const seen = peers.map(log);
  for (const each of peers) {
    await each.connect();
    await new Promise((resolve) => setTimeout(resolve, 120));
  }
  await vi.waitFor(() => expect(peers.map(({ peers: up }) => up.size)).toEqual([3, 3, 3, 3]), 20_000);
  for (const [i, from] of peers.entries()) for (const to of ids) if (to !== ids[i]) from.send(to, `from ${ids[i]}`);
  await vi.waitFor(() => {
    for (const [i, each] of seen.entries())
      for (const from of ids) if (from !== ids[i]) expect(each).toContain(`${from}: "from ${from}"`);
  }, 20_000);
  for (const each of seen) expect(each.filter((event) => event.startsWith('down'))).toEqual([]);
});

test('simultaneous dialing leaves one connection of each pair, and no peer goes down', async () => {
  for (let round = 0; round < 5; round++) {
    const ports = await portsOf(3);
    const peers = ['a', 'b', 'c'].map((id, i) => peer(id, ports[i]!, ports));
    const seen = peers.map(log);
    await Promise.all(peers.map((each) => each.connect()));
    await vi.waitFor(() => expect(peers.map(({ peers: up }) => up.size)).toEqual([2, 2, 2]), 20_000);
    await new Promise((resolve) => setTimeout(resolve, 150));
    for (const each of seen) expect(each.map((event) => event.split(' ')[0])).toEqual(['up', 'up']);
    await Promise.all(peers.map((each) => each.close()));
  }
});

test('a peer that leaves does not affect the others, and is linked soon after return', async () => {
  const ports = await portsOf(3);
  const [a, b, c] = ['a', 'b', 'c'].map((id, i) => peer(id, ports[i]!, ports)) as [Transport, Transport, Transport];
  const seen = log(a);
  await Promise.all([a.connect(), b.connect(), c.connect()]);
  await expect.poll(() => [a.peers.size, b.peers.size]).toEqual([2, 2]);
  seen.length = 0;
  await c.close();
  await expect.poll(() => seen).toEqual(['down c']);
  b.send('a', 'still here');
  await expect.poll(() => seen).toEqual(['down c', 'b: "still here"']);
  const again = peer('c', ports[2]!, ports);
  const begin = performance.now();
  await again.connect();
  await expect.poll(() => seen.at(-1), { interval: 5 }).toBe('up c');
  expect(performance.now() - begin).toBeLessThan(1_500);
});

test('a second peer with a used id is refused by others and by the first one', async () => {
  const ports = await portsOf(3);
  const [a, b] = [peer('a', ports[0]!, ports.slice(0, 2)), peer('b', ports[1]!, ports.slice(0, 2))];
  await Promise.all([a.connect(), b.connect()]);
  await expect.poll(() => a.peers.size).toBe(1);
  for (const known of [[ports[1]!], [ports[0]!]]) {
    const second = webSocketMesh({ id: 'a', listen: { port: ports[2]! }, peers: known.map((port) => url(port)) });
    await expect(second.connect()).rejects.toThrow(/the id "a" is in use. Use a unique id for each peer/);
    await second.close();
  }
  expect([a.isClosed, a.peers.size]).toEqual([false, 1]);
});

test('concurrent hellos with a used id cause few checks, and the peer stays', async () => {
  const [port] = await portsOf(1);
  const a = peer('a', port!, []);
  const seen = log(a);
  await a.connect();
  const hello = (id: string, key: string) => JSON.stringify({ type: 'hello', id, key });
  let asked = 0;
  const b = new WebSocket(url(port!), { autoPong: false });
  b.on('ping', (data) => (asked++, setTimeout(() => b.pong(data), 200)));
  await once(b, 'message');
  b.send(hello('b', 'k'));
  await expect.poll(() => seen).toEqual(['up b']);
  const strangers = Array.from({ length: 100 }, () => new WebSocket(url(port!)));
  const notified = strangers.map((socket) => once(socket, 'message').then(() => once(socket, 'message')));
  await Promise.all(strangers.map((socket) => once(socket, 'open')));
  for (const socket of strangers) socket.send(hello('b', 'of a stranger'));
  for (const [text] of await Promise.all(notified)) expect(String(text)).toMatch(/"refused".*is in use/);
  expect(seen).toEqual(['up b']);
  expect(asked).toBeLessThan(10);
});

test('a peer with its key is admitted at once despite a half-open old connection', async () => {
  const ports = await portsOf(2);
  const b = peer('b', ports[1]!, []);
  const seen = log(b);
  await b.connect();
  // The mesh's key is sent as a hash for the receiver. The raw peer learns it from a real one.
  const first = webSocketMesh({ id: 'a', listen: { port: ports[0]! }, peers: [url(ports[1]!)], key: 'kept' });
  await first.connect();
  await expect.poll(() => seen).toEqual(['up a']);
  const second = webSocketMesh({ id: 'a', listen: { port: await freePort() }, peers: [url(ports[1]!)], key: 'kept' });
  await second.connect();
  // Without the key the first one would have answered, and the second one would have been refused.
  await expect.poll(() => seen.slice(0, 3)).toEqual(['up a', 'down a', 'up a']);
  await Promise.all([first.close(), second.close()]);
});

test('a peer that returns with its key is not admitted while the other one closes', async () => {
  const [port] = await portsOf(1);
  const b = peer('b', port!, []);
  await b.connect();
  const hello = async () => {
    const socket = new WebSocket(url(port!));
    await once(socket, 'message');
    socket.send('{"type":"hello","id":"a","key":"k"}');
    return socket;
  };
  const first = await hello();
  await expect.poll(() => b.peers.size).toBe(1);
  // It does not answer the goodbye, so the peer must wait for it.
  first.pause();
  const closing = b.close();
  const second = new WebSocket(url(port!));
  const notified: string[] = [];
  second
    .on('error', () => {})
    .on('message', (text) => {
      notified.push(String(text));
      second.send('{"type":"hello","id":"a","key":"k"}');
    });
  await Promise.all([closing, once(second, 'close')]);
  expect(notified).toEqual([]);
  first.terminate();
});

test.each([
  ['fails', () => Promise.reject(new Error('no such service yet')), 'its peers and will retry: no such service yet'],
  [
    'never answers',
    () => new Promise<never>(() => {}),
    'its peers: the function peers has not settled within 5000 ms. It is called again',
  ],
])('a function for addresses that %s causes a warning, and is called again', async (_, first, why) => {
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
  onTestFinished(() => warn.mockRestore());
  const ports = await portsOf(2);
  let asked = 0;
  const find = async () => (asked++ === 0 ? first() : ports.map((port) => url(port)));
  const clock = faster(10);
  const [a, b] = [peer('a', ports[0]!, [], { peers: find, clock }), peer('b', ports[1]!, [], { clock })];
  await Promise.all([a.connect(), b.connect()]);
  await expect.poll(() => a.peers.has('b')).toBe(true);
  expect(warn.mock.calls.join()).toContain(`peer "a" cannot find ${why}`);
});

test('a list and a function check tokens and ids at every peer', async () => {
  const ports = await portsOf(3);
  const rules: Others = { ids: ['a', 'b'], admit: ({ token }) => token === 'open sesame' };
  const [a, b] = [
    peer('a', ports[0]!, ports.slice(0, 2), { ...rules, token: 'open sesame' }),
    peer('b', ports[1]!, ports.slice(0, 2), { ...rules, token: async () => 'open sesame' }),
  ];
  await Promise.all([a.connect(), b.connect()]);
  await expect.poll(() => a.peers.size).toBe(1);
  await expect(peer('b', ports[2]!, [ports[0]!], { token: 'guess' }).connect()).rejects.toThrow(/admit rejects its token or id/);
  await expect(peer('c', ports[2]!, [ports[0]!], { token: 'open sesame' }).connect()).rejects.toThrow(/its id is not allowed/);
  expect([...a.peers]).toEqual(['b']);
});

test('a peer with different rules ends only itself: the others warn and stay', async () => {
  const warn = quiet();
  const ports = await portsOf(3);
  const [a, b] = ['a', 'b'].map((id, i) => peer(id, ports[i]!, ports));
  await Promise.all([a!.connect(), b!.connect()]);
  await expect.poll(() => a!.peers.size).toBe(1);
  const wrong = peer('c', ports[2]!, ports, { ids: ['c'] });
  await wrong.connect();
  await expect.poll(() => warn.mock.calls.join(), { timeout: 15_000 }).toMatch(/"c" reports: its id is not allowed here/);
  expect([a!, b!].map(({ isClosed, peers }) => [isClosed, peers.size])).toEqual([
    [false, 1],
    [false, 1],
  ]);
});

test('a dialed peer must show a token: without one it is not linked', async () => {
  const warn = quiet();
  const ports = await portsOf(2);
  const a = peer('a', ports[0]!, [ports[1]!], {
    ids: ['a', 'b'],
    admit: ({ token }) => token === 'open sesame',
    token: 'open sesame',
  });
  // It admits every peer, has a valid token, and sends it only to peers that it has asked for theirs.
  const liar = peer('b', ports[1]!, [], { token: 'open sesame' });
  const seen = log(a);
  await Promise.all([liar.connect(), a.connect()]);
  const notified = () => warn.mock.calls.join();
  await expect.poll(notified).toContain('"b" answers there, and it is not admitted: admit rejects its token or id');
  expect([seen, [...a.peers]]).toEqual([[], []]);
});

test('frames wait in order while admit decides; if it fails, it is called again', async () => {
  quiet();
  const ports = await portsOf(2);
  let asked = 0;
  const admit: WebSocketMeshOptions['admit'] = async ({ id, token, request }) => {
    await new Promise((resolve) => setTimeout(resolve, 100));
    if (asked++ === 0) throw new Error('the user base is away');
    return id === 'b' && token === 'of b' && request.socket.remotePort === ports[1];
  };
  const b = peer('b', ports[1]!, [], { token: 'of b', admit: ({ token }) => token === 'of a' });
  b.events.subscribe((event) => {
    if (event.type === 'up') for (let i = 0; i < 3; i++) b.send('a', i);
  });
  const a = peer('a', ports[0]!, [ports[1]!], { token: 'of a', admit });
  const seen = log(a);
  await Promise.all([b.connect(), a.connect()]);
  await expect.poll(() => seen).toEqual(['up b', 'b: 0', 'b: 1', 'b: 2']);
  expect(asked).toBe(2);
});

test('over TLS, with the certificates of both ends checked', async () => {
  const ports = await portsOf(2);
  const tls = { key, cert, ca: cert, requestCert: true, rejectUnauthorized: true };
  const asked: string[] = [];
  const peers = ['a', 'b'].map((id, i) =>
    peer(id, 0, [], {
      listen: { port: ports[i]!, tls },
      tls: { key, cert, ca: cert },
      peers: ports.map((port) => url(port, 'wss')),
      admit: ({ request }) => (request.socket as TLSSocket).getPeerCertificate().subject.CN === 'localhost' && asked.push(id) > 0,
    }),
  );
  const seen = log(peers[1]!);
  await Promise.all(peers.map((each) => each.connect()));
  await expect.poll(() => seen).toEqual(['up a']);
  peers[0]!.send('b', 'in private');
  await expect.poll(() => seen).toEqual(['up a', 'a: "in private"']);
  expect(asked).toEqual(expect.arrayContaining(['a', 'b']));
});

test('a port in use rejects with a ConnectionError that names it', async () => {
  const taken = net.createServer().listen(0, '127.0.0.1');
  await once(taken, 'listening');
  onTestFinished(() => void taken.close());
  const a = peer('a', (taken.address() as net.AddressInfo).port, []);
  await expect(a.connect()).rejects.toMatchObject({ name: 'ConnectionError', message: expect.stringContaining('cannot listen') });
});

test('locks on a mesh: any process may end without blocking the others', async () => {
  const ports = await portsOf(3);
  const ids = ['a', 'b', 'c'];
  const transports = ids.map((id, i) => linked(peer(id, ports[i]!, ports), { peers: ids, beatMs: 20, patience: 15 }));
  const all = transports.map((transport) => createLocks({ transport, peers: ids }));
  await Promise.all(all.map(({ ready }) => ready));
  const fences: number[] = [];
  for (const locks of all) await locks.request('x', ({ fence }) => void fences.push(fence));
  await transports[0]!.close();
  for (const locks of all.slice(1)) await locks.request('x', ({ fence }) => void fences.push(fence));
  expect(fences).toEqual(fences.toSorted((x, y) => x - y));
  expect(fences).toHaveLength(5);
  await Promise.all(transports.map((transport) => transport.close()));
});

const quiet = () => {
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
  onTestFinished(() => warn.mockRestore());
  return warn;
};

test('an invalid address is refused; one that was found is skipped with a warning', async () => {
  const [port, other] = await portsOf(2);
  const listen = { port: port! };
  expect(() => webSocketMesh({ id: 'a', listen, peers: ['10.0.0.2:7000'] })).toThrow(
    /10.0.0.2:7000 is not an address of a WebSocket/,
  );
  const warn = quiet();
  const a = peer('a', port!, [], { peers: async () => ['10.0.0.2:7000', url(other!)] });
  const b = peer('b', other!, []);
  await Promise.all([b.connect(), a.connect()]);
  await expect.poll(() => [...a.peers]).toEqual(['b']);
  expect(warn.mock.calls.join()).toContain('peer "a" does not try an address that was found: 10.0.0.2:7000 is not an address');
});

test.each<[string, WebSocketMeshOptions['token'] & {}]>([
  ['rejects', () => Promise.reject(new Error('the vault is sealed'))],
  [
    'throws',
    () => {
      throw new Error('the vault is sealed');
    },
  ],
  ['returns no text', () => 7 as never],
])('a token function that %s ends no process, and the peer retries with a warning', async (_, failing) => {
  const warn = quiet();
  const ports = await portsOf(2);
  let isOpen = false;
  const token = () => (isOpen ? 'open sesame' : (failing as () => string)());
  const b = peer('b', ports[1]!, [], { admit: ({ token: shown }) => shown === 'open sesame' });
  const a = peer('a', ports[0]!, [ports[1]!], { token });
  await Promise.all([a.connect(), b.connect()]);
  expect(warn.mock.calls.join()).toMatch(/peer "a" has no token to send and will retry: the (vault is sealed|token of peer)/);
  isOpen = true;
  await expect.poll(() => a.peers.size).toBe(1);
});

test('a search for addresses that never settles is repeated, and does not block peers', async () => {
  const ports = await portsOf(2);
  let asked = 0;
  const search = () => (asked++ === 0 ? new Promise<string[]>(() => {}) : Promise.resolve([url(ports[1]!)]));
  const clock = faster(10);
  const a = peer('a', ports[0]!, [], { peers: search, clock });
  const begin = performance.now();
  await a.connect();
  expect(performance.now() - begin).toBeLessThan(3_000);
  await peer('b', ports[1]!, [], { clock }).connect();
  await expect.poll(() => a.peers.size).toBe(1);
});

test('wrong or missing certificates cause warnings and end no process', async () => {
  const warn = quiet();
  const ports = await portsOf(3);
  const b = peer('b', ports[1]!, [], { listen: { port: ports[1]!, tls: { key, cert } } });
  const trusting = peer('a', ports[0]!, [], { peers: [url(ports[1]!, 'wss')] });
  const garbled = peer('c', ports[2]!, [], { peers: [url(ports[1]!, 'wss')], tls: { ca: cert, key, cert: 'no certificate' } });
  await Promise.all([trusting.connect(), garbled.connect(), b.connect()]);
  const notified = () => warn.mock.calls.map(([text]) => String(text));
  await expect.poll(() => notified().filter((text) => text.includes('cannot reach')).length).toBe(2);
  expect(notified().find((text) => text.startsWith('peer "a"'))).toMatch(/will retry: self.signed certificate/);
  expect(notified().find((text) => text.startsWith('peer "c"'))).toMatch(/will retry: .*(PEM|asn1|no start line|bad end line)/i);
  expect([trusting.peers.size, garbled.peers.size, b.peers.size]).toEqual([0, 0, 0]);
});

test('unread data of a dialed peer is limited, and its sender is notified of down', async () => {
  const ports = await portsOf(2);
  const b = peer('b', ports[1]!, []);
  await b.connect();
  const a = peer('a', ports[0]!, [ports[1]!], { listen: { port: ports[0]!, limits: { backlogBytes: 2 ** 20 } } });
  const seen = log(a);
  await a.connect();
  expect(seen).toEqual(['up b']);
  let sent = 0;
  // All at once: the other end is in this process and reads nothing meanwhile.
  for (; sent < 100 && seen.length < 2; sent++) {
    a.send('b', 'x'.repeat(500_000));
    if (sent % 20 === 19) await new Promise((resolve) => setImmediate(resolve));
  }
  await expect.poll(() => seen.slice(0, 2)).toEqual(['up b', 'down b']);
  expect(sent).toBeLessThan(50);
});
