/**
 * A member of the cluster, as a process of its own. It receives commands from the demonstration, and sends it the calls to outside
 * services, so that both print in one place.
 */
import { fromPromise } from 'xstate';
import { createCluster } from 'xstate-quiver/cluster';
import { folderStorage } from 'xstate-quiver/storage/node';
import { linked } from 'xstate-quiver/transports';
import { webSocketMesh } from 'xstate-quiver/transports/node';
import { order } from './order.js';
import { race } from './race.js';
import { schedule } from './schedule.js';

const [id, given, folder] = /** @type {[string, string, string]} */ (/** @type {unknown} */ (process.argv.slice(2)));
const ports = JSON.parse(given);
const peers = Object.keys(ports);
const report = (/** @type {string} */ what, /** @type {object} */ fields) => process.send?.({ what, ...fields });

/** The payment service needs half a second. The demonstration remembers the keys, as a real service does. */
const charge = fromPromise(async (/** @type {{ input: import('./order.js').Charge }} */ { input: { key, amount } }) => {
  report('charge', { key, amount, by: id });
  await new Promise((resolve) => setTimeout(resolve, 500));
  return `receipt of ${key}`;
});

const mesh = webSocketMesh({
  id,
  listen: { port: ports[id], host: '127.0.0.1' },
  peers: peers.filter((peer) => peer !== id).map((peer) => `ws://127.0.0.1:${ports[peer]}`),
});
const cluster = createCluster({
  transport: linked(mesh, { peers }),
  peers,
  storage: folderStorage(`${folder}/${id}`),
  machines: { order: order.provide({ actors: { charge } }), race, schedule: schedule((run) => report('run', run)) },
  placement: 'sender',
});

/** @type {Record<string, (fields: any) => unknown>} */
const commands = {
  send: ({ kind, name, input, events }) =>
    Promise.all(events.map((/** @type {any} */ event) => cluster.actor(kind, name, { input }).send(event))),
  create: ({ kind, name, input }) => cluster.actor(kind, name, { input }).ready,
  look: async ({ kind, name }) => {
    const actor = cluster.actor(kind, name, { create: false });
    await actor.ready;
    const { value, context } = actor.getSnapshot();
    return { value, context };
  },
  where: ({ kind, name }) => cluster.where(kind, name),
};

process.on('message', async (/** @type {any} */ { number, command, ...fields }) => {
  try {
    report('answer', { number, value: await commands[command]?.(fields) });
  } catch (error) {
    report('answer', { number, error: String(error) });
  }
});
process.on('disconnect', () => process.exit());
await cluster.ready;
report('ready', {});
