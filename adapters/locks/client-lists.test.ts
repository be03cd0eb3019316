/** The `peers` that clients pass after the voters have changed. */
import { expect, onTestFinished, test, vi } from 'vitest';
import { WebSocket } from 'ws';
import { linked } from '../linked.js';
import { webSocket } from '../transports/web-socket.js';
import { webSocketHub } from '../transports/web-socket-hub.js';
import { createLocks, type Locks } from './locks.js';

/** Voters a, b and c at a hub, and d, e and f, which may replace them; each links with all, and accepts clients in no list. */
async function replaceable() {
  const hub = await webSocketHub({ port: 0 });
  const url = `ws://127.0.0.1:${hub.port}`;
  const first = ['a', 'b', 'c'];
  const ids = [...first, 'd', 'e', 'f'];
  const open = (locks: Locks) => {
    onTestFinished(async () => {
      await locks.close({ withinMs: 0 });
      await locks.transport.close();
    });
    return locks;
  };
  onTestFinished(() => hub.close());
  const [a, , , d] = ids.map((id) => {
    const transport = linked(webSocket({ id, url, WebSocket }), { peers: ids, open: true, beatMs: 20 });
    return open(createLocks({ transport, ...(first.includes(id) ? { peers: first } : { join: true }) }));
  }) as [Locks, Locks, Locks, Locks];
  await a.ready;
  for (const id of ['d', 'e', 'f']) await vi.waitFor(() => expect(a.transport.peers.has(id)).toBe(true), 10_000);
  const client = (...peers: string[]) => open(createLocks({ transport: webSocket({ url, WebSocket }), peers, client: true }));
  return { a, d, ids, client };
}

test('a client is served with any list that has a present voter, or may have one later', async () => {
  const { a, d, ids, client } = await replaceable();
  const early = client('a', 'b', 'c');
  const late = client(...ids);
  await Promise.all([early, late].map(({ ready }) => ready));
  await a.replaceMember('b', 'd');
  await a.replaceMember('c', 'e');
  for (const locks of [early, client('a', 'b', 'c'), client('d'), client('f', 'e')]) await locks.request('printer', () => {});
  await d.ready;
  expect(await d.replaceMember('a', 'f')).toEqual(['d', 'e', 'f']);
  await client('b', 'f').request('printer', () => {});
  await vi.waitFor(() => expect(early.status().state).toBe('seeking'), 10_000);
  expect(early.status().missing).toEqual(['d', 'e', 'f']);
  await late.request('printer', () => {});
});
