/** Loads the modules that a user names on the command line. */
import { dirname, relative, resolve, sep } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Jiti } from 'jiti';
import { UsageError } from '../machines/errors.js';
import { shownValue } from '../network/scenario/read.js';
import { readFile } from './read-file.js';
import { traceHeaderIn, unexpectedTrace } from './unexpected-trace.js';
import { USAGE } from './usage.js';
import { fieldsOf } from '../machines/checks.js';

/** A module as an import in that file names it. TypeScript names the compiled file, which every setting of the compiler allows. */
export function relativeModule(file: string, path: string): string {
  const way = relative(dirname(resolve(file)), path).replaceAll(sep, '/');
  const named = way.startsWith('.') ? way : `./${way}`;
  return TYPESCRIPT.test(file) ? named.replace(/\.([cm]?)tsx?$/, '.$1js') : named;
}

/** Loads the module in a file and returns its exports, sorted by name. */
export async function exportsOf(file: string): Promise<{ path: string; exported: Readonly<Record<string, unknown>> }> {
  const text = readFile(file);
  if (file.endsWith('.json'))
    throw new UsageError(`Cannot load ${file} as a module: it is JSON. Scenarios are for quiver run, check and explore.`);
  const path = resolve(file);
  const exported = await load(path, file, text);
  return { path, exported: Object.fromEntries(Object.entries(exported).sort(([a], [b]) => (a < b ? -1 : 1))) };
}

/** Node's error for a module that it treats as CommonJS, the default of `npm init`. */
const COMMONJS = /^(Cannot use import statement outside a module|Unexpected token 'export')/;

async function load(path: string, file: string, text: string): Promise<Readonly<Record<string, unknown>>> {
  // Node ends silently if nothing can settle the promise that a module awaits.
  const stuck = () => {
    console.error(`quiver: Cannot load ${file}: a promise that it awaits at its top level never settles.`);
    process.exitCode = USAGE;
  };
  process.once('exit', stuck);
  try {
    return await importModule(path);
  } catch (error) {
    const trace = traceHeaderIn(text.split('\n', 1)[0]!);
    if (trace) throw unexpectedTrace(file, trace, 'not a module');
    const reason = whatWasThrown(error);
    const isCommon = error instanceof SyntaxError && COMMONJS.test(reason);
    const fix = '. Its package.json makes it CommonJS: set "type": "module" there, or rename the file to .mjs or .mts.';
    throw new UsageError(`Cannot load ${file}: ${reason}${isCommon ? fix : ''}`, { cause: error });
  } finally {
    process.off('exit', stuck);
  }
}

const TYPESCRIPT = /\.(?:[cm]?ts|tsx|jsx)$/;
/** Node's errors for a module that imports TypeScript that Node cannot load. */
const NOT_BY_NODE = ['ERR_UNKNOWN_FILE_EXTENSION', 'ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX'];

/**
 * Loads a module with Node, or with jiti if Node cannot. Node before 22.18 loads no TypeScript. Later versions load it without
 * enums, JSX, imports of types among values, and imports without a file extension.
 */
async function importModule(path: string): Promise<Readonly<Record<string, unknown>>> {
  try {
    return await import(pathToFileURL(path).href);
  } catch (error) {
    const code = String(fieldsOf(error)['code'] ?? '');
    const isRefused = TYPESCRIPT.test(path)
      ? error instanceof SyntaxError || code.startsWith('ERR_')
      : NOT_BY_NODE.includes(code);
    if (isRefused) return importTypeScript(path);
    throw error;
  }
}

let loader: Promise<Jiti> | undefined;

/** Loads a module in TypeScript or JSX with the paths of its tsconfig.json. Its packages are loaded by Node. */
async function importTypeScript(path: string): Promise<Readonly<Record<string, unknown>>> {
  const jiti = await (loader ??= import('jiti').then(({ createJiti }) =>
    createJiti(import.meta.url, { interopDefault: false, jsx: { runtime: 'automatic' }, tsconfigPaths: true }),
  ));
  const exported = await jiti.import<Record<string, unknown>>(path);
  // `node --watch` only observes the files that Node has loaded.
  if (process.env['WATCH_REPORT_DEPENDENCIES']) process.send?.({ 'watch:require': Object.keys(jiti.cache) });
  return exported;
}

const whatWasThrown = (error: unknown): string =>
  error instanceof Error ? error.message : `it throws ${shownValue(error)} instead of an Error`;
