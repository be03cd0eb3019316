/**
 * The unchanged workers (work.js, store.js), in virtual time, under faults from a seed. Only NATS is replaced, by a hub and a bucket in
 * memory.
 *
 *
 *     npx quiver rehearse rehearsal.js#careful
 *     npx quiver rehearse rehearsal.js#careless     # does not pass the fence when a job ends: a counterexample
 */
import { setTimeout as pause } from 'node:timers/promises';
import { linked, webSocket } from 'xstate-quiver/transports';
import { createLocks } from 'xstate-quiver/locks';
import { webSocketHub } from 'xstate-quiver/transports/node';
import { invariant, lockJudges } from 'xstate-quiver/rehearsal';
import { MemoryBucket } from './memory-bucket.js';
import { JobStore } from './store.js';
import { work } from './work.js';

const IDS = Array.from({ length: 12 }, (_, i) => `job-${i}`);

/**
 * The workers of one run share its bucket.
 * @type {WeakMap<object, MemoryBucket>}
 */
const buckets = new WeakMap();

/**
 * @param {boolean} isCareful
 * @returns {import('xstate-quiver/rehearsal').Main}
 */
const main =
  (isCareful) =>
  async ({ id, peers, store: run, watch, note }) => {
    const bucket = buckets.get(run) ?? new MemoryBucket(5);
    buckets.set(run, bucket);
    const store = new JobStore(/** @type {any} */ (bucket));
    for (const job of IDS) await store.add(job, { kind: 'draw', input: null });
    const transport = linked(webSocket({ id, url: 'ws://hub' }), { peers });
    const locks = watch(createLocks({ transport, peers }));
    await work({
      locks,
      kinds: { draw: { run: () => pause(4_000 + Math.random() * 2_000) } },
      store: {
        add: (job, what) => store.add(job, what),
        watch: (signal) => store.watch(signal),
        begin: async (job, fence, by) => {
          const begun = await store.begin(job, fence, by);
          if (begun) note('begun', { job });
          return begun;
        },
        finish: async (job, fence, outcome) => {
          await store.finish(job, isCareful ? fence : Number.MAX_SAFE_INTEGER, outcome);
          note('finished', { job });
        },
      },
      lanes: 2,
      signal: new AbortController().signal,
      log: () => {},
    });
  };

/** A stale worker ends no job: a job is finished once, by the worker that started it last. */
const byTheLast = invariant('finished once, by its last worker', ({ history }) => {
  const begun = new Map();
  const finished = new Map();
  for (const { type, what, peer, job } of history) {
    if (type !== 'note') continue;
    if (what === 'begun') begun.set(job, peer);
    else if (finished.has(job)) return `${job} was finished by ${finished.get(job)}, and then by ${peer}`;
    else if (begun.get(job) !== peer) return `${job} was finished by ${peer} after ${begun.get(job)} had started it again`;
    else finished.set(job, peer);
  }
  return true;
});

const options = {
  peers: 3,
  services: {
    hub: /** @type {import('xstate-quiver/rehearsal').Main} */ (
      ({ listen, WebSocketServer }) => webSocketHub({ server: listen(), WebSocketServer })
    ),
  },
  judges: [...lockJudges(), byTheLast],
};

export const careful = { ...options, main: main(true) };
/** A stalled worker is enough to fail. */
export const careless = { ...options, faults: /** @type {const} */ (['pause']), main: main(false) };
