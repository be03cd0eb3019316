/** Every starter of `quiver init` with the packed library: its tests pass, its types are right, and its program runs. */
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { VITEST_LIMITS } from './follow-page.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const TEMPLATES = ['protocol', 'backend', 'tabs', 'xstate', 'testing'];
/** Arguments of `quiver test` in these starters, for the tests that it writes in TypeScript. */
const EMITTED = { 'protocol-ts': ['ring.ts'], 'testing-ts': ['checkout.ts', '--with', 'samples.ts'] };

/** In a folder where the packed library is installed with Vitest and Vite; `run` runs a command in a folder. */
export function checkStarters(folder, run) {
  for (const template of TEMPLATES)
    for (const language of ['js', 'ts']) {
      const name = `${template}-${language}`;
      const made = join(folder, name);
      run(
        'node_modules/.bin/quiver',
        ['init', name, '--template', template, ...(language === 'ts' ? ['--typescript'] : [])],
        folder,
      );
      const words = EMITTED[name];
      if (words) run(join(folder, 'node_modules/.bin/quiver'), ['test', ...words, '--emit', 'emitted.test.ts'], made);
      run('node', [join(root, 'node_modules/vitest/vitest.mjs'), 'run', '--root', made, ...VITEST_LIMITS], made);
      if (language === 'ts') run('node', [join(root, 'node_modules/typescript/bin/tsc'), '-p', made], made);
      // The page of tabs is served until it is stopped.
      else if (template === 'tabs') run('node', [join(root, 'node_modules/vite/bin/vite.js'), 'build'], made);
      else run('npm', ['start'], made);
    }
  return `${TEMPLATES.length * 2} starters pass their tests`;
}
