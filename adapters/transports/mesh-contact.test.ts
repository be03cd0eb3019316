/** Connections of a mesh that come to nothing: what is told of them, and that nothing of them stays. Real sockets. */
import { expect, onTestFinished, test, vi } from 'vitest';
import { WebSocketServer } from 'ws';
import { freePort } from '../../bench/servers.js';
import { faster } from './clock.fixture.js';
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

test('a rule that never answers is named at the peer that asks it, as soon as the time for it is over, and the other end hears of it', async () => {
  const told = quiet();
  const never = { admit: () => new Promise<boolean>(() => {}) };
  const ports = await portsOf(3);
  const [a, b, c] = [
    peer('a', ports[0]!, [], never),
    peer('b', ports[1]!, [ports[0]!]),
    peer('c', ports[2]!, [ports[1]!], never),
  ];
  await Promise.all([a.connect(), b.connect(), c.connect()]);
  const late = (id: string) => `admit has not answered for "${id}" within 5000 ms, which counts as no for now`;
  await expect.poll(told).toContain(`peer "a" does not let "b" in: ${late('b')}`);
  await expect.poll(told).toContain(`peer "c" does not let "b" in: ${late('b')}`);
  await expect
    .poll(told, { timeout: 5_000 })
    .toMatch(
      /peer "b" cannot reach .*"a" (says: this peer cannot say now who|answers there, and has not said whether this peer) may come in/,
    );
});

test('a peer that is closed as soon as it connects leaves its port free', async () => {
  const [port] = await portsOf(1);
  const first = webSocketMesh({ id: 'a', listen: { port: port! }, peers: [] });
  const connecting = first.connect().catch((error: Error) => error);
  await first.close();
  expect(await connecting).toMatchObject({ name: 'ClosedError' });
  await peer('a', port!, []).connect();
});

test.each([
  ['a welcome without a proof', { type: 'welcome' }, 'the welcome of "s" has undefined as its proof, and no text'],
  ['no word', null, '"s" closed the connection before it let this peer in'],
  ['what nobody says there', { type: 'hurrah' }, 'a frame of the type hurrah is not what a peer of a mesh says there'],
])('who is dialled and answers a hello with %s is told of by what it said', async (_, answer, why) => {
  const told = quiet();
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
  await expect.poll(told, { timeout: 5_000 }).toContain(`and goes on trying: ${why}`);
});

test('an address is warned of once for each reason: nobody there at first, somebody who is no peer afterwards', async () => {
  const told = quiet();
  const [own, other] = await portsOf(2);
  const a = peer('a', own!, [other!]);
  await a.connect();
  await vi.waitFor(() => expect(told()).toMatch(/cannot reach .*ECONNREFUSED/), 10_000);
  const server = new WebSocketServer({ port: other!, host: '127.0.0.1' });
  onTestFinished(() => server.close());
  server.on('connection', (socket) => socket.send('{"type":"hello"}'));
  await vi.waitFor(
    () => expect(told()).toMatch(/cannot reach .*a frame of the type hello is not what a peer of a mesh says there/),
    10_000,
  );
  await new Promise((resolve) => setTimeout(resolve, 500));
  expect(told().split('\n')).toHaveLength(2);
});
