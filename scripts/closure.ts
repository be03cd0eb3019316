/** The files of this repository that an entry loads: its value imports, followed through. */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseSync } from 'oxc-parser';

const root = fileURLToPath(new URL('..', import.meta.url));

/**
 * The files that a source file loads, itself first, each with the file that imports it. Imports of types and dynamic imports are not
 * followed.
 *
 * @param entry from the root of the repository: `index.ts`.
 */
export function closureOf(entry: string): ReadonlyMap<string, string | null> {
  const loaded = new Map<string, string | null>();
  const waiting: [file: string, importer: string | null][] = [[entry, null]];
  for (let next = waiting.shift(); next; next = waiting.shift()) {
    const [file, importer] = next;
    if (loaded.has(file)) continue;
    loaded.set(file, importer);
    for (const imported of valueImportsOf(file)) waiting.push([imported, file]);
  }
  return loaded;
}

/** The chain of imports that leads to the first file that matches, for the message of a test. */
export function wayTo(loaded: ReadonlyMap<string, string | null>, matches: (file: string) => boolean): readonly string[] {
  const way: string[] = [];
  for (let file = [...loaded.keys()].find(matches) ?? null; file !== null; file = loaded.get(file)!) way.unshift(file);
  return way;
}

function valueImportsOf(file: string): readonly string[] {
  const text = readFileSync(resolve(root, file), 'utf8');
  const { module } = parseSync(file, text);
  const imports = module.staticImports
    .filter(({ entries, start, end }) => {
      const isTypeOnly =
        /^import\s+type\b/.test(text.slice(start, end)) || (entries.length > 0 && entries.every(({ isType }) => isType));
      return !isTypeOnly;
    })
    .map(({ moduleRequest }) => moduleRequest.value);
  const exports = module.staticExports
    .flatMap(({ entries }) => entries)
    .flatMap(({ moduleRequest, isType }) => (moduleRequest && !isType ? [moduleRequest.value] : []));
  return [...imports, ...exports].filter((name) => name.startsWith('.')).flatMap((name) => sourceOf(file, name));
}

/** The source of a module that an import names by its compiled file; none for data. */
function sourceOf(importer: string, name: string): readonly string[] {
  const path = relative(root, resolve(root, dirname(importer), name));
  const candidates = [path.replace(/\.js$/, '.ts'), path.replace(/\.js$/, '.tsx')];
  return candidates.filter((candidate) => /\.tsx?$/.test(candidate) && existsSync(resolve(root, candidate))).slice(0, 1);
}
