import process from 'node:process';
import { defineConfig } from 'vitest/config';
import { RehearsalReporter } from '../reporter.js';

/** As an application has it; `reporter.test.ts` runs it. */
export default defineConfig({
  test: {
    root: import.meta.dirname,
    include: ['*.spec.ts'],
    reporters: ['default', new RehearsalReporter(process.env['FOLDER'])],
  },
});
