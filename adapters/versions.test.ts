/** Peers of two releases in one cluster: they either work together or report the difference, and misread nothing. docs/wire-format.md. */
import { once } from 'node:events';
import { expect, onTestFinished, test, vi } from 'vitest';
import { WebSocket } from 'ws';
import { linked } from './linked.js';
import { createLocks } from './locks/locks.js';
import { createTransport } from './transports/driver.js';
import { InProcessBus } from './transports/in-process.js';
import { freePort } from '../testing/servers.js';
import type { Json, Transport } from './transports/transport.js';
import { webSocketHub } from './transports/web-socket-hub.js';
import { webSocketMesh } from './transports/web-socket-mesh.js';
import { webSocket } from './transports/web-socket.js';

const quiet = () => {
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
  onTestFinished(() => warn.mockRestore());
  return warn;
};
const messagesOf = (transport: Transport): Json[] => {
  const arrived: Json[] = [];
  transport.events.subscribe((event) => event.type === 'message' && arrived.push(event.message));
  return arrived;
};
/** A peer of a later release: additional fields in its hello, and frames that are unknown here. */
async function newer(url: string): Promise<WebSocket & { got: any[] }> {
  const socket = Object.assign(new WebSocket(url), { got: [] as any[] });
  onTestFinished(() => socket.terminate());
  socket.on('message', (text) => socket.got.push(JSON.parse(String(text))));
  await once(socket, 'open');
  socket.send('{"type":"hello","id":"x","key":"k","release":9,"can":["more"]}');
  await vi.waitFor(() => expect(socket.got.some(({ type }) => type === 'welcome')).toBe(true), 20_000);
  socket.send('{"type":"hint","about":[1,2,3]}');
  return socket;
}

test('a newer peer at a hub is served, and its unknown fields and frames are ignored', async () => {
  await using hub = await webSocketHub({ port: 0 });
  const url = `ws://127.0.0.1:${hub.port}`;
  const a = webSocket({ id: 'a', url, WebSocket });
  onTestFinished(() => a.close());
  const arrived = messagesOf(a);
  await a.connect();
  const x = await newer(url);
  x.send('{"type":"send","to":"a","message":"hello","hops":3}');
  await expect.poll(() => arrived).toEqual(['hello']);
  a.send('x', 'and back');
  await expect.poll(() => x.got.at(-1)).toEqual({ type: 'message', from: 'a', message: 'and back' });
});

test('the same in a mesh', async () => {
  const port = await freePort();
  const a = webSocketMesh({ id: 'a', listen: { port }, peers: [] });
  onTestFinished(() => a.close());
  const arrived = messagesOf(a);
  await a.connect();
  const x = await newer(`ws://127.0.0.1:${port}`);
  x.send('{"type":"message","message":"hello","hops":3}');
  await expect.poll(() => arrived).toEqual(['hello']);
  a.send('x', 'and back');
  await expect.poll(() => x.got.at(-1)).toEqual({ type: 'message', message: 'and back' });
});

/** A transport of another release: it sends another version, and accepts only that version. */
function ofRelease(inner: Transport, out: (text: string) => string, back: (text: string) => string): Transport {
  const via = (change: (text: string) => string, message: Json) => JSON.parse(change(JSON.stringify(message))) as Json;
  return createTransport(inner.id, inner.guarantees, async (medium) => {
    inner.events.subscribe((event) => {
      if (event.type === 'message') medium.received(event.from, via(back, event.message));
      else if (event.type !== 'closed') medium[event.type](event.peer);
    });
    await inner.connect();
    medium.opened({ send: (to, message) => inner.send(to, via(out, message)), close: () => inner.close() });
  });
}

test.each([
  [
    'an envelope of version 2',
    '"v":1,',
    '"v":2,',
    /it uses version 2 of the wire format, this peer 1. Run the same release on both/,
  ],
  [
    'a link layer of version 4',
    '"link/1"',
    '"link/2"',
    /peer "[de]" uses version "link\/2" of the link layer, this peer "link\/1". Run the same release on both/,
  ],
])('%s in a cluster of five: three have locks, two have none, and all report why', async (_, ours, theirs, description) => {
  const warn = quiet();
  const ids = ['a', 'b', 'c', 'd', 'e'];
  const bus = new InProcessBus();
  const isNew = (id: string) => id > 'c';
  const other = (inner: Transport) =>
    ofRelease(
      inner,
      (text) => text.replace(ours, theirs),
      // The version of this release is foreign there.
      (text) => (text.includes(theirs) ? text.replace(theirs, ours) : text.replace(ours, ours.replace(/\d/, '7'))),
    );
  const transports = ids.map((id) => {
    const inner = bus.transport(id);
    return linked(isNew(id) ? other(inner) : inner, { peers: ids, beatMs: 10, patience: 25 });
  });
  onTestFinished(() => Promise.all(transports.map((transport) => transport.close())).then(() => bus.close()));
  const all = transports.map((transport) => createLocks({ transport, peers: ids }));
  const fences: number[] = [];
  let isGranted = false;
  void all[3]!.request('x', () => void (isGranted = true)).catch(() => {});
  // Two of five will never come: the cluster is new still.
  all[0]!.bootstrap();
  for (const locks of all.slice(0, 3)) await locks.request('x', ({ fence }) => void fences.push(fence));
  await new Promise((resolve) => setTimeout(resolve, 300));
  expect(fences).toEqual([...new Set(fences)].sort((x, y) => x - y));
  expect([fences.length, isGranted]).toEqual([3, false]);
  expect(transports.map(({ peers }) => [...peers].sort().join(''))).toEqual(['bc', 'ac', 'ab', 'e', 'd']);
  const warnings = warn.mock.calls.map(([text]) => String(text));
  for (const id of ['a', 'b', 'c'])
    expect(warnings.find((text) => description.test(text) && text.includes(`"${id}"`))).toBeDefined();
});
