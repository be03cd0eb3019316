import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['{machines,network,test,adapters,inspector,bin,examples,experiments,bench,chaos,scripts,compat-v4}/**/*.test.ts'],
    testTimeout: 60_000,
    pool: 'threads',
    // Vitest leaves one core free by default; with two, that is half of them.
    maxWorkers: 2,
  },
});
