/** Clients with generated ids, which are in no list of the voters, over each transport. */
import { connect as connectNats } from '@nats-io/transport-node';
import { Aedes } from 'aedes';
import { connectAsync } from 'mqtt';
import net, { type AddressInfo } from 'node:net';
import { once } from 'node:events';
import { expect, onTestFinished, test, vi } from 'vitest';
import { WebSocket } from 'ws';
import { freePort } from '../../testing/servers.js';
import { linked } from '../linked.js';
import { LiveNode } from '../node/node.js';
import { watchers } from '../node/watchers.js';
import { InProcessBus } from '../transports/in-process.js';
import { mqtt } from '../transports/mqtt.js';
import { nats } from '../transports/nats.js';
import { natsServer } from '../transports/servers.fixture.js';
import type { Transport } from '../transports/transport.js';
import { webSocketHub } from '../transports/web-socket-hub.js';
import { webSocketMesh } from '../transports/web-socket-mesh.js';
import { webSocket } from '../transports/web-socket.js';
import { createLocks, type Locks } from './locks.js';

const VOTERS = ['a', 'b', 'c'];
type Media = () => Promise<(id: string) => Transport>;

const media: Readonly<Record<string, Media>> = {
  'a bus': async () => {
    const bus = new InProcessBus();
    onTestFinished(() => bus.close());
    return (id) => bus.transport(id);
  },
  'a hub': async () => {
    const hub = await webSocketHub({ port: 0 });
    onTestFinished(() => hub.close());
    return (id) => webSocket({ id, url: `ws://127.0.0.1:${hub.port}`, WebSocket });
  },
  'a mesh': async () => {
    const ports = await Promise.all(VOTERS.map(() => freePort()));
    const peers = ports.map((port) => `ws://127.0.0.1:${port}`);
    // No peer dials a client, so it listens at any free port.
    return (id) => webSocketMesh({ id, peers, listen: { port: ports[VOTERS.indexOf(id)] ?? 0 } });
  },
  NATS: async () => {
    const server = await natsServer();
    onTestFinished(() => server.kill());
    return (id) => nats({ id, connection: () => connectNats({ servers: `127.0.0.1:${server.port}` }) });
  },
  MQTT: async () => {
    const broker = await Aedes.createBroker();
    const server = net.createServer(broker.handle).listen(0, '127.0.0.1');
    onTestFinished(async () => {
      await new Promise<void>((resolve) => broker.close(resolve));
      server.close();
    });
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    return (id) => mqtt({ id, connection: (lastWill) => connectAsync(`mqtt://127.0.0.1:${port}`, lastWill) });
  },
};

test.each(Object.keys(media))('over %s they take turns with the voters, and leave nothing behind', async (medium) => {
  const printed = vi.spyOn(console, 'warn').mockImplementation(() => {});
  onTestFinished(() => printed.mockRestore());
  const nodes: LiveNode[] = [];
  const watch = (node: object) => void nodes.push(node as LiveNode);
  watchers().add(watch);
  onTestFinished(() => void watchers().delete(watch));
  const transport = await media[medium]!();
  const voters = VOTERS.map((id) => createLocks({ transport: transport(id), peers: VOTERS }));
  const clientOf = () => createLocks({ transport: transport(`pod-${crypto.randomUUID()}`), peers: VOTERS, client: true });
  const clients = [clientOf(), clientOf(), clientOf()];
  const all = [...voters, ...clients];
  onTestFinished(async () => {
    await Promise.all(all.map((locks) => locks.close({ withinMs: 0 })));
  });
  await Promise.all(all.map(({ ready }) => ready));
  expect(clients.map((locks) => locks.status().state)).toEqual(clients.map(() => 'attached'));
  const fences: number[] = [];
  const isInside = { value: false };
  const work = (locks: Locks) =>
    locks.request('printer', async ({ fence }) => {
      expect(isInside.value).toBe(false);
      isInside.value = true;
      fences.push(fence);
      await new Promise((resolve) => setTimeout(resolve, 1));
      isInside.value = false;
    });
  await Promise.all([...all, ...all].map(work));
  expect(fences).toEqual(fences.toSorted((p, q) => p - q));
  expect(new Set(fences).size).toBe(2 * all.length);
  for (const locks of clients) {
    await locks.close();
    await locks.transport.close();
  }
  await vi.waitFor(() => {
    for (const locks of voters) expect([...locks.transport.peers].sort()).toEqual(VOTERS.filter((id) => id !== locks.node.id));
  });
  const links = nodes.filter(({ id, name }) => name === 'link/1' && VOTERS.includes(id)).map((node) => Object.keys(node.view()).sort());
  expect(links.flat().filter((role) => role.includes('pod-'))).toEqual([]);
  expect(JSON.stringify(voters.map((locks) => locks.node.view()))).not.toContain('pod-');
  expect(printed.mock.calls.flat()).toEqual([]);
});

test('a peer in no list that joins is added to the voters', async () => {
  const transport = await media['a hub']!();
  const voters = VOTERS.map((id) => createLocks({ transport: transport(id), peers: VOTERS }));
  const d = createLocks({ transport: linked(transport('d'), { peers: VOTERS }), join: true });
  onTestFinished(async () => {
    await Promise.all([...voters, d].map((locks) => locks.close({ withinMs: 0 })));
    await d.transport.close();
  });
  await vi.waitFor(() => expect(voters[0]!.transport.peers.has('d')).toBe(true), 5_000);
  expect(await voters[0]!.addMember('d')).toEqual([...VOTERS, 'd']);
  expect(await d.request('printer', () => 'served')).toBe('served');
});
