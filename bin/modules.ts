/** The modules of a user that a command line names: how they are loaded, and how another file imports them. */
import { relative, resolve, sep } from 'node:path';
import { pathToFileURL } from 'node:url';
import { UsageError } from '../machines/errors.js';
import { shownValue } from '../network/scenario/read.js';
import { readFile } from './read-file.js';
import { traceHeaderIn, unexpectedTrace } from './unexpected-trace.js';
import { USAGE } from './usage.js';

/** A module as an import names it, from a file in that folder. */
export function relativeModule(folder: string, path: string): string {
  const way = relative(folder, path).replaceAll(sep, '/');
  return way.startsWith('.') ? way : `./${way}`;
}

/** What the module in a file exports. */
export async function exportsOf(file: string): Promise<{ path: string; exported: Readonly<Record<string, unknown>> }> {
  const text = readFile(file);
  if (file.endsWith('.json'))
    throw new UsageError(`cannot load ${file}: it is JSON and no module; quiver run, check and explore take scenarios`);
  const path = resolve(file);
  return { path, exported: await load(path, file, text) };
}

const TYPESCRIPT = /\.[cm]?ts$/;
/** What Node says to a module that it takes for CommonJS, as `npm init` makes it. */
const COMMONJS = /^(Cannot use import statement outside a module|Unexpected token 'export')/;

async function load(path: string, file: string, text: string): Promise<Readonly<Record<string, unknown>>> {
  // Node ends without a word when nothing is left that could bring what a module awaits.
  const stuck = () => {
    console.error(`quiver: cannot load ${file}: what it awaits at its top never comes`);
    process.exitCode = USAGE;
  };
  process.once('exit', stuck);
  try {
    return (await import(pathToFileURL(path).href)) as Record<string, unknown>;
  } catch (error) {
    if ((error as NodeJS.ErrnoException | null | undefined)?.code === 'ERR_UNKNOWN_FILE_EXTENSION' && TYPESCRIPT.test(file))
      throw new UsageError(
        `cannot load ${file}: Node ${process.versions.node} takes no TypeScript; use 22.18 or later, or give the compiled file`,
      );
    const trace = traceHeaderIn(text.split('\n', 1)[0]!);
    if (trace) throw unexpectedTrace(file, trace, 'is no module');
    const said = whatWasThrown(error);
    const isCommon = error instanceof SyntaxError && COMMONJS.test(said);
    const cure = '; its package.json makes it CommonJS: set "type": "module" there, or let its name end with .mjs or .mts';
    throw new UsageError(`cannot load ${file}: ${said}${isCommon ? cure : ''}`);
  } finally {
    process.off('exit', stuck);
  }
}

const whatWasThrown = (error: unknown): string =>
  error instanceof Error ? error.message : `it throws ${shownValue(error)}, and no error`;
