// A member of a cluster on a mesh: `node cluster-member.mjs ID PORTS PLACEMENT`. It uses actors on request, and counts its idle actors.
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { assign, setup } from 'xstate';
import { createCluster } from '../../dist/adapters/cluster/cluster.js';
import { linked } from '../../dist/adapters/linked.js';
import { webSocketMesh } from '../../dist/adapters/transports/web-socket-mesh.js';
import { load } from './measure.mjs';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc');

const [id, given, placement] = process.argv.slice(2);
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
const cluster = createCluster({ transport: linked(mesh, { peers }), peers, machines: { counter }, placement, idleMs: 2_000 });
const hot = cluster.actor('counter', 'hot');
const add = () => hot.send({ type: 'ADD' });
const isHere = () => cluster.hosted.includes('counter/hot');

const WORK = {
  load: ({ ms, lanes }) => load(add, ms, lanes),
  where: async () => ({ host: await hot.where() }),
  /** Sends one event at a time until the actor has moved here. */
  visit: async () => {
    const since = performance.now();
    let longest = 0;
    for (let until = since; !isHere();) {
      await add();
      longest = Math.max(longest, performance.now() - until);
      until = performance.now();
    }
    return { ms: performance.now() - since, longest };
  },
  /** Actors that this process creates, and does not use again. */
  create: async ({ actors, from }) => {
    for (let i = 0; i < actors; i += 100) {
      const some = Array.from({ length: Math.min(100, actors - i) }, (_, j) => cluster.actor('counter', `${id} ${from + i + j}`));
      await Promise.all(some.map((actor) => actor.send({ type: 'ADD' })));
    }
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
