import { configDefaults, defineConfig } from 'vitest/config';
import { built } from './testing/built.js';
import { missing } from './testing/chromium.js';

const ofPage = 'inspector/page*.deep.ts';
/** They mock modules of the product, or have it import modules in TypeScript, so Vitest loads it from its sources. */
const sources = ['adapters/locks/register-model.deep.ts', 'bin/**/*.deep.ts'];

const plugins = await built();

/** Long tests: searches, each with its counts in the test, examples and figures as programs, and every story on the page. */
export default defineConfig({
  test: {
    testTimeout: 3_600_000,
    hookTimeout: 600_000,
    expect: { poll: { timeout: 120_000 } },
    setupFiles: 'testing/setup.ts',
    // Logs of passing tests would hide those of failing ones.
    silent: 'passed-only',
    pool: 'forks',
    maxWorkers: 1,
    // Some count bytes.
    execArgv: ['--max-old-space-size=16000', '--max-semi-space-size=64', '--expose-gc'],
    projects: [
      {
        extends: true,
        plugins,
        test: {
          name: 'deep',
          include: ['{machines,network,test,adapters,bin,examples,papers,scripts,inspector,bench,chaos,testing}/**/*.deep.ts'],
          exclude: [...configDefaults.exclude, ...sources, ofPage],
        },
      },
      { extends: true, test: { name: 'sources', include: sources } },
      {
        extends: true,
        plugins,
        test: { name: 'page', include: missing ? [] : [ofPage], globalSetup: 'inspector/page/testing/setup.ts' },
      },
    ],
  },
});
