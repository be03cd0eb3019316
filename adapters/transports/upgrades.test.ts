/** Hubs on a server of the application, with each other and with other listeners for upgrades. Real sockets. */
import { once } from 'node:events';
import { createServer, STATUS_CODES, type Server, type ServerOptions } from 'node:http';
import net from 'node:net';
import { Duplex } from 'node:stream';
import { expect, onTestFinished, test, vi } from 'vitest';
import { WebSocketServer } from 'ws';
import { turnAway } from './upgrades.js';
import { webSocketHub } from './web-socket-hub.js';
import { hubWith, peer, raw, statusOf } from './web-socket-hub.fixture.js';

const quiet = () => {
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
  onTestFinished(() => warn.mockRestore());
  return warn;
};

function yours(options: ServerOptions = {}): Server {
  const server = createServer(options, (_, response) => response.end('yours'));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return server;
}

async function listening(): Promise<{ server: Server; port: number }> {
  const server = yours().listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { server, port: (server.address() as net.AddressInfo).port };
}

test('a second hub at one path is refused with an error, and the first still serves', async () => {
  const { server, port } = await listening();
  const first = await hubWith({ server, path: '/one' });
  await expect(webSocketHub({ server, path: '/one' })).rejects.toMatchObject({
    name: 'UsageError',
    message: 'webSocketHub: the path /one of this server belongs to another hub. Use a unique path for each hub',
  });
  await peer('a', 0, { url: `ws://127.0.0.1:${port}/one` }).connect();
  await first.close();
  await hubWith({ server, path: '/one' });
  expect(await statusOf(port, {}, '/one')).toBe(101);
});

test('two hubs share a server, and paths without a hub get status 404', async () => {
  const warn = quiet();
  const { server, port } = await listening();
  await hubWith({ server, path: '/one' });
  await hubWith({ server, path: '/two' });
  const statuses = await Promise.all(['/one', '/two?x', '/none'].map((path) => statusOf(port, {}, path)));
  expect(statuses).toEqual([101, 101, 404]);
  expect(warn.mock.calls.flat()).toContain('webSocketHub refused a connection: a client from 127.0.0.1: no hub is at /none');
});

test('by default a hub on your server takes / and leaves other paths to others', async () => {
  const { server, port } = await listening();
  await hubWith({ server });
  const sockets = new WebSocketServer({ noServer: true });
  server.on('upgrade', (request, socket, head) => {
    if (request.url === '/chat') sockets.handleUpgrade(request, socket, head, (opened) => opened.send('"chat"'));
  });
  const chat = await raw(port, undefined, {}, '/chat');
  await expect.poll(() => chat.got).toEqual(['chat']);
  await peer('a', 0, { url: `ws://127.0.0.1:${port}/` }).connect();
});

test.each(['before', 'after'])('an endpoint created %s a hub keeps its path, and no client ends the process', async (when) => {
  const warn = quiet();
  const { server, port } = await listening();
  const chat = () => new WebSocketServer({ server, path: '/chat' }).on('connection', (socket) => socket.send('"chat"'));
  if (when === 'before') chat();
  await hubWith({ server, path: '/chat' });
  if (when === 'after') chat();
  const client = await raw(port, undefined, {}, '/chat');
  await expect.poll(() => client.got).toEqual(['chat']);
  expect(warn).not.toHaveBeenCalled();
});

test('an endpoint that answers late keeps its path', async () => {
  const { server, port } = await listening();
  await hubWith({ server, path: '/quiver' });
  const sockets = new WebSocketServer({ noServer: true });
  server.on('upgrade', (request, socket, head) => {
    if (request.url === '/chat') setImmediate(() => sockets.handleUpgrade(request, socket, head, () => {}));
  });
  expect(await statusOf(port, {}, '/chat')).toBe(101);
});

test('a hub that closes leaves the upgrades to the others on its server', async () => {
  const { server, port } = await listening();
  const one = await hubWith({ server, path: '/one' });
  await hubWith({ server, path: '/two' });
  await one.close();
  expect(await statusOf(port, {}, '/two')).toBe(101);
});

test('a failed upgrade ends no process, and is reported', async () => {
  const warn = quiet();
  class Broken {
    handleUpgrade() {
      throw new Error('called more than once');
    }
  }
  const hub = await hubWith({ WebSocketServer: Broken });
  peer('a', hub.port)
    .connect()
    .catch(() => {});
  await vi.waitFor(() =>
    expect(warn.mock.calls.flat()).toEqual([
      'webSocketHub refused a connection: a client from 127.0.0.1: the upgrade failed: Error: called more than once',
    ]),
  );
});

test('an endpoint of ws that answers for every path is named to the refused peer', async () => {
  const warn = quiet();
  const { server, port } = await listening();
  await hubWith({ server, path: '/quiver' });
  new WebSocketServer({ server, path: '/chat' }).on('connection', (socket) => socket.close());
  const connecting = peer('a', 0, { url: `ws://127.0.0.1:${port}/quiver` }).connect();
  connecting.catch(() => {});
  await vi.waitFor(
    () => expect(warn.mock.calls.flat().join()).toMatch(/400; another WebSocket server answers for that path/),
    20_000,
  );
});

test('it resolves once the server listens, and has its port then', async () => {
  const hub = await hubWith({ server: yours().listen(0, '127.0.0.1'), path: '/q' });
  expect(hub.port).toBeGreaterThan(0);
});

test('a server that cannot listen is named, and keeps no listener of the hub', async () => {
  const { port } = await listening();
  const server = yours();
  const listeners = () => ['upgrade', 'error', 'listening'].map((name) => server.listenerCount(name));
  const before = listeners();
  server.listen(port, '127.0.0.1');
  await expect(webSocketHub({ server, path: '/q' })).rejects.toMatchObject({
    name: 'ConnectionError',
    message: expect.stringMatching(/^the server of webSocketHub does not listen: listen EADDRINUSE/),
  });
  expect(listeners()).toEqual(before);
});

test('on a server that does not listen it resolves, and serves once the server listens', async () => {
  const server = yours();
  const hub = await hubWith({ server });
  expect(() => hub.port).toThrow('the server has no port, because it does not listen');
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  await peer('a', hub.port).connect();
  expect(server.listenerCount('error')).toBe(0);
});

test('silent clients of your server are closed by the timeouts of that server', async () => {
  const server = yours({ headersTimeout: 100, requestTimeout: 100, connectionsCheckingInterval: 50 }).listen(0, '127.0.0.1');
  const hub = await hubWith({ server, limits: { helloMs: 60_000 } });
  const silent = net.connect(hub.port, '127.0.0.1').resume();
  onTestFinished(() => void silent.destroy());
  await once(silent, 'close');
});

test('a reset connection at a path of others ends no process', async () => {
  const { server, port } = await listening();
  await hubWith({ server, path: '/quiver' });
  server.on('upgrade', () => {});
  const failed = new Promise<void>((resolve) => server.once('upgrade', (_, socket) => socket.once('close', () => resolve())));
  const client = net.connect(port, '127.0.0.1');
  await once(client, 'connect');
  client.write('GET /other HTTP/1.1\r\nHost: here\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n');
  await once(server, 'upgrade');
  client.resetAndDestroy();
  await failed;
});

/** A socket with a record of its writes. */
function socket() {
  const written: string[] = [];
  const end = new Duplex({ read() {}, write: (piece, _, done) => (written.push(String(piece)), done()) });
  return { end, written };
}

test.each([403, 404, 426, 431, 503] as const)(
  'a refused client receives status %i with its text, and is disconnected',
  async (status) => {
    const { end, written } = socket();
    turnAway(end, status);
    await once(end, 'finish');
    expect(written).toEqual([`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`]);
    expect(end.destroyed).toBe(true);
  },
);

test('a client that resets its connection while it is refused ends no process', () => {
  const { end } = socket();
  turnAway(end, 503);
  expect(() => end.emit('error', new Error('read ECONNRESET'))).not.toThrow();
});

test('an answered client is not refused again', async () => {
  const { end, written } = socket();
  end.end('an answer');
  turnAway(end, 404);
  await once(end, 'finish');
  expect(written).toEqual(['an answer']);
  expect(end.destroyed).toBe(false);
});
