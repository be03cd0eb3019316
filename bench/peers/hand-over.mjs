// The parts of a hand-over's time, over a hub and on a mesh: from the call of `release` by one of eight clients to the grant of the next.
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { WebSocket, WebSocketServer } from 'ws';
import { linked } from '../../dist/adapters/linked.js';
import { createLocks } from '../../dist/adapters/locks/locks.js';
import { webSocketMesh } from '../../dist/adapters/transports/web-socket-mesh.js';
import { webSocket } from '../../dist/adapters/transports/web-socket.js';
import { median } from '../../dist/bench/measure.js';
import { freePort } from '../../dist/testing/servers.js';
import { samplesInTurn } from './measure.mjs';
import { start } from './servers.mjs';

const [SECTION_MS, WARM_MS, RUN_MS, ROUNDS] = [5, 500, 2_000, 3];
const peers = Array.from({ length: 8 }, (_, i) => `client ${i}`);

/** The current hand-over: its start, the time at which the token's frame was written, and the time at which it was read. */
let current = null;
const note = (moment, text) => {
  if (current && text.includes('\\"type\\":\\"token\\"')) current[moment] ??= performance.now();
};

class Traced extends WebSocket {
  send(text) {
    super.send(text);
    note('written', text);
  }
  emit(type, data, ...others) {
    if (type === 'message') note('read', String(data));
    return super.emit(type, data, ...others);
  }
}
class TracedServer extends WebSocketServer {
  constructor(options) {
    super({ ...options, WebSocket: Traced });
  }
}

/** `againMs` is the time that a client waits after a release before its next request. */
async function handOvers(media, againMs) {
  const transports = media.map((medium) => linked(medium, { peers }));
  const all = transports.map((transport) => createLocks({ transport, peers }));
  await Promise.all(all.map(({ ready }) => ready));
  const traced = [];
  const over = new AbortController();
  const working = all.map(async (locks) => {
    while (!over.signal.aborted) {
      const lock = await locks.acquire('lock');
      if (current?.read) traced.push({ ...current, granted: performance.now() });
      await pause(SECTION_MS);
      current = { released: performance.now() };
      await lock.release();
      if (againMs > 0) await pause(againMs);
    }
  });
  await pause(WARM_MS);
  traced.length = 0;
  await pause(RUN_MS);
  over.abort();
  await Promise.all(working);
  await Promise.all(transports.map((transport) => transport.close()));
  return traced;
}

async function byHub(againMs) {
  const hub = start('hub.mjs');
  const { port } = await hub.nextMessage('ready');
  const traced = await handOvers(
    peers.map((id) => webSocket({ id, url: `ws://127.0.0.1:${port}`, WebSocket: Traced })),
    againMs,
  );
  await hub.kill();
  return traced;
}

async function byMesh(againMs) {
  const ports = [];
  for (const _ of peers) ports.push(await freePort());
  const urls = ports.map((port) => `ws://127.0.0.1:${port}`);
  const media = peers.map((id, i) =>
    webSocketMesh({ id, listen: { port: ports[i], WebSocketServer: TracedServer }, peers: urls, WebSocket: Traced }),
  );
  return handOvers(media, againMs);
}

/** The lower bound for passing a token on this machine: one `ws` frame from the holder to the next, in a ring. */
async function byFrameAlone() {
  const server = new WebSocketServer({ port: 0 });
  const clients = peers.map((_, i) => new WebSocket(`ws://127.0.0.1:${server.address().port}/${i}`));
  const traced = [];
  let released;
  const take = async (place, text) => {
    const granted = performance.now();
    const { fence } = JSON.parse(text);
    traced.push({ released, granted });
    await pause(SECTION_MS);
    released = performance.now();
    clients[(place + 1) % clients.length].send(JSON.stringify({ type: 'token', fence: fence + 1 }));
  };
  server.on('connection', (socket, { url }) => socket.on('message', (data) => take(Number(url.slice(1)), String(data))));
  await Promise.all(clients.map((client) => once(client, 'open')));
  await take(0, '{"fence":0}');
  await pause(WARM_MS);
  traced.length = 0;
  await pause(RUN_MS);
  for (const client of clients) client.terminate();
  server.close();
  return traced;
}

export async function traceHandOvers() {
  const samples = await samplesInTurn(ROUNDS, {
    'only a WebSocket frame': byFrameAlone,
    'hub, asks again at once': () => byHub(0),
    'mesh, asks again at once': () => byMesh(0),
    'hub, asks again after 3 ms': () => byHub(3),
    'mesh, asks again after 3 ms': () => byMesh(3),
  });
  return Object.entries(samples).map(([who, rounds]) => {
    const traced = rounds.flat();
    const middle = (from, to) =>
      traced[0][to] && traced[0][from] ? `${median(traced.map((handOver) => handOver[to] - handOver[from])).toFixed(2)} ms` : '';
    return {
      who,
      'hand-overs': traced.length,
      'until the token is written': middle('released', 'written'),
      'until it is read': middle('written', 'read'),
      'until it is granted': middle('read', 'granted'),
      'in all': middle('released', 'granted'),
    };
  });
}
