/** Clients that are in no list: with generated ids they are served in process, at a hub and on a mesh, and the voters forget them. */
import { expect, onTestFinished, test } from 'vitest';
import { WebSocket } from 'ws';
import { freePort } from '../../testing/servers.js';
import { warnings } from '../linked.fixture.js';
import { Channels } from '../node/channels.js';
import { InProcessBus } from '../transports/in-process.js';
import type { Transport } from '../transports/transport.js';
import { webSocket } from '../transports/web-socket.js';
import { webSocketHub } from '../transports/web-socket-hub.js';
import { webSocketMesh } from '../transports/web-socket-mesh.js';
import { createLocks, type Locks } from './locks.js';
import type { EpochsContext } from '../../machines/locks/knowledge.js';

const VOTERS = ['a', 'b', 'c'];
let count = 0;

interface Network {
  readonly voter: (id: string) => Transport;
  readonly client: () => Transport;
}

const networks: Record<string, () => Promise<Network>> = {
  'in process': async () => {
    const bus = new InProcessBus();
    return { voter: (id) => bus.transport(id), client: () => bus.transport(`client-${++count}`) };
  },
  'WebSocket hub': async () => {
    const hub = await webSocketHub({ port: 0 });
    onTestFinished(() => hub.close());
    const url = `ws://127.0.0.1:${hub.port}`;
    return { voter: (id) => webSocket({ id, url, WebSocket }), client: () => webSocket({ url, WebSocket }) };
  },
  mesh: async () => {
    const ports = await Promise.all(VOTERS.map(() => freePort()));
    const peers = ports.map((port) => `ws://127.0.0.1:${port}`);
    return {
      voter: (id) => webSocketMesh({ id, listen: { port: ports[VOTERS.indexOf(id)]! }, peers }),
      client: () => webSocketMesh({ peers }),
    };
  },
};

async function cluster(network: keyof typeof networks) {
  const { voter, client } = await networks[network]!();
  const voters = VOTERS.map((id) => createLocks({ transport: voter(id), peers: VOTERS }));
  const closed = async (locks: Locks) => {
    await locks.close({ withinMs: 0 });
    await locks.transport.close();
  };
  onTestFinished(() => Promise.all(voters.map(closed)).then(() => {}));
  await Promise.all(voters.map(({ ready }) => ready));
  const started = (): Locks => {
    const locks = createLocks({ transport: client(), peers: VOTERS, client: true });
    onTestFinished(() => closed(locks));
    return locks;
  };
  return { voters, started };
}

const clientsAt = (voter: Locks) => (voter.node.role('epochs')!.context as EpochsContext).clients;

test.each(Object.keys(networks))(
  '%s: clients with generated ids hold locks in turn, and are forgotten',
  async (network) => {
    const { voters, started } = await cluster(network);
    const clients = [started(), started(), started()];
    expect(new Set(clients.map(({ node }) => node.id)).size).toBe(3);
    const fences = await Promise.all(clients.map((locks) => locks.request('printer', ({ fence }) => fence)));
    expect(new Set(fences).size).toBe(3);
    // One holds a lock at its end, and passes it on.
    const held = await clients[0]!.acquire('printer');
    const next = voters[0]!.request('printer', ({ fence }) => fence);
    await Promise.all(clients.map((locks) => locks.close({ withinMs: 0 })));
    for (const { transport } of clients) if (!transport.isClosed) await transport.close();
    expect(await next).toBeGreaterThan(held.fence);
    await expect.poll(() => voters.map(({ transport }) => transport.peers.size), { timeout: 5_000 }).toEqual([2, 2, 2]);
    await expect.poll(() => voters.flatMap(clientsAt), { timeout: 10_000 }).toEqual([]);
    for (const { transport } of voters)
      for (const { node } of clients) expect(Channels.of(transport).receivedFrom(node.id, 'locks')).toBe(0);
  },
  30_000,
);

test('a client with other clients in its list links with voters only, and is served', async () => {
  const { voter, client } = await networks['WebSocket hub']!();
  const texts = warnings();
  const voters = VOTERS.map((id) => createLocks({ transport: voter(id), peers: VOTERS }));
  const clients = ['x', 'y'].map((id, i) =>
    createLocks({ transport: voter(id), peers: [...VOTERS, ['y', 'x'][i]!], client: true }),
  );
  onTestFinished(() => Promise.all([...voters, ...clients].map((locks) => locks.close({ withinMs: 0 }))).then(() => {}));
  expect(await Promise.all(clients.map((locks) => locks.request('printer', () => 1)))).toEqual([1, 1]);
  expect(clients.map(({ transport }) => [...transport.peers].sort())).toEqual([VOTERS, VOTERS]);
  expect(texts()).toEqual([]);
  const unnamed = client();
  onTestFinished(() => unnamed.close());
  expect(unnamed.id).toMatch(/^client-[0-9a-f-]{36}$/);
});
