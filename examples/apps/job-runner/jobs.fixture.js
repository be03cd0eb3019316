/** Jobs of the tests: one that takes its time, one that always fails, and a cron that is often due. */
import { setTimeout as pause } from 'node:timers/promises';

/** @type {Record<string, import('./work.js').Kind>} */
export const kinds = {
  // It takes no notice of its signal, as work does that cannot be called back.
  slow: { run: async ({ ms }) => (await pause(ms), `by process ${process.pid}`) },
  bad: { run: () => Promise.reject(new Error('as always')) },
  tick: { everyMs: 500, run: ({ slot }) => slot },
};
