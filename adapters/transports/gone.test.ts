/** Each transport reports a peer whose process has ended. The link layer accepts the report only after some silence. */
import { once } from 'node:events';
import { connect as connectNats } from '@nats-io/transport-node';
import { Aedes } from 'aedes';
import { connectAsync } from 'mqtt';
import net, { type AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { beats, byWay, pair } from '../linked.fixture.js';
import { freePort, hasCommand } from '../../testing/servers.js';
import { faster } from './clock.fixture.js';
import { Hub, type Line, type LineListener } from './hub.js';
import { mqtt } from './mqtt.js';
import { nats } from './nats.js';
import { natsServer } from './servers.fixture.js';
import type { Transport } from './transport.js';
import { webSocketHub } from './web-socket-hub.js';
import { webSocketMesh } from './web-socket-mesh.js';
import { webSocket } from './web-socket.js';

/** Events that it reports about its peers. */
function reportsOf(transport: Transport): string[] {
  const reports: string[] = [];
  transport.events.subscribe((event) => 'peer' in event && reports.push(`${event.peer} ${event.type}`));
  onTestFinished(() => transport.close());
  return reports;
}

test('after a report the link goes down in two heartbeats, and reports gone', async () => {
  const { wire, ends, time, receivedA } = await pair();
  wire.isCut = () => true;
  ends.get('a')!.down('b');
  ends.get('a')!.gone('b');
  await beats(time, 2);
  expect(receivedA).toEqual(['b up', 'b down', 'b gone']);
});

test('without a report it waits until its patience is over', async () => {
  const { wire, ends, time, receivedA } = await pair();
  wire.isCut = () => true;
  ends.get('a')!.down('b');
  await beats(time, 20);
  expect(receivedA).toEqual(['b up']);
  await beats(time, 15);
  expect(receivedA).toEqual(['b up', 'b down']);
});

test('a report about a run that returned after an earlier report is ignored', async () => {
  const { wire, ends, time, receivedA } = await pair();
  const report = () => {
    wire.isCut = () => true;
    ends.get('a')!.down('b');
    ends.get('a')!.gone('b');
  };
  report();
  await beats(time, 5);
  wire.isCut = () => false;
  ends.get('a')!.up('b');
  await beats(time, 5);
  const known = ['b up', 'b down', 'b gone', 'b up'];
  expect(receivedA).toEqual(known);
  report();
  await beats(time, 20);
  expect(receivedA).toEqual(known);
  await beats(time, 15);
  expect(receivedA).toEqual([...known, 'b down']);
});

test('a report about a peer that still sends changes nothing', async () => {
  const { ends, time, receivedA, receivedB } = await pair();
  for (let i = 0; i < 20; i++) {
    for (const [end, peer] of ['ab', 'ba']) {
      ends.get(end!)!.down(peer!);
      ends.get(end!)!.gone(peer!);
    }
    await beats(time, 1, 70);
  }
  expect([receivedA, receivedB]).toEqual([['b up'], ['a up']]);
});

test('a report about a peer that a third one still reaches changes nothing', async () => {
  const { wire, ends, time, receivedA, receivedC, b } = await byWay();
  wire.isCut = () => false;
  await beats(time, 40);
  // The connection between a and c breaks, and the address of each is closed for the other.
  wire.isCut = (from, to) => from + to === 'ac' || from + to === 'ca';
  for (const [end, peer] of ['ac', 'ca']) {
    ends.get(end!)!.down(peer!);
    ends.get(end!)!.gone(peer!);
  }
  await beats(time, 40);
  expect([receivedA.filter((what) => what.endsWith('down')), receivedC.filter((what) => what.endsWith('down'))]).toEqual([
    [],
    [],
  ]);
  expect(b.peers.size).toBe(2);
});

const tcpOf = (socket: WebSocket) => (socket as unknown as { _socket: net.Socket })._socket;
/** Port from which the socket has dialed. */
const portOf = (socket: WebSocket) => tcpOf(socket).localPort;

/** A mesh peer that only admits others. */
async function meshPeer(id: string) {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
  onTestFinished(() => {
    server.close();
  });
  await once(server, 'listening');
  server.on('connection', (socket) => {
    socket.send(JSON.stringify({ type: 'mesh', id, run: 'r' }));
    socket.on('message', (data) => {
      if (JSON.parse(String(data)).type === 'hello') socket.send(JSON.stringify({ type: 'welcome', proof: 'p', direct: true }));
    });
  });
  const hangUp = () => server.clients.forEach((socket) => socket.terminate());
  return { url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}`, server, hangUp };
}

test('a mesh reports a peer whose connection closed and whose address refuses another', async () => {
  const { url, server, hangUp } = await meshPeer('b');
  const a = webSocketMesh({ id: 'a', listen: { port: 0 }, peers: [url] });
  const reports = reportsOf(a);
  await a.connect();
  await expect.poll(() => reports).toEqual(['b up']);
  server.close();
  hangUp();
  await expect.poll(() => reports).toEqual(['b up', 'b down', 'b gone']);
});

test('and not a peer that accepts connections again, or has sent goodbye', async () => {
  const { url, server, hangUp } = await meshPeer('b');
  const a = webSocketMesh({ id: 'a', listen: { port: 0 }, peers: [url] });
  const reports = reportsOf(a);
  await a.connect();
  await expect.poll(() => reports).toEqual(['b up']);
  hangUp();
  await expect.poll(() => reports).toEqual(['b up', 'b down', 'b up']);
  server.close();
  for (const socket of server.clients) socket.send('{"type":"bye"}');
  await new Promise((resolve) => setTimeout(resolve, 400));
  expect(reports).toEqual(['b up', 'b down', 'b up', 'b down']);
});

test('a mesh reports a peer that dialed in and does not return', async () => {
  const port = await freePort();
  const a = webSocketMesh({ id: 'a', listen: { port }, peers: [] });
  const reports = reportsOf(a);
  await a.connect();
  const raw = new WebSocket(`ws://127.0.0.1:${port}`);
  raw.once('message', () => raw.send(JSON.stringify({ type: 'hello', id: 'x', key: 'k', port: portOf(raw) })));
  await expect.poll(() => reports).toEqual(['x up']);
  // A system resets a connection with unread data.
  await once(raw, 'message');
  raw.terminate();
  await expect.poll(() => reports).toEqual(['x up', 'x down', 'x gone']);
});

test.each<[string, (raw: WebSocket) => void, number | undefined, boolean]>([
  ['by the system', (raw) => raw.terminate(), 0, true],
  ['by a reset of the system', (raw) => tcpOf(raw).resetAndDestroy(), 0, true],
  ['by the peer', (raw) => raw.close(), 0, false],
  ['by a proxy', (raw) => raw.terminate(), 1, false],
  ['without a known port', (raw) => raw.terminate(), undefined, false],
])('a hub decides whether a process has ended if its connection was closed %s', async (_, end, offset, hasCrashed) => {
  const hub = await webSocketHub({ port: 0 });
  onTestFinished(() => hub.close());
  const comes = async (id: string, shift: number | undefined) => {
    const raw = new WebSocket(`ws://127.0.0.1:${hub.port}`);
    const frames: unknown[] = [];
    raw.on('message', (data) => frames.push(JSON.parse(String(data))));
    await once(raw, 'open');
    raw.send(JSON.stringify({ type: 'hello', id, key: id, ...(shift !== undefined && { port: portOf(raw)! + shift }) }));
    await expect.poll(() => frames).toContainEqual({ type: 'ping' });
    return { raw, frames };
  };
  const { frames } = await comes('a', 0);
  const { raw } = await comes('b', offset);
  end(raw);
  await expect.poll(() => frames).toContainEqual({ type: 'down', peer: 'b', ...(hasCrashed && { broken: true }) });
});

test('a hub reports the peer whose line has broken', () => {
  const hub = new Hub();
  const got: unknown[] = [];
  const line = (send: (text: string) => void): Line & { listener?: LineListener } => ({
    send,
    close: () => {},
    listen(listener) {
      this.listener = listener;
    },
  });
  const [a, b] = [line((text) => got.push(JSON.parse(text))), line(() => {})];
  for (const [id, each] of Object.entries({ a, b })) {
    hub.attach(each);
    each.listener!.frame(JSON.stringify({ type: 'hello', id, key: id }));
  }
  b.listener!.closed();
  expect(got.at(-1)).toEqual({ type: 'down', peer: 'b', broken: true });
});

test('a peer reports a broken line of another one unless it returns', async () => {
  const hub = await webSocketHub({ port: 0 });
  onTestFinished(() => hub.close());
  const url = `ws://127.0.0.1:${hub.port}`;
  // Its 200 ms last two seconds here, which suffices on a busy machine.
  const a = webSocket({ id: 'a', url, WebSocket: WebSocket as never, clock: faster(0.1) });
  const reports = reportsOf(a);
  await a.connect();
  const comes = async () => {
    const raw = new WebSocket(url);
    await once(raw, 'open');
    raw.send(JSON.stringify({ type: 'hello', id: 'b', key: 'k', port: portOf(raw) }));
    return raw;
  };
  const first = await comes();
  await expect.poll(() => reports).toEqual(['b up']);
  first.terminate();
  await expect.poll(() => reports).toEqual(['b up', 'b down']);
  const second = await comes();
  await new Promise((resolve) => setTimeout(resolve, 2_500));
  expect(reports).toEqual(['b up', 'b down', 'b up']);
  second.terminate();
  await expect.poll(() => reports.slice(3), { timeout: 10_000 }).toEqual(['b down', 'b gone']);
});

test('an MQTT peer reports another one after its last will', async () => {
  const broker = await Aedes.createBroker();
  const server = net.createServer(broker.handle).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
    broker.close();
  });
  const url = `mqtt://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const [a, b] = ['a', 'b'].map((id) =>
    mqtt({ id, connection: (lastWill) => connectAsync(url, { ...lastWill, reconnectPeriod: 0 }) }),
  ) as [Transport, Transport];
  const reports = reportsOf(a);
  await Promise.all([a.connect(), b.connect()]);
  a.send('b', 'hello');
  // It closes its connection without a goodbye.
  await b.close();
  await expect.poll(() => reports, { timeout: 5_000 }).toEqual(['b gone']);
});

test.skipIf(!hasCommand('a NATS peer reports another one that stops listening'))(
  'a NATS peer reports another one that listens no more',
  async () => {
    const { port, kill } = await natsServer();
    onTestFinished(kill);
    const [a, b] = ['a', 'b'].map((id) => nats({ id, connection: () => connectNats({ port }) })) as [Transport, Transport];
    const reports = reportsOf(a);
    await Promise.all([a.connect(), b.connect()]);
    a.send('b', 'hello');
    b.send('a', 'hello');
    const beat = setInterval(() => a.send('b', 'there?'), 100);
    onTestFinished(() => clearInterval(beat));
    await new Promise((resolve) => setTimeout(resolve, 800));
    expect(reports).toEqual([]);
    await b.close();
    await expect.poll(() => reports, { timeout: 5_000 }).toEqual(['b gone']);
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect(reports).toEqual(['b gone']);
  },
);
