import { defineConfig } from 'vitest/config';

/** The long searches: each records its counts in the test itself. */
export default defineConfig({
  test: {
    include: ['{machines,network,test,adapters,bin,examples,experiments,compat-v4}/**/*.deep.ts'],
    testTimeout: 3_600_000,
    pool: 'forks',
    maxWorkers: 1,
    execArgv: ['--max-old-space-size=16000'],
  },
});
