/** The Vitest configuration with which `reporter.test.ts` runs `charges.spec.ts`. */
import process from 'node:process';
import { defineConfig } from 'vitest/config';
import { RehearsalReporter } from '../../../test/rehearsal/reporter.js';

/** The configuration of an application; `reporter.test.ts` runs it. */
export default defineConfig({
  test: {
    root: import.meta.dirname,
    include: ['*.spec.ts'],
    reporters: ['default', new RehearsalReporter(process.env['FOLDER'])],
  },
});
