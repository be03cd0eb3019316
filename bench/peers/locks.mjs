// Lock hand-over: eight clients, each with its own connection, want one lock all the time and keep it for 5 ms.
import { setTimeout as pause } from 'node:timers/promises';
import { WebSocket, WebSocketServer } from 'ws';
import { linked } from '../../dist/adapters/linked.js';
import { createLocks } from '../../dist/adapters/locks/locks.js';
import { webSocketMesh } from '../../dist/adapters/transports/web-socket-mesh.js';
import { webSocket } from '../../dist/adapters/transports/web-socket.js';
import { median } from '../../dist/bench/measure.js';
import { freePort } from '../../dist/testing/servers.js';
import { etcdOn, redlockOn } from './clients.mjs';
import { ms, quantile, samplesInTurn, whole } from './measure.mjs';
import { etcdServer, redisServer, start } from './servers.mjs';

const CLIENTS = 8;
const SECTION_MS = 5;
const [WARM_MS, RUN_MS, ROUNDS] = [500, 4_000, 3];

/** Every client acquires, keeps and releases in a loop; `requests` counts what went over the wire. */
async function contend(acquires, requests) {
  const [waits, handOvers] = [[], []];
  let [releasedAt, holder, again] = [undefined, undefined, 0];
  const grants = acquires.map(() => 0);
  const over = new AbortController();
  let [isMeasuring, before] = [false, 0];
  const clients = acquires.map(async (acquire, client) => {
    while (!over.signal.aborted) {
      const asked = performance.now();
      const release = await acquire();
      if (isMeasuring) {
        waits.push(performance.now() - asked);
        if (releasedAt !== undefined) handOvers.push(performance.now() - releasedAt);
        grants[client]++;
        if (holder === client) again++;
      }
      holder = client;
      await pause(SECTION_MS);
      releasedAt = performance.now();
      await release();
    }
  });
  await pause(WARM_MS);
  isMeasuring = true;
  before = await requests();
  await pause(RUN_MS);
  isMeasuring = false;
  const sent = (await requests()) - before;
  over.abort();
  await Promise.all(clients);
  return { waits, handOvers, grants, sent, again };
}

async function withServer(server, clientOn) {
  const clients = [];
  for (let i = 0; i < CLIENTS; i++) clients.push(await clientOn(server.port));
  const result = await contend(
    clients.map(({ acquire }) => acquire),
    clients[0].requests,
  );
  await Promise.all(clients.map(({ close }) => close()));
  await server.close();
  return result;
}

let sent = 0;
class Counted extends WebSocket {
  send(data) {
    sent++;
    super.send(data);
  }
}
class CountedServer extends WebSocketServer {
  constructor(options) {
    super({ ...options, WebSocket: Counted });
  }
}
const peers = Array.from({ length: CLIENTS }, (_, i) => `client ${i}`);

async function byHub() {
  const hub = start('hub.mjs');
  const { port } = await hub.nextMessage('ready');
  const result = await quiver(peers.map((id) => webSocket({ id, url: `ws://127.0.0.1:${port}`, WebSocket: Counted })));
  await hub.kill();
  return result;
}

async function byMesh() {
  const ports = [];
  for (const _ of peers) ports.push(await freePort());
  const urls = ports.map((port) => `ws://127.0.0.1:${port}`);
  const listen = (port) => ({ port, WebSocketServer: CountedServer });
  return quiver(peers.map((id, i) => webSocketMesh({ id, listen: listen(ports[i]), peers: urls, WebSocket: Counted })));
}

async function quiver(media) {
  const transports = media.map((medium) => linked(medium, { peers }));
  const all = transports.map((transport) => createLocks({ transport, peers }));
  await Promise.all(all.map(({ ready }) => ready));
  const acquires = all.map((locks) => async () => {
    const lock = await locks.acquire('lock');
    return () => lock.release();
  });
  const result = await contend(acquires, () => sent);
  await Promise.all(transports.map((transport) => transport.close()));
  return result;
}

export async function compareLocks() {
  const samples = await samplesInTurn(ROUNDS, {
    'redlock, retries every 5 ± 5 ms without a limit': async () => withServer(await redisServer(), redlockOn),
    'etcd3, a watch for the one that waits': async () => withServer(await etcdServer(), etcdOn),
    'Quiver, WebSocket hub': byHub,
    'Quiver, WebSocket mesh': byMesh,
  });
  const middle =
    (of) =>
    ([name, rounds]) => [name, median(rounds.map(of))];
  const rate = Object.fromEntries(Object.entries(samples).map(middle(({ waits }) => (1000 * waits.length) / RUN_MS)));
  return Object.entries(samples).map(([name, rounds]) => ({
    what: `lock, ${CLIENTS} clients, ${SECTION_MS} ms section`,
    who: name,
    'grants/s': whole(rate[name]),
    'hand-over p50': ms(median(rounds.map(({ handOvers }) => quantile(handOvers, 0.5)))),
    'wait p50': ms(median(rounds.map(({ waits }) => quantile(waits, 0.5)))),
    'wait p99': ms(median(rounds.map(({ waits }) => quantile(waits, 0.99)))),
    'to the last holder': `${whole(median(rounds.map(({ again, waits }) => (100 * again) / waits.length)))} %`,
    'grants a client': `${Math.min(...rounds.flatMap(({ grants }) => grants))}–${Math.max(...rounds.flatMap(({ grants }) => grants))}`,
    'sent a grant': median(rounds.map(({ sent, waits }) => sent / waits.length)).toFixed(1),
  }));
}
