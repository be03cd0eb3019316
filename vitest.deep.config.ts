import { configDefaults, defineConfig } from 'vitest/config';
import { missing } from './testing/chromium.js';

const ofPage = 'inspector/page*.deep.ts';

/** What takes long: searches, each with its counts in the test itself, examples and figures as programs, and every story on the page. */
export default defineConfig({
  test: {
    testTimeout: 3_600_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 20_000 } },
    setupFiles: 'testing/setup.ts',
    pool: 'forks',
    maxWorkers: 1,
    // Some count bytes.
    execArgv: ['--max-old-space-size=16000', '--expose-gc'],
    projects: [
      {
        extends: true,
        test: {
          name: 'deep',
          include: [
            '{machines,network,test,adapters,bin,examples,experiments,scripts,inspector,bench,chaos,testing}/**/*.deep.ts',
          ],
          exclude: [...configDefaults.exclude, ofPage],
        },
      },
      {
        extends: true,
        test: { name: 'page', include: missing ? [] : [ofPage], globalSetup: 'inspector/page/testing/setup.ts' },
      },
    ],
  },
});
