/**
 * The three machines in virtual time, under faults from a seed: every process may crash, pause or lose its connections.
 *
 *
 *     npx quiver rehearse rehearsal.js#careful
 *     npx quiver rehearse rehearsal.js#careless      # a new key for each call: a counterexample
 *     npx quiver rehearse rehearsal.js#impatient     # a player that repeats a step before it is acknowledged: a counterexample
 */
import { setTimeout as pause } from 'node:timers/promises';
import { fromPromise } from 'xstate';
import { createCluster } from 'xstate-quiver/cluster';
import { diskStorage, invariant } from 'xstate-quiver/rehearsal';
import { linked } from 'xstate-quiver/transports';
import { webSocketMesh } from 'xstate-quiver/transports/node';
import { order } from './order.js';
import { race } from './race.js';
import { schedule } from './schedule.js';

/**
 * @param {'careful' | 'careless' | 'impatient'} how
 * @returns {import('xstate-quiver/rehearsal').Main}
 */
const main =
  (how) =>
  async ({ id, life, peers, disk, note, listen, WebSocket, WebSocketServer }) => {
    const keyOf = (/** @type {string} */ key) => (how === 'careless' ? crypto.randomUUID() : key);
    const charge = fromPromise(async (/** @type {{ input: import('./order.js').Charge }} */ { input: { key } }) => {
      note('called', { call: `charge ${key}`, key: keyOf(key) });
      await pause(200 + Math.random() * 500);
      return 'a receipt';
    });
    const run = (/** @type {{ number: number, key: string }} */ { number, key }) =>
      note('called', { call: `run ${number}`, key: keyOf(key) });
    const mesh = webSocketMesh(
      /** @type {any} */ ({
        id,
        listen: { server: listen(), WebSocketServer },
        peers: peers.map((peer) => `ws://${peer}`),
        WebSocket,
      }),
    );
    const cluster = createCluster({
      transport: linked(mesh, { peers }),
      peers,
      machines: { order: order.provide({ actors: { charge } }), race, schedule: schedule(run) },
      storage: diskStorage(disk),
      placement: 'sender',
    });
    await cluster.actor('schedule', 's', { input: { everyMs: 1_000, times: 1_000 } }).ready;

    const player = `${id}.${life}`;
    const track = cluster.actor('race', 'r', { input: { length: 1_000_000 } });
    const step = () => track.send({ type: 'STEP', player });
    for (let steps = 1; ; steps++) {
      await pause(Math.random() * 300);
      note('stepping', { player });
      await Promise.race(how === 'impatient' ? [step(), pause(400).then(step)] : [step()]);
      note('seen', { player, steps, seen: track.getSnapshot().context.steps[player] });
      const name = `${player}.${steps}`;
      await cluster.actor('order', name, { input: { id: name, amount: 10 } }).send({ type: 'PAY' });
    }
  };

/** Services recognize a repeated call by its key: each charge and each run has one. */
const oneKey = invariant('a call has one key', ({ history }) => {
  const keys = new Map();
  for (const { type, what, call, key } of history) {
    if (type !== 'note' || what !== 'called') continue;
    if ((keys.get(call) ?? key) !== key) return `"${call}" was called under two keys`;
    keys.set(call, key);
  }
  return true;
});

/** A player that made a step sees as many steps as it made. */
const eachStepOnce = invariant('each step is counted once', ({ history }) => {
  const odd = history.find(({ type, what, steps, seen }) => type === 'note' && what === 'seen' && steps !== seen);
  return !odd || `${odd.player} made ${odd.steps} steps and sees ${odd.seen}`;
});

const options = { peers: 3, judges: [oneKey, eachStepOnce], seconds: 15 };

export const careful = { ...options, main: main('careful') };
export const careless = { ...options, main: main('careless') };
export const impatient = { ...options, main: main('impatient') };
