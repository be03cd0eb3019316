/**
 * A peer stalls behind a connection that does not report it: a pulled cable, or a hanging thread. On every medium, the other end is
 * notified within the patience of the detector, and stores no more for it than the documented limit.
 */
import { connect } from '@nats-io/transport-node';
import { connectAsync } from 'mqtt';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { WebSocket } from 'ws';
import { linked } from './linked.js';
import { broadcastChannel } from './transports/broadcast-channel.js';
import { channelCable, portCable, tcpCable, type Cable } from './transports/cable.fixture.js';
import { createTransport } from './transports/driver.js';
import { MessagePortHub, messagePort } from './transports/message-port.js';
import { mqtt } from './transports/mqtt.js';
import { nats } from './transports/nats.js';
import { freePort, hasCommand } from '../testing/servers.js';
import { mosquitto, natsServer } from './transports/servers.fixture.js';
import type { Transport } from './transports/transport.js';
import { webSocketHub } from './transports/web-socket-hub.js';
import { webSocketMesh } from './transports/web-socket-mesh.js';
import { webSocket } from './transports/web-socket.js';

interface Pair extends Cable {
  readonly a: Transport;
  /** Behind the cable. */
  readonly b: Transport;
}

const url = (port: number) => `ws://127.0.0.1:${port}`;

async function hub(): Promise<Pair> {
  const between = await webSocketHub({ port: 0 });
  onTestFinished(() => between.close());
  const cable = await tcpCable(between.port);
  const at = (id: string, port: number) => webSocket({ id, url: url(port), WebSocket });
  return { a: at('a', between.port), b: at('b', cable.port), pull: cable.pull };
}

async function mesh(): Promise<Pair> {
  const [portA, portB] = [await freePort(), await freePort()];
  const cable = await tcpCable(portB);
  const at = (id: string, port: number, peers: string[]) => webSocketMesh({ id, listen: { port }, peers });
  return { a: at('a', portA, [url(cable.port)]), b: at('b', portB, []), pull: cable.pull };
}

/** The client's own watch over its connection, as docs/transports.md has it. */
async function overNats(): Promise<Pair> {
  const server = await natsServer();
  onTestFinished(() => server.kill());
  const cable = await tcpCable(server.port);
  const lasting = { maxReconnectAttempts: -1, reconnectTimeWait: 100, pingInterval: 500, maxPingOut: 2 };
  const at = (id: string, port: number) =>
    nats({ id, connection: () => connect({ servers: `127.0.0.1:${port}`, ignoreClusterUpdates: true, ...lasting }) });
  return { a: at('a', server.port), b: at('b', cable.port), pull: cable.pull };
}

async function overMqtt(): Promise<Pair> {
  const server = await mosquitto();
  onTestFinished(() => server.kill());
  const cable = await tcpCable(server.port);
  const lasting = { keepalive: 1, reconnectPeriod: 100 };
  const at = (id: string, port: number) => mqtt({ id, connection: () => connectAsync(`mqtt://127.0.0.1:${port}`, lasting) });
  return { a: at('a', server.port), b: at('b', cable.port), pull: cable.pull };
}

async function ports(): Promise<Pair> {
  const between = new MessagePortHub();
  const [straight, cable] = [new MessageChannel(), portCable()];
  between.attach(straight.port1);
  between.attach(cable.near as never);
  return {
    a: messagePort(straight.port2, { id: 'a' }),
    b: messagePort(cable.far as never, { id: 'b' }),
    pull: cable.pull,
  };
}

async function channels(): Promise<Pair> {
  const [near, far] = [`near ${Math.random()}`, `far ${Math.random()}`];
  const { pull } = channelCable(near, far);
  return { a: broadcastChannel({ id: 'a', channel: near }), b: broadcastChannel({ id: 'b', channel: far }), pull };
}

/** `comesBack`: the medium makes a new connection by itself, and the peers meet again on it. */
const media: [name: string, open: () => Promise<Pair>, comesBack: boolean][] = [
  ['a WebSocket hub', hub, true],
  ['a mesh', mesh, true],
  ['MessagePorts', ports, false],
  ['a BroadcastChannel', channels, false],
];
if (hasCommand('nats-server')) media.push(['NATS', overNats, true]);
if (hasCommand('mosquitto')) media.push(['MQTT', overMqtt, true]);

const peers = ['a', 'b'];
/** Half a second. */
const patient = { beatMs: 20, patience: 25 };

/** The same transport, with the bytes counted that it is given to send. */
function counted(inner: Transport, given: { bytes: number }): Transport {
  return createTransport(inner.id, inner.guarantees, async (medium) => {
    inner.events.subscribe((event) => {
      if (event.type === 'message') medium.received(event.from, event.message);
      else if (event.type === 'up' || event.type === 'down') medium[event.type](event.peer);
    });
    await inner.connect();
    medium.opened({
      send: (to, message, text) => {
        given.bytes += text.length;
        inner.send(to, message);
      },
      close: () => inner.close(),
    });
  });
}

async function met(open: () => Promise<Pair>) {
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
  onTestFinished(() => warn.mockRestore());
  const pair = await open();
  const given = { bytes: 0 };
  const [a, b] = [linked(counted(pair.a, given), { peers, ...patient }), linked(pair.b, { peers, ...patient })];
  const [notified, arrived]: [string[], unknown[]] = [[], []];
  a.events.subscribe((event) => 'peer' in event && notified.push(event.type));
  b.events.subscribe((event) => event.type === 'message' && arrived.push(event.message));
  await Promise.all([a.connect(), b.connect()]);
  onTestFinished(() => Promise.all([a.close(), b.close()]).then(() => {}));
  await expect.poll(() => [a.peers.size, b.peers.size]).toEqual([1, 1]);
  notified.length = 0;
  return { a, b, notified, arrived, given, pull: pair.pull };
}

describe.each(media)('over %s', (_, open, comesBack) => {
  test('it is found within the patience, and met again on a new connection', async () => {
    const { a, notified, arrived, pull } = await met(open);
    pull();
    const begin = performance.now();
    await expect.poll(() => notified[0], { interval: 10 }).toBe('down');
    expect(performance.now() - begin).toBeLessThan(1_500);
    if (!comesBack) return;
    await expect.poll(() => notified.at(-1)).toBe('up');
    await expect.poll(() => (a.send('b', 'again'), arrived.includes('again'))).toBe(true);
  });

  test('messages to it are limited, and their sender receives an error', async () => {
    const { a, notified, given, pull } = await met(open);
    pull();
    given.bytes = 0;
    let sent = 0;
    const refused: unknown[] = [];
    // On a slow machine the detector may come first.
    for (; notified.length + refused.length === 0 && sent < 200; sent++) {
      try {
        a.send('b', 'x'.repeat(1_000_000));
      } catch (error) {
        refused.push(error);
      }
      await new Promise((resolve) => setImmediate(resolve));
    }
    for (const error of refused) expect(error).toMatchObject({ name: 'BackpressureError', peer: 'b' });
    await expect.poll(() => notified[0]).toBe('down');
    // 32 MiB wait at the sender, and the medium has at most its limit twice.
    expect(sent).toBeLessThanOrEqual(36);
    expect(given.bytes).toBeLessThan(16 * 2 ** 20);
  });
});
