// A member of a cluster on a mesh: `node cluster-member.mjs ID PORTS`. It sends to one counter on request, and counts its idle actors.
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { assign, setup } from 'xstate';
import { createCluster } from '../../dist/adapters/cluster/cluster.js';
import { linked } from '../../dist/adapters/linked.js';
import { webSocketMesh } from '../../dist/adapters/transports/web-socket-mesh.js';
import { quantile } from './measure.mjs';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc');

const [id, given] = process.argv.slice(2);
const ports = JSON.parse(given);
const peers = Object.keys(ports);
process.on('disconnect', () => process.exit());
const counter = setup({}).createMachine({
  context: { n: 0 },
  on: { ADD: { actions: assign({ n: ({ context }) => context.n + 1 }) } },
});
const mesh = webSocketMesh({
  id,
  listen: { port: ports[id], host: '127.0.0.1' },
  peers: peers.filter((peer) => peer !== id).map((peer) => `ws://127.0.0.1:${ports[peer]}`),
});
const cluster = createCluster({ transport: linked(mesh, { peers }), peers, machines: { counter }, idleMs: 2_000 });
const hot = cluster.actor('counter', 'hot');

const WORK = {
  /** Keeps a number of events in flight for a time. */
  load: async ({ ms, lanes }) => {
    const tookMs = [];
    const until = performance.now() + ms;
    const lane = async () => {
      while (performance.now() < until) {
        const since = performance.now();
        await hot.send({ type: 'ADD' });
        tookMs.push(performance.now() - since);
      }
    };
    await Promise.all(Array.from({ length: lanes }, lane));
    return { events: tookMs.length, p50: quantile(tookMs, 0.5), p99: quantile(tookMs, 0.99), longest: Math.max(...tookMs) };
  },
  where: async () => ({ host: await hot.where() }),
  /** Actors that this process creates, and does not use again. */
  create: async ({ actors, from = 0 }) => {
    for (let i = 0; i < actors; i += 100)
      await Promise.all(Array.from({ length: 100 }, (_, j) => cluster.actor('counter', `${id} ${from + i + j}`).send({ type: 'ADD' })));
    return {};
  },
  heap: async () => {
    collect();
    return { hosted: cluster.hosted.length, heap: process.memoryUsage().heapUsed };
  },
};

process.on('message', async ({ what, ...task }) => process.send({ what, ...(await WORK[what](task)) }));
await cluster.ready;
process.send({ what: 'ready' });
