/** The cost of four closed connections, for one and a half seconds each, to a holder that stays alive, over each transport. */
import { once } from 'node:events';
import net, { type AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { connect as connectNats } from '@nats-io/transport-node';
import { Aedes } from 'aedes';
import { connectAsync } from 'mqtt';
import { expect, onTestFinished, test, vi } from 'vitest';
import { WebSocket } from 'ws';
import { freePort, hasCommand } from '../../testing/servers.js';
import { linked } from '../linked.js';
import { breakable, type Breakable } from '../transports/cable.fixture.js';
import { mqtt } from '../transports/mqtt.js';
import { nats } from '../transports/nats.js';
import { natsServer } from '../transports/servers.fixture.js';
import type { Transport } from '../transports/transport.js';
import { webSocketHub } from '../transports/web-socket-hub.js';
import { webSocketMesh } from '../transports/web-socket-mesh.js';
import { webSocket } from '../transports/web-socket.js';
import { createLocks } from './locks.js';

const VOTERS = ['a', 'b', 'c'];
const CUT_MS = 1_500;
const REST_MS = 1_000;

/** Each medium with the transports of its voters, and the proxies through which all frames of `a` pass. */
type Medium = () => Promise<{ readonly cables: readonly Breakable[]; readonly open: (id: string) => Transport }>;

const hub: Medium = async () => {
  const server = await webSocketHub({ port: 0 });
  onTestFinished(() => server.close());
  const cable = await breakable(server.port);
  const open = (id: string) =>
    webSocket({ id, url: `ws://127.0.0.1:${id === 'a' ? cable.port : server.port}`, WebSocket: WebSocket as never });
  return { cables: [cable], open };
};

const mesh: Medium = async () => {
  const ports = Object.fromEntries(await Promise.all(VOTERS.map(async (id) => [id, await freePort()] as const)));
  const cables = Object.fromEntries(await Promise.all(VOTERS.map(async (id) => [id, await breakable(ports[id]!)] as const)));
  // All frames from and to `a` pass through a proxy.
  const portOf = (from: string, to: string) => (from === 'a' || to === 'a' ? cables[to]!.port : ports[to]);
  const open = (id: string) => {
    const peers = VOTERS.filter((other) => other !== id).map((other) => `ws://127.0.0.1:${portOf(id, other)}`);
    return webSocketMesh({ id, listen: { port: ports[id]! }, peers });
  };
  return { cables: Object.values(cables), open };
};

const overNats: Medium = async () => {
  const { port, kill } = await natsServer();
  onTestFinished(kill);
  const cable = await breakable(port);
  const options = { maxReconnectAttempts: -1, reconnectTimeWait: 250 };
  const open = (id: string) =>
    nats({ id, connection: () => connectNats({ ...options, servers: `127.0.0.1:${id === 'a' ? cable.port : port}` }) });
  return { cables: [cable], open };
};

const overMqtt: Medium = async () => {
  const broker = await Aedes.createBroker();
  const server = net.createServer(broker.handle).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
    broker.close();
  });
  const { port } = server.address() as AddressInfo;
  const cable = await breakable(port);
  const urlOf = (id: string) => `mqtt://127.0.0.1:${id === 'a' ? cable.port : port}`;
  const open = (id: string) =>
    mqtt({ id, connection: (lastWill) => connectAsync(urlOf(id), { ...lastWill, reconnectPeriod: 250 }) });
  return { cables: [cable], open };
};

/** `a` holds a lock for which `b` waits, and the connections of `a` are closed this many times. */
async function afterCuts(medium: Medium, cuts: number) {
  const { cables, open } = await medium();
  // The patience is twice the default here, so that a busy machine is fast enough. A report does not depend on it.
  const all = VOTERS.map((id) => linked(open(id), { peers: VOTERS, patience: 60 }));
  const [a, b, c] = all.map((transport) => createLocks({ transport, peers: VOTERS }));
  onTestFinished(async () => {
    await Promise.all([a, b, c].map((each) => each!.close({ withinMs: 0 })));
    await Promise.all(all.map((transport) => transport.close()));
  });
  const downs: string[] = [];
  all[1]!.events.subscribe((event) => event.type === 'down' && downs.push(event.peer));
  await Promise.all([a, b, c].map((each) => each!.ready));
  const held = await a!.acquire('printer');
  b!.request('printer', () => {}).catch(() => {});
  const { epoch } = c!.status();
  for (let cut = 0; cut < cuts; cut++) {
    for (const cable of cables) cable.cut();
    await pause(CUT_MS);
    await Promise.all(cables.map((cable) => cable.repair()));
    await pause(REST_MS);
  }
  return { downs: downs.length, epochs: c!.status().epoch! - epoch!, isLost: held.signal.aborted };
}

const media: Readonly<Record<string, Medium>> = {
  hub,
  mesh,
  mqtt: overMqtt,
  ...(hasCommand('nats-server') && { nats: overNats }),
};

test('four cuts lose no lock through a proxy, and at most one at a broker', async () => {
  const error = vi.spyOn(console, 'error').mockImplementation(() => {});
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
  onTestFinished(() => [error, warn].forEach((spy) => spy.mockRestore()));
  const names = Object.keys(media);
  const outcomes = await Promise.all(names.map((name) => afterCuts(media[name]!, 4)));
  const costs = Object.fromEntries(names.map((name, i) => [name, outcomes[i]!]));
  const nothing = { downs: 0, epochs: 0, isLost: false };
  expect([costs['hub'], costs['mesh']]).toEqual([nothing, nothing]);
  // The first cut is longer than a broker's report takes; the next three reports are not trusted.
  for (const { downs } of outcomes) expect(downs).toBeLessThanOrEqual(1);
  expect(error).not.toHaveBeenCalled();
}, 30_000);
