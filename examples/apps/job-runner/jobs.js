/** The kinds of jobs. Add yours here, or name your own module in JOBS. */
import { setTimeout as pause } from 'node:timers/promises';

/** @type {Record<string, import('./work.js').Kind>} */
export const kinds = {
  greet: {
    run: async ({ name }, signal) => {
      await pause(1_000, undefined, { signal });
      return `hello, ${name}`;
    },
  },
  report: {
    everyMs: 60_000,
    run: ({ slot }) => `report of ${new Date(slot * 60_000).toISOString()}`,
  },
};
