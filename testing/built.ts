/**
 * Tests load the product from `dist/`, as its users do. Node loads a built file in a fraction of the processor time that it takes to transform
 * its source for each project of tests. Source maps lead from failures to the sources.
 *
 * A source that is newer than its built file is compiled when a run begins, so a single test file needs no build. Tests load the sources
 * themselves without a build, in watch mode, with `--coverage`, and with `QUIVER_SOURCES=1`.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { transformWithOxc, type Plugin } from 'vite';

const root = fileURLToPath(new URL('..', import.meta.url));

const config = (name: string): Readonly<Record<'include' | 'exclude', string[]>> =>
  JSON.parse(readFileSync(join(root, name), 'utf8')) as never;
const { include } = config('tsconfig.json');
const { exclude } = config('tsconfig.build.json');

// Patterns are folders (`inspector/page`), files, and suffixes (`**/*.test.ts`).
const matches = (path: string) => (pattern: string) =>
  pattern.startsWith('**/*') ? path.endsWith(pattern.slice('**/*'.length)) : `${path}/`.startsWith(`${pattern}/`);

const isBuilt = (path: string): boolean =>
  /(?<!\.d)\.tsx?$/.test(path) && include.some(matches(path)) && !exclude.some(matches(path));

const builtOf = (path: string): string => join(root, 'dist', path.replace(/\.tsx?$/, '.js'));

function* sources(folders: readonly string[]): Generator<string> {
  for (const folder of folders) {
    if (folder.endsWith('.ts')) yield folder;
    else for (const file of readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })) yield join(folder, file);
  }
}

const modifiedAt = (file: string): number => statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;

async function compile(path: string): Promise<void> {
  const built = builtOf(path);
  const source = join(root, path);
  const { code, map } = await transformWithOxc(readFileSync(source, 'utf8'), source, { target: 'es2022', sourcemap: true });
  const inline = Buffer.from(JSON.stringify(map)).toString('base64');
  mkdirSync(dirname(built), { recursive: true });
  // Write to a temporary file first, because another run may be loading the target.
  const part = `${built}.${process.pid}`;
  writeFileSync(part, `${code}\n//# sourceMappingURL=data:application/json;base64,${inline}\n`);
  renameSync(part, built);
}

/** The plugins that make tests load `dist/`, if enabled. */
export async function built(): Promise<Plugin[]> {
  const isOff = ['--coverage', '--watch', 'watch', 'dev'].some((word) =>
    process.argv.some((argument) => argument.startsWith(word)),
  );
  if (isOff || process.env['QUIVER_SOURCES'] !== undefined || !existsSync(join(root, 'dist', 'index.js'))) return [];
  for (const path of sources(include)) {
    if (isBuilt(path) && modifiedAt(join(root, path)) > modifiedAt(builtOf(path))) await compile(path);
  }
  const resolveId = (id: string, importer?: string): string | null => {
    if (importer === undefined || !/^\.{1,2}\/.*\.js$/.test(id)) return null;
    const path = relative(root, resolve(dirname(importer), id)).replace(/\.js$/, '.ts');
    const source = [path, `${path}x`].find((file) => existsSync(join(root, file)));
    return source !== undefined && isBuilt(source) ? builtOf(source) : null;
  };
  return [{ name: 'built', enforce: 'pre', resolveId }];
}
