/** Jobs of the tests: a slow one, one that always fails, and a frequent cron. */
import { setTimeout as pause } from 'node:timers/promises';

/** @type {Record<string, import('./work.js').Kind>} */
export const kinds = {
  // Ignores its signal, like work that cannot be interrupted.
  slow: { run: async ({ ms }) => (await pause(ms), `by process ${process.pid}`) },
  bad: { run: () => Promise.reject(new Error('as always')) },
  tick: { everyMs: 500, run: ({ slot }) => slot },
};
