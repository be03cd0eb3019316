// Packs the library as npm would publish it, and uses the tarball like an application. It lints the package, installs it in an empty folder
// and imports every entry. It runs the README's example, the commands of the guide to own protocols, the starters of `quiver init`, and every
// page of docs/start and docs/recipes.
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { checkBlocks } from './check-blocks.mjs';
import { checkPages } from './check-pages.mjs';
import { checkRuntimes } from './check-runtimes.mjs';
import { checkStarters } from './check-starters.mjs';
import { declarationsFrom } from './declarations.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
/** Bytes of the package, packed and unpacked. */
const PACKED_MAX = 2_400_000;
const UNPACKED_MAX = 7_500_000;

/**
 * npm installs what was published before this day, so that the same tree has the same result later. Move it when a dependency of package.json
 * is newer.
 */
process.env.npm_config_before = '2026-11-20';
// It asks the registry once for each package, and again when an answer does not come.
process.env.npm_config_prefer_offline = 'true';
process.env.npm_config_fetch_timeout = '60000';
process.env.npm_config_fetch_retries = '5';

const folder = mkdtempSync(join(tmpdir(), 'quiver-package-'));
const run = (command, args, cwd) => execFileSync(command, args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });
const { name, exports, peerDependenciesMeta, devDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

/** Entries whose types need those of an optional package: `ws` (docs/transports.md). */
const WITH_TYPES_OF_WS = ['./transports/node', './rehearsal'];

/** Optional packages that the declarations of an entry import: TypeScript without skipLibCheck would require them. */
const optionalTypesOf = (entry, packed) =>
  [...declarationsFrom([exports[entry].types], packed)].flatMap(([file, imported]) =>
    imported
      .filter((each) => Object.keys(peerDependenciesMeta).some((peer) => `${each}/`.startsWith(`${peer}/`)))
      .map((each) => `${file}: ${each}`),
  );

try {
  run('node_modules/.bin/publint', ['--strict'], root);
  const [packed] = JSON.parse(run('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', folder], root));
  const { filename, files, size, unpackedSize } = packed;
  if (size > PACKED_MAX || unpackedSize > UNPACKED_MAX)
    throw new Error(
      `The package has ${size} bytes packed and ${unpackedSize} unpacked. The limits are ${PACKED_MAX} and ${UNPACKED_MAX}.`,
    );
  run('node_modules/.bin/attw', [join(folder, filename), '--profile', 'esm-only'], root);
  run('npm', ['init', '-y'], folder);
  const versionOf = (each) => `${each}@${devDependencies[each]}`;
  const packages = ['xstate', 'rxjs', ...Object.keys(peerDependenciesMeta)].map(versionOf);
  run('npm', ['install', '--no-audit', '--no-fund', join(folder, filename), ...packages], folder);

  const entries = Object.keys(exports).filter((entry) => entry !== './package.json');
  writeFileSync(
    join(folder, 'entries.mjs'),
    entries
      .filter((entry) => !entry.endsWith('.json'))
      .map((entry) => `await import('${join(name, entry)}');`)
      .join('\n'),
  );
  run('node', ['entries.mjs'], folder);
  writeFileSync(
    join(folder, 'stories.mjs'),
    `const { storyShelf } = await import('./node_modules/${name}/dist/papers/stories/shelf.js');
    const shelf = storyShelf();
    for (const { name, runs } of shelf.stories) for (const run of Object.keys(runs)) for (const _ of shelf.run(name, run)) break;`,
  );
  run('node', ['stories.mjs'], folder);

  // Packed twice, the same bytes.
  const again = join(folder, 'again');
  mkdirSync(again);
  const [{ integrity }] = JSON.parse(run('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', again], root));
  if (integrity !== packed.integrity) throw new Error('npm pack produced different bytes the second time.');

  const typed = entries.filter((entry) => exports[entry].types && !WITH_TYPES_OF_WS.includes(entry));
  const needed = typed.flatMap((entry) => optionalTypesOf(entry, join(folder, 'node_modules', name)));
  if (needed.length > 0) throw new Error(`Types of entries need optional packages:\n${[...new Set(needed)].join('\n')}`);

  // npm warns of scripts that it would run at the installation of the package.
  const { scripts = {} } = JSON.parse(readFileSync(join(folder, 'node_modules', name, 'package.json'), 'utf8'));
  const atInstall = ['preinstall', 'install', 'postinstall', 'prepare'].filter((script) => script in scripts);
  if (atInstall.length > 0) throw new Error(`The package has install scripts: ${atInstall.join(', ')}`);

  // Modules that wait at their start can only be imported with `import`.
  const modules = entries
    .filter((entry) => entry !== './inspector/auto' && !entry.endsWith('.json'))
    .map((entry) => join(name, entry));
  // Node 20.19 and 22.12 take ESM by `require`.
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major > 22 || (major === 22 && minor >= 12) || (major === 20 && minor >= 19)) {
    writeFileSync(join(folder, 'entries.cjs'), modules.map((entry) => `require('${entry}');`).join('\n'));
    run('node', ['entries.cjs'], folder);
  }
  const elsewhere = checkRuntimes(folder, modules, run);

  // The types of every entry, for the oldest and the newest TypeScript. Only the newest checks the declarations themselves: in the oldest,
  // typed arrays do not have a type parameter for their buffer.
  writeFileSync(
    join(folder, 'types.mts'),
    entries
      .filter((entry) => !entry.endsWith('.json'))
      .map((entry) => `export * as e${entries.indexOf(entry)} from '${join(name, entry)}';`)
      .join('\n'),
  );
  const compilers = ['ts5.4@npm:typescript@5.4.5', versionOf('typescript'), versionOf('@types/node')];
  run('npm', ['install', '--no-audit', '--no-fund', ...compilers], folder);
  for (const [compiler, skipped] of [
    ['ts5.4', 'true'],
    ['typescript', 'false'],
  ]) {
    const flags = ['--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2022', '--types', 'node'];
    run('node', [join('node_modules', compiler, 'bin/tsc'), ...flags, '--skipLibCheck', skipped, 'types.mts'], folder);
  }

  const [, example, expected] = /```js\n(.*?)```\s+```\n(.*?)```/s.exec(readFileSync(join(root, 'README.md'), 'utf8'));
  writeFileSync(join(folder, 'example.mjs'), example);
  const { stdout, stderr } = spawnSync('node', ['example.mjs'], { cwd: folder, encoding: 'utf8' });
  const printed = `${stdout}${stderr}`;
  if (printed !== expected) throw new Error(`The example of the README printed\n${printed}instead of\n${expected}`);
  // The guide to own protocols: its example compiled, its commands run, all but the one that waits for a browser.
  const guide = [...readFileSync(join(root, 'docs/own-protocol.md'), 'utf8').matchAll(/```(\w+)\n(.*?)```/gs)];
  const block = (language, part) => guide.find(([, given, text]) => given === language && text.includes(part))[2];
  run('npm', ['pkg', 'set', 'type=module'], folder);
  run('sh', ['-ec', block('sh', 'EXAMPLE=').replaceAll(/^npm .*$/gm, '')], folder);
  writeFileSync(join(folder, 'call.json'), block('json', 'ring'));
  const commands = block('sh', 'quiver run')
    .split('\n')
    .filter((line) => line.includes('quiver') && !line.includes('explore'));
  for (const line of commands) run('sh', ['-c', line], folder);

  const blocks = checkBlocks(folder, run);
  const starters = checkStarters(folder, run);
  await checkPages(join(folder, filename));

  console.log(
    `package: ${files.length} files, ${Math.round(size / 1024)} kB packed, ${entries.length} entries import, the README's example and ${commands.length} commands of the guide run; ${blocks}; ${starters}; ${elsewhere}`,
  );
} finally {
  rmSync(folder, { recursive: true, force: true });
}
