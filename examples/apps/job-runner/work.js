/** The work of a worker, independent of the transport of its locks and the store of its jobs. */
import { EventEmitter, once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { StaleFenceError } from './store.js';

/**
 * @typedef {object} Kind
 * @property {(input: any, signal: AbortSignal) => unknown} run runs a job of this kind, possibly more than once. The signal aborts when the
 * lock is lost; the result then no longer counts
 * @property {number} [everyMs] for a cron: interval between its jobs, in milliseconds
 */

/**
 * @typedef {object} Worker
 * @property {import('xstate-quiver/locks').Locks} locks
 * @property {Pick<import('./store.js').JobStore, 'add' | 'watch' | 'begin' | 'finish'>} store
 * @property {Record<string, Kind>} kinds
 * @property {number} lanes maximum number of jobs at a time
 * @property {AbortSignal} signal stops the start of further jobs
 * @property {(line: string) => void} log
 */

/** Interval between checks of all open jobs: a crash of a worker changes nothing in the store. */
const LOOK_MS = 1_000;

/**
 * Runs open jobs, each under its own lock. Resolves after the signal, when all running jobs have ended.
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
      // Another worker runs it.
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
    if (!run) throw new Error(`unknown kind of job "${kind}"; known kinds: ${Object.keys(kinds).join(', ')}`);
    return { result: await run(input, signal) };
  } catch (error) {
    return { error: String(error) };
  }
}

/**
 * Logs the error. If another worker has the job now, this worker continues.
 * @param {string} id
 * @param {Worker['log']} log
 */
const explained = (id, log) => (/** @type {Error} */ error) => {
  if (error.name !== 'LostError' && !(error instanceof StaleFenceError)) throw error;
  log(`job ${id}: ${error.message}`);
};

/**
 * Adds the job of each slot of each cron. A lock avoids duplicate work; the id of a slot's job ensures that the store accepts it once.
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
