// Packs the library as npm would publish it, and uses the tarball as a stranger does: lints of the package, an empty folder, every
// entry imported, the README's example run.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const folder = mkdtempSync(join(tmpdir(), 'quiver-package-'));
const run = (command, args, cwd) => execFileSync(command, args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });
const { name, exports, peerDependenciesMeta } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

try {
  run('node_modules/.bin/publint', ['--strict'], root);
  const [{ filename, files, size }] = JSON.parse(run('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', folder], root));
  run('node_modules/.bin/attw', [join(folder, filename), '--profile', 'esm-only'], root);
  run('npm', ['init', '-y'], folder);
  run('npm', ['install', '--no-audit', '--no-fund', join(folder, filename), 'xstate@5', 'rxjs@7', ...Object.keys(peerDependenciesMeta)], folder);

  const entries = Object.keys(exports).filter((entry) => entry !== './package.json');
  writeFileSync(join(folder, 'entries.mjs'), entries.map((entry) => `await import('${join(name, entry)}');`).join('\n'));
  run('node', ['entries.mjs'], folder);

  const [, example, expected] = /```js\n(.*?)```\s+```\n(.*?)```/s.exec(readFileSync(join(root, 'README.md'), 'utf8'));
  writeFileSync(join(folder, 'example.mjs'), example);
  const printed = run('node', ['example.mjs'], folder);
  if (printed !== expected) throw new Error(`the README's example printed\n${printed}and not\n${expected}`);
  console.log(`package: ${files.length} files, ${Math.round(size / 1024)} kB packed, ${entries.length} entries import, the README's example runs`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
