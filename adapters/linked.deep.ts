/** Reports of a peer with many locks when another peer leaves: all of them, at once. */
import { expect, onTestFinished, test } from 'vitest';
import { WebSocket } from 'ws';
import { linked } from './linked.js';
import { createLocks } from './locks/locks.js';
import { webSocketHub } from './transports/web-socket-hub.js';
import { webSocket } from './transports/web-socket.js';

const peers = ['a', 'b', 'c'];
/** All of them in one frame, escaped twice, would exceed the limit of its medium. */
const names = Array.from({ length: 1_500 }, (_, i) => `${i} `.padEnd(256, '"'));

test('a peer keeps its 1,500 locks when another leaves, and later grants them', async () => {
  const hub = await webSocketHub({ port: 0 });
  const url = `ws://127.0.0.1:${hub.port}`;
  const transports = peers.map((id) => linked(webSocket({ id, url, WebSocket }), { peers }));
  onTestFinished(async () => {
    await Promise.all(transports.map((transport) => transport.close()));
    await hub.close();
  });
  const [ofA, ofB] = transports.map((transport) => createLocks({ transport, peers }));
  const held = await Promise.all(names.map((name) => ofA!.acquire(name)));
  const left = new Promise((resolve) => transports[1]!.events.subscribe(({ type }) => type === 'down' && resolve(type)));
  await transports[2]!.close();
  await left;
  // The others agree again on the members and on the holders.
  await ofB!.request('another one', () => {});
  expect(held.filter(({ signal }) => signal.aborted)).toEqual([]);
  for (const name of [names[0]!, names.at(-1)!]) expect(await ofB!.acquire(name, { ifAvailable: true })).toBeNull();
  for (const lock of held) lock.release();
  await ofB!.request(names.at(-1)!, () => {});
}, 60_000);
