/** What a worker does, whatever carries its locks and keeps its jobs. */
import { EventEmitter, once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { StaleFenceError } from './store.js';

/**
 * @typedef {object} Kind
 * @property {(input: any, signal: AbortSignal) => unknown} run does a job of this kind. It may be begun more than once; the signal says
 * that the lock is lost, and that what it does counts for nothing any more
 * @property {number} [everyMs] for a cron: one job of this kind for each slot of so many milliseconds
 */

/**
 * @typedef {object} Worker
 * @property {import('xstate-quiver/locks').Locks} locks
 * @property {Pick<import('./store.js').JobStore, 'add' | 'watch' | 'begin' | 'finish'>} store
 * @property {Record<string, Kind>} kinds
 * @property {number} lanes so many jobs at a time
 * @property {AbortSignal} signal begins no job any more
 * @property {(line: string) => void} log
 */

/** A job whose worker has died changes nothing in the store, so all open ones are looked at so often. */
const LOOK_MS = 1_000;

/**
 * Does open jobs, each under its own lock. Resolves after the signal, once those that were begun have ended.
 * @param {Worker} worker
 */
export async function work({ locks, store, kinds, lanes, signal, log }) {
  /** @type {Set<string>} */
  const open = new Set();
  const tried = new Set();
  const news = new EventEmitter().setMaxListeners(lanes);
  signal.addEventListener('abort', () => news.emit('job'), { once: true });

  const watch = async () => {
    for await (const [id, { state }] of store.watch(signal)) {
      if (state !== 'open') open.delete(id);
      else if (!open.has(id)) {
        open.add(id);
        news.emit('job');
      }
    }
  };

  /** @param {string} id */
  const attempt = (id) =>
    locks.request(`job ${id}`, { ifAvailable: true }, async (lock) => {
      // Somebody else is at it.
      if (!lock) return;
      const job = await store.begin(id, lock.fence, locks.node.id);
      if (!job) return;
      await store.finish(id, lock.fence, await outcomeOf(job, kinds, lock.signal));
    });

  const lane = async () => {
    while (!signal.aborted) {
      for (const id of open) {
        if (signal.aborted) return;
        if (tried.has(id)) continue;
        tried.add(id);
        await attempt(id).catch(explained(id, log));
        tried.delete(id);
      }
      if (!signal.aborted) await once(news, 'job', { signal: AbortSignal.timeout(LOOK_MS) }).catch(() => {});
    }
  };

  await Promise.all([watch(), ...Array.from({ length: lanes }, lane)]);
}

/**
 * @param {import('./store.js').Job} job
 * @param {Record<string, Kind>} kinds
 * @param {AbortSignal} signal
 */
async function outcomeOf({ kind, input }, kinds, signal) {
  try {
    const { run } = kinds[kind] ?? {};
    if (!run) throw new Error(`nobody here does jobs of kind "${kind}"; there are ${Object.keys(kinds).join(', ')}`);
    return { result: await run(input, signal) };
  } catch (error) {
    return { error: String(error) };
  }
}

/**
 * The job is somebody else's by now, which is no reason to stop.
 * @param {string} id
 * @param {Worker['log']} log
 */
const explained = (id, log) => (/** @type {Error} */ error) => {
  if (error.name !== 'LostError' && !(error instanceof StaleFenceError)) throw error;
  log(`job ${id}: ${error.message}`);
};

/**
 * Adds the job of each slot of each cron. One worker at a time does, so that the others need not; that a slot has one job is up to its id,
 * which the store takes once.
 * @param {Pick<Worker, 'locks' | 'store' | 'kinds' | 'signal'>} worker
 */
export async function schedule({ locks, store, kinds, signal }) {
  const crons = Object.entries(kinds).filter(([, { everyMs }]) => everyMs);
  const add = async (/** @type {string} */ kind, /** @type {number} */ everyMs, /** @type {AbortSignal} */ over) => {
    while (!over.aborted) {
      const slot = Math.floor(Date.now() / everyMs);
      await store.add(`${kind}-${slot}`, { kind, input: { slot } });
      await pause((slot + 1) * everyMs - Date.now(), undefined, { signal: over }).catch(() => {});
    }
  };
  await locks
    .request('schedule', { signal, retry: true }, async (lock) => {
      const over = AbortSignal.any([signal, lock.signal]);
      await Promise.all(crons.map(([kind, { everyMs }]) => add(kind, /** @type {number} */ (everyMs), over)));
    })
    .catch((error) => {
      if (!signal.aborted) throw error;
    });
}
