/** A member in a separate process, on a mesh: adds to one counter when its parent requests it, and replies with its count. */
import { assign, setup } from 'xstate';
import { createCluster } from '../../dist/adapters/cluster/cluster.js';
import { linked } from '../../dist/adapters/linked.js';
import { webSocketMesh } from '../../dist/adapters/transports/web-socket-mesh.js';

const [, , id, given] = process.argv;
const ports = JSON.parse(given);
const peers = Object.keys(ports);
const counter = setup({}).createMachine({
  context: { n: 0 },
  on: { ADD: { actions: assign({ n: ({ context }) => context.n + 1 }) } },
});
const urls = peers.filter((peer) => peer !== id).map((peer) => `ws://127.0.0.1:${ports[peer]}`);
const mesh = webSocketMesh({ id, listen: { port: ports[id], host: '127.0.0.1' }, peers: urls });
const cluster = createCluster({ transport: linked(mesh, { peers }), peers, machines: { counter } });
const actor = cluster.actor('counter', 'x');

process.on('message', async ({ ms, lanes }) => {
  const until = performance.now() + ms;
  let acknowledged = 0;
  const lane = async () => {
    do {
      await actor.send({ type: 'ADD' });
      acknowledged++;
    } while (performance.now() < until);
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  process.send({ acknowledged, counted: actor.getSnapshot().context.n, host: await actor.where() });
});
await cluster.ready;
process.send('ready');
