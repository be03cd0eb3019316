import { defineConfig } from 'vitest/config';
import { missing } from './bench/chromium.js';

/** Nothing that one file's tests leave behind can reach another's, so they share their modules: to load them anew costs more than most tests. */
const shared = '{machines,network,test,experiments,adapters,inspector,bin,examples,bench,chaos,scripts,compat-v4}/**/*.test.ts';
/** A rehearsal puts itself in the place of the platform. */
const alone = ['test/rehearsal/**/*.test.ts', 'bin/program.test.ts'];
/** The inspector's page in a real Chromium: built and started once for all of them. */
const ofPage = 'inspector/page*.test.ts';

if (missing) console.warn(`skipped: the tests of the inspector's page and of the browser's examples. There is ${missing}`);

export default defineConfig({
  test: {
    // A busy machine is slow, and no test is about that: these end a test that waits for what never comes.
    testTimeout: 180_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 20_000 } },
    pool: 'threads',
    // The applications of examples/apps import the package by its name: what is built is loaded as it is.
    server: { deps: { external: [/\/dist\//] } },
    // One more than the two cores of CI: many tests wait for processes, sockets and pages.
    maxWorkers: 3,
    projects: [
      { extends: true, test: { name: 'shared', include: [shared], exclude: [...alone, ofPage], isolate: false } },
      { extends: true, test: { name: 'alone', include: alone } },
      {
        extends: true,
        test: { name: 'page', include: missing ? [] : [ofPage], isolate: false, globalSetup: 'inspector/page/testing/setup.ts' },
      },
    ],
  },
});
