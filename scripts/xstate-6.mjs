// Reports which parts of XState the kernel, the charts and the tests find in the latest alpha of version 6, and which of their tests pass.
// It changes nothing here, and nothing fails.
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const folder = mkdtempSync(join(tmpdir(), 'quiver-xstate-6-'));
const npm = (...args) => execFileSync('npm', args, { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });

/** The names that a source file takes from XState, types apart, by entry. */
function imported(text) {
  const names = [];
  for (const [, isType, list, entry] of text.matchAll(/import (type )?\{([^}]*)\} from '(xstate(?:\/\w+)?)'/g)) {
    if (isType) continue;
    for (const one of list.split(',').map((name) => name.trim()))
      if (one !== '' && !one.startsWith('type ')) names.push([entry, one.split(' as ')[0]]);
  }
  return names;
}

const sources = (part) =>
  readdirSync(join(root, part), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.tsx?$/.test(name) && !/\.(test|deep|fixtures?)\./.test(name) && !name.includes('node_modules'))
    .map((name) => join(part, name));

/** Files whose tests run with that version. */
const TESTED = {
  kernel: ['network/*.test.ts', 'network/world/*.test.ts'],
  charts: ['machines/directory/*.test.ts'],
  tests: ['test/machine/*.test.ts'],
};

/** A line for each part: how many of its files of tests can be loaded, how many of their tests pass, and what stops the others first. */
function reportRuns() {
  const dist = JSON.stringify(join(folder, 'node_modules/xstate/dist/xstate'));
  const alias = `[{ find: /^xstate$/, replacement: ${dist} + '.esm.js' }, { find: /^xstate\\/(.*)$/, replacement: ${dist} + '-$1.esm.js' }]`;
  for (const [part, include] of Object.entries(TESTED)) {
    const [config, output] = [join(folder, `${part}.config.mjs`), join(folder, `${part}.json`)];
    const run = { include, testTimeout: 10_000, maxWorkers: 2, reporters: ['json'], outputFile: output };
    writeFileSync(
      config,
      `export default { root: ${JSON.stringify(root)}, cacheDir: ${JSON.stringify(join(folder, 'cache'))}, resolve: { alias: ${alias} }, test: ${JSON.stringify(run)} };`,
    );
    spawnSync('npx', ['vitest', 'run', '--config', config], { cwd: root, timeout: 600_000, stdio: 'ignore' });
    if (!existsSync(output)) {
      console.log(`${part.padEnd(10)} its tests came to no end`);
      continue;
    }
    const files = JSON.parse(readFileSync(output, 'utf8')).testResults;
    const loaded = files.filter(({ assertionResults }) => assertionResults.length > 0);
    const tests = loaded.flatMap(({ assertionResults }) => assertionResults);
    const passed = tests.filter(({ status }) => status === 'passed').length;
    const stops = new Set(files.filter((file) => !loaded.includes(file)).map(({ message }) => message.split('\n')[0]));
    console.log(
      `${part.padEnd(10)} ${loaded.length} of ${files.length} files of tests are loaded, ${passed} of their ${tests.length} tests pass; stopped by: ${[...stops].join(', ') || 'nothing'}`,
    );
  }
}

try {
  const versions = JSON.parse(npm('view', 'xstate', 'versions', '--json'));
  const version = versions.filter((one) => one.startsWith('6.')).at(-1);
  if (!version) throw new Error('The registry contains no version 6.');
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
  npm('install', '--no-audit', '--no-fund', `xstate@${version}`);
  const { exports } = JSON.parse(readFileSync(join(folder, 'node_modules/xstate/package.json'), 'utf8'));
  const entries = new Map();
  for (const entry of ['xstate', 'xstate/graph']) {
    if (!exports[entry === 'xstate' ? '.' : './graph']) continue;
    writeFileSync(join(folder, 'entry.mjs'), `export * from '${entry}';`);
    const url = `${pathToFileURL(join(folder, 'entry.mjs')).href}?${entry}`;
    entries.set(entry, new Set(Object.keys(await import(url))));
  }
  console.log(`xstate ${version}\n`);
  for (const part of ['network', 'machines', 'test', 'adapters', 'inspector', 'examples']) {
    const files = sources(part);
    const missing = new Map();
    let stands = 0;
    for (const file of files) {
      const gone = imported(readFileSync(join(root, file), 'utf8')).filter(([entry, name]) => !entries.get(entry)?.has(name));
      if (gone.length === 0) stands++;
      for (const [entry, name] of gone) missing.set(`${entry} ${name}`, (missing.get(`${entry} ${name}`) ?? 0) + 1);
    }
    const names = [...missing].sort((a, b) => b[1] - a[1]).map(([name, times]) => `${name.replace('xstate ', '')} (${times})`);
    console.log(
      `${part.padEnd(10)} ${stands} of ${files.length} files find all they import; missing: ${names.join(', ') || 'nothing'}`,
    );
  }
  console.log('\nRun with it instead of the installed version:');
  reportRuns();
} catch (error) {
  console.log(`xstate 6: nothing to report (${error.message.split('\n')[0]})`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
