/** Members and clients of a cluster that meet at a real hub on this machine. */
import { WebSocket } from 'ws';
import { expect, onTestFinished, test, vi } from 'vitest';
import { linked } from '../linked.js';
import { webSocket } from '../transports/web-socket.js';
import { webSocketHub } from '../transports/web-socket-hub.js';
import { counter } from './cluster.fixture.js';
import { createCluster } from './cluster.js';

const peers = ['a', 'b', 'c'];

test('a client at a hub uses actors, and goes on when the hub has restarted', async () => {
  onTestFinished(() => void vi.restoreAllMocks());
  vi.spyOn(console, 'warn').mockImplementation(() => {});
  let hub = await webSocketHub({ port: 0 });
  const { port } = hub;
  const at = (id: string) => linked(webSocket({ id, url: `ws://127.0.0.1:${port}`, WebSocket }), { peers: [...peers, 'x'] });
  const transports = [...peers, 'x'].map(at);
  const all = transports.map((transport) =>
    createCluster({ transport, peers, machines: { counter }, client: transport.id === 'x' }),
  );
  const client = all.at(-1)!;
  onTestFinished(async () => {
    await Promise.all(all.map((cluster) => cluster.close({ withinMs: 500 })));
    await Promise.all(transports.map((transport) => transport.close()));
    await hub.close();
  });

  const ref = client.actor('counter', 'x');
  const seen: number[] = [];
  ref.subscribe(({ context: { n } }) => void seen.push(n));
  await ref.send({ type: 'ADD' });
  expect([ref.getSnapshot().context.n, client.hosted]).toEqual([1, []]);

  await hub.close();
  const sent = ref.send({ type: 'ADD' });
  hub = await webSocketHub({ port });
  await sent;
  await all[0]!.actor('counter', 'x').send({ type: 'ADD' });
  await expect.poll(() => seen.at(-1)).toBe(3);
});
