/** Connections of a mesh: warnings about failed ones, their cleanup, and the choice between two. Real sockets. */
import { expect, onTestFinished, test, vi } from 'vitest';
import { WebSocketServer } from 'ws';
import { freePort } from '../../testing/servers.js';
import { faster } from './clock.fixture.js';
import {
  isDialing,
  isOfBefore,
  unexpected,
  unreportedReason,
  whatIsMissing,
  type MeshContact,
  type PeerAddress,
} from './mesh-contact.js';
import { webSocketMesh, type WebSocketMeshOptions } from './web-socket-mesh.js';

const clock = faster(50);
const portsOf = (count: number) => Promise.all(Array.from({ length: count }, () => freePort()));

function peer(id: string, port: number, ports: readonly number[], others: Partial<WebSocketMeshOptions> = {}) {
  const peers = ports.map((other) => `ws://127.0.0.1:${other}`);
  const transport = webSocketMesh({ id, listen: { port, clock }, peers, clock, ...others });
  onTestFinished(() => transport.close());
  return transport;
}

const quiet = () => {
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
  onTestFinished(() => warn.mockRestore());
  return () => warn.mock.calls.join('\n');
};

test('a rule that never answers is reported at its deadline, at both ends', async () => {
  const notified = quiet();
  const never = { admit: () => new Promise<boolean>(() => {}) };
  const ports = await portsOf(3);
  const [a, b, c] = [
    peer('a', ports[0]!, [], never),
    peer('b', ports[1]!, [ports[0]!]),
    peer('c', ports[2]!, [ports[1]!], never),
  ];
  await Promise.all([a.connect(), b.connect(), c.connect()]);
  const late = (id: string) => `admit has not settled for "${id}" within 5000 ms, so the peer is refused for now`;
  await expect.poll(notified).toContain(`peer "a" does not admit "b": ${late('b')}`);
  await expect.poll(notified).toContain(`peer "c" does not admit "b": ${late('b')}`);
  await expect
    .poll(notified, { timeout: 5_000 })
    .toMatch(
      /peer "b" cannot reach .*"a" (reports: this peer cannot decide now whom to admit|answers there, but has not admitted or refused)/,
    );
});

test('closing a peer while it connects frees its port', async () => {
  const [port] = await portsOf(1);
  const first = webSocketMesh({ id: 'a', listen: { port: port! }, peers: [] });
  const connecting = first.connect().catch((error: Error) => error);
  await first.close();
  expect(await connecting).toMatchObject({ name: 'ClosedError' });
  await peer('a', port!, []).connect();
});

test.each([
  ['a welcome without a proof', { type: 'welcome' }, 'the welcome of "s" has undefined as its proof, which is not a text'],
  ['no frame', null, '"s" closed the connection before it admitted this peer'],
  ['an unknown frame', { type: 'hurrah' }, 'a frame of the type hurrah is not expected there from a mesh peer'],
])('the answer of a dialed peer is reported: %s', async (_, answer, why) => {
  const notified = quiet();
  const [port] = await portsOf(1);
  const server = new WebSocketServer({ port: port!, host: '127.0.0.1' });
  onTestFinished(() => {
    for (const socket of server.clients) socket.terminate();
    server.close();
  });
  server.on('connection', (socket) => {
    socket.send('{"type":"mesh","id":"s","run":"r"}');
    socket.on('message', () => (answer ? socket.send(JSON.stringify(answer)) : socket.close()));
  });
  await peer('a', await freePort(), [port!]).connect();
  await expect.poll(notified, { timeout: 5_000 }).toContain(`and will retry: ${why}`);
});

test('an address is reported once for each reason: unreachable, then not a mesh peer', async () => {
  const notified = quiet();
  const [own, other] = await portsOf(2);
  const a = peer('a', own!, [other!]);
  await a.connect();
  await vi.waitFor(() => expect(notified()).toMatch(/cannot reach .*ECONNREFUSED/), 10_000);
  const server = new WebSocketServer({ port: other!, host: '127.0.0.1' });
  onTestFinished(() => server.close());
  server.on('connection', (socket) => socket.send('{"type":"hello"}'));
  await vi.waitFor(
    () => expect(notified()).toMatch(/cannot reach .*a frame of the type hello is not expected there from a mesh peer/),
    10_000,
  );
  await new Promise((resolve) => setTimeout(resolve, 500));
  expect(notified().split('\n')).toHaveLength(2);
});

const address = (tried: Partial<PeerAddress> = {}): PeerAddress => ({
  url: 'ws://there',
  peer: null,
  failures: 4,
  why: '',
  reported: new Set(),
  state: 'pausing',
  ...tried,
});
const contact = (known: Partial<MeshContact>) => ({ address: address(), id: 'b', ...known }) as MeshContact;

test('three failed attempts cause no warning, the fourth does', () => {
  expect(unreportedReason(address({ failures: 3, why: 'connection refused' }))).toBe(null);
  expect(unreportedReason(address({ failures: 4, why: 'connection refused' }))).toBe('connection refused');
});

test('a connection that ended without a reason is reported as closed', () => {
  expect(unreportedReason(address())).toBe('the connection was closed');
});

test('each reason is reported once, and at most eight for one address', () => {
  const reported = new Set<string>();
  const of = (why: string) => unreportedReason(address({ why, reported }));
  const reasons = Array.from({ length: 9 }, (_, i) => `reason ${i}`);
  expect([...reasons.map(of), of('reason 0')]).toEqual([...reasons.slice(0, 8), null, null]);
});

test.each(['asking', 'welcomed'] as const)('a dialed peer counts as connecting while it is %s', (state) => {
  expect(isDialing(contact({ state }), 'b')).toBe(true);
});

test.each([
  ['has not sent its id', { state: 'new' }],
  ['is a peer by now', { state: 'up' }],
  ['has gone', { state: 'gone' }],
  ['has dialed this peer itself', { state: 'asking', address: null }],
  ['has another id', { state: 'asking', id: 'c' }],
] as const)('a peer does not count as connecting if it %s', (_, known) => {
  expect(isDialing(contact(known), 'b')).toBe(false);
});

test("a hello on a connection older than the holder's was already dropped by its end", () => {
  expect(isOfBefore(contact({ begun: 4 }), contact({ upSince: 5 }))).toBe(true);
});

test.each([
  ['after the one that was dialed from here became a peer', 6, {}],
  ['before a connection that its own end had made became a peer', 4, { address: null }],
] as const)('a hello counts if its connection was made %s', (_, begun, holder) => {
  expect(isOfBefore(contact({ begun }), contact({ upSince: 5, ...holder }))).toBe(false);
});

test('a silent dialed end is not a mesh peer; after its hello the answer is missing', () => {
  expect(whatIsMissing(contact({ state: 'new' }))).toBe('no mesh peer answers there');
  expect(whatIsMissing(contact({ state: 'asking' }))).toBe('"b" answers there, but has not admitted or refused this peer');
});

test('an unexpected welcome is reported', () => {
  const warned = 'a frame of the type welcome is not expected there from a mesh peer';
  expect(unexpected(contact({ state: 'new' }), { type: 'welcome', proof: 'x' })).toBe(warned);
});
