import { BaseSequencer } from 'vitest/node';
import { defineConfig } from 'vitest/config';
import { slices } from './slices.mjs';

const { tests } = slices[process.env.MUTATION_SLICE];

class AsListed extends BaseSequencer {
  async sort(files) {
    const place = ({ moduleId }) => tests.findIndex((test) => moduleId.endsWith(`/${test}`));
    return [...files].sort((a, b) => place(a) - place(b));
  }
}

/** The runner starts a new worker for every mutant, so the files of one mutant may share their modules. */
export default defineConfig({
  // A busy machine is slow, and that kills no mutant: Stryker's own patience ends those that never end.
  test: {
    testTimeout: 180_000,
    include: tests,
    isolate: false,
    sequence: { sequencer: AsListed },
    server: { deps: { external: [/\/dist\//] } },
  },
});
