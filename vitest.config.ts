import { defineConfig } from 'vitest/config';
import { missing } from './bench/chromium.js';

/** What imports neither Node nor browser: nothing of one file's test can reach another's, so they share their modules. */
const pure = '{machines,network,test,experiments}/**/*.test.ts';
/** It puts itself in the place of the platform. */
const rehearsals = 'test/rehearsal/**/*.test.ts';
/** The inspector's page in a real Chromium: built and started once for all of them. */
const ofPage = 'inspector/page*.test.ts';

if (missing) console.warn(`skipped: the tests of the inspector's page and of the browser's examples. There is ${missing}`);

export default defineConfig({
  test: {
    testTimeout: 60_000,
    pool: 'threads',
    // One more than the two cores of CI: many tests wait for processes, sockets and pages.
    maxWorkers: 3,
    projects: [
      { extends: true, test: { name: 'pure', include: [pure], exclude: [rehearsals], isolate: false } },
      {
        extends: true,
        test: {
          name: 'all',
          include: ['{adapters,inspector,bin,examples,bench,chaos,scripts,compat-v4}/**/*.test.ts', rehearsals],
          exclude: [ofPage],
        },
      },
      { extends: true, test: { name: 'page', include: missing ? [] : [ofPage], globalSetup: 'inspector/page/testing/setup.ts' } },
    ],
  },
});
