/**
 * Prints the size of an entry in an application: bundled for a browser by Vite, minified, without the peers (xstate, rxjs, ws, NATS, MQTT).
 *
 *     node scripts/weigh.mjs locks
 *
 * The output contains the gzipped bytes of the bundle, and those of its folders and modules, each gzipped separately.
 */
import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build } from 'vite';

const root = fileURLToPath(new URL('..', import.meta.url));

const PICKED = 'virtual:picked';

/** The parts of the bundle of a file of dist/: all that it exports, or only `names`. */
export async function bundle(entry, names = []) {
  const picked = {
    name: 'picked',
    resolveId: (id) => (id === PICKED ? id : null),
    load: (id) => (id === PICKED ? `export { ${names.join(', ')} } from ${JSON.stringify(`${root}${entry}`)};` : null),
  };
  const { output } = await build({
    configFile: false,
    root,
    logLevel: 'error',
    plugins: [picked],
    build: {
      write: false,
      rolldownOptions: {
        input: names.length > 0 ? PICKED : `${root}${entry}`,
        external: [/^node:/, /^(xstate|rxjs|ws|mqtt|@nats-io|fast-check)/],
        preserveEntrySignatures: 'strict',
      },
    },
  });
  return output.filter((part) => part.type === 'chunk');
}

export const bytesOf = (chunks) => gzipSync(chunks.map(({ code }) => code).join('')).length;

function divided(chunks) {
  const modules = chunks.flatMap((chunk) => Object.entries(chunk.modules));
  const alone = modules.flatMap(([id, { code }]) => (code ? [[relative(`${root}dist`, id), gzipSync(code).length]] : []));
  const scale = bytesOf(chunks) / alone.reduce((sum, [, bytes]) => sum + bytes, 0);
  return alone.map(([module, bytes]) => [module, bytes * scale]).sort((a, b) => b[1] - a[1]);
}

function byFolder(modules) {
  const sums = new Map();
  for (const [module, bytes] of modules) {
    const folder = module.slice(0, module.lastIndexOf('/'));
    sums.set(folder, (sums.get(folder) ?? 0) + bytes);
  }
  return [...sums].sort((a, b) => b[1] - a[1]);
}

function print(title, rows) {
  console.log(`\n${title}`);
  for (const [name, bytes] of rows) console.log(`${(bytes / 1000).toFixed(2).padStart(7)} kB  ${name}`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { exports } = JSON.parse(readFileSync(`${root}package.json`, 'utf8'));
  const [given] = process.argv.slice(2);
  const entry = exports[given === '.' ? '.' : `./${given}`]?.default;
  if (entry === undefined) throw new Error(`Unknown entry "${given}". Use a name from package.json, such as locks.`);
  const chunks = await bundle(entry);
  const modules = divided(chunks);
  print(`${given}: ${bytesOf(chunks)} bytes`, byFolder(modules));
  print('by module', modules);
}
