// Builds dist/: the library by tsc (unbundled, so go-to-definition and tree-shaking keep working), the page by vite.
// With --no-check types are not checked: npm test has them checked with all others, after it.
import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, readFileSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { declarationsFrom } from './declarations.mjs';

process.chdir(join(dirname(fileURLToPath(import.meta.url)), '..'));
const run = (module, ...args) => execFileSync(process.execPath, [join('node_modules', module), ...args], { stdio: 'inherit' });

rmSync('dist', { recursive: true, force: true });
run('typescript/bin/tsc', '-p', 'tsconfig.build.json', ...(process.argv.includes('--no-check') ? ['--noCheck'] : []));
// Declarations that no entry reaches have no reader.
const { exports } = JSON.parse(readFileSync('package.json', 'utf8'));
const types = Object.values(exports).flatMap((entry) => entry.types ?? []);
const reached = new Set([...declarationsFrom(types, '.').keys()].map((file) => join(file)));
for (const name of readdirSync('dist', { recursive: true }))
  if (name.endsWith('.d.ts') && !reached.has(join('dist', name))) rmSync(join('dist', name));
const [{ protocols }, { scenarioSchema }] = await Promise.all([
  import('../dist/machines/index.js'),
  import('../dist/network/scenario/schema.js'),
]);
writeFileSync('dist/scenario.schema.json', `${JSON.stringify(scenarioSchema(protocols))}\n`);
for (const mode of ['production', 'whole'])
  run('vite/bin/vite.js', 'build', 'inspector/page', '--mode', mode, '--logLevel', 'error');

// npm links the commands of a package only for its dependents: `npx quiver` needs the link here, too.
chmodSync('dist/bin/quiver.js', 0o755);
const command = 'node_modules/.bin/quiver';
if (existsSync('node_modules/.bin') && process.platform !== 'win32') {
  rmSync(command, { force: true });
  symlinkSync('../../dist/bin/quiver.js', command);
}

// Nor does it link a package into its own dependencies: the applications in examples/apps import it by its name, as yours would.
if (existsSync('node_modules') && !existsSync('node_modules/xstate-quiver'))
  symlinkSync('..', 'node_modules/xstate-quiver', 'junction');
