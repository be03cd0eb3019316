import net from 'node:net';
import { expect, onTestFinished, test, vi } from 'vitest';
import { WebSocket } from 'ws';
import { transportConformance } from './conformance.js';
import { fuzz } from './fuzz.fixture.js';
import { freePort } from '../../testing/servers.js';
import { onSockets } from './strangers.fixture.js';
import { webSocketHub, type WebSocketHub } from './web-socket-hub.js';
import { webSocket } from './web-socket.js';
import { webSocketGuarantees } from './guarantees.js';

async function hubOnAnyPort(): Promise<WebSocketHub> {
  const hub = await webSocketHub({ port: 0 });
  onTestFinished(() => hub.close());
  return hub;
}

const client = (id: string, { port }: { port: number }) => webSocket({ id, url: `ws://127.0.0.1:${port}`, WebSocket });

const event = (transport: ReturnType<typeof client>, type: string) =>
  new Promise<any>((resolve) => transport.events.subscribe((seen) => seen.type === type && resolve(seen)));

let newest: WebSocketHub;

transportConformance({
  test,
  guarantees: webSocketGuarantees,
  values: fuzz,
  inject: async (_, garbage) => {
    const raw = new WebSocket(`ws://127.0.0.1:${newest.port}`);
    await new Promise((resolve) => raw.on('open', resolve));
    for (const frame of [garbage, { type: 'hello', id: 'stranger', key: 'k' }, garbage, { type: 'bye' }])
      raw.send(JSON.stringify(frame));
    await new Promise((resolve) => raw.on('close', resolve));
  },
  injectTexts: (_, texts) => onSockets(`ws://127.0.0.1:${newest.port}`, '{"type":"hello","id":"x","key":"k"}', texts),
  create: async (ids) => {
    const hub = (newest = await hubOnAnyPort());
    return ids.map((id) => client(id, hub));
  },
});

test('a peer that starts before its hub waits with a warning; an abort ends the wait', async () => {
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
  onTestFinished(() => warn.mockRestore());
  const port = await freePort();
  const a = client('a', { port });
  const impatient = new AbortController();
  const waiting = [a.connect(), a.connect({ signal: impatient.signal })] as const;
  await vi.waitFor(() => expect(warn).toHaveBeenCalledTimes(1), 20_000);
  expect(warn.mock.calls[0]![0]).toContain(`peer "a" has no connection and will retry: no connection to ws://127.0.0.1:${port}`);
  impatient.abort(new Error('enough'));
  await expect(waiting[1]).rejects.toThrow('enough');
  await using again = await webSocketHub({ port });
  await waiting[0];
  await a.close();
  expect(again.port).toBe(port);
});

test('closing a peer that waits for its hub settles connect and leaves nothing open', async () => {
  const a = client('a', { port: await freePort() });
  const waiting = a.connect();
  await new Promise((resolve) => setTimeout(resolve, 50));
  await a.close();
  await expect(waiting).rejects.toMatchObject({ name: 'ClosedError' });
});

test('a hub that ends takes the peers down, and up again when it returns', async () => {
  const hub = await hubOnAnyPort();
  const { port } = hub;
  const [a, b] = [client('a', hub), client('b', hub)];
  const met = event(a, 'up');
  await Promise.all([a.connect(), b.connect(), met]);
  const down = event(a, 'down');
  await hub.close();
  await down;
  a.send('b', 'lost');
  const up = event(a, 'up');
  await using again = await webSocketHub({ port });
  expect(await up).toMatchObject({ peer: 'b' });
  const arrived = event(b, 'message');
  a.send('b', 'back');
  expect(await arrived).toMatchObject({ from: 'a', message: 'back' });
  await Promise.all([a.close(), b.close()]);
  expect(again.port).toBe(port);
});

test.each([
  ['not JSON', 'hello?'],
  ['a frame over a megabyte', JSON.stringify({ type: 'hello', id: 'x'.repeat(2 ** 20), key: 'k' })],
])('an invalid frame (%s) ends only the line of its sender', async (_, data) => {
  const hub = await hubOnAnyPort();
  const a = client('a', hub);
  await a.connect();
  const intruder = new WebSocket(`ws://127.0.0.1:${hub.port}`);
  intruder.on('open', () => intruder.send(data));
  await new Promise((resolve) => intruder.on('close', resolve));
  expect(a.isClosed).toBe(false);
  await a.close();
});

test('close leaves nothing open', async () => {
  const hub = await webSocketHub({ port: 0 });
  const { port } = hub;
  const a = client('a', hub);
  await a.connect();
  await a.close();
  await hub.close();
  const refused = new Promise((resolve) => net.connect(port, '127.0.0.1').on('error', resolve));
  expect(await refused).toMatchObject({ code: 'ECONNREFUSED' });
});
