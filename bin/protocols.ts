/** The protocols that the command knows: ours, and those that a line brings along with `--protocol FILE`, a module that exports one. */
import { relative, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { UsageError } from '../machines/errors.js';
import { protocols } from '../machines/index.js';
import type { Protocol } from '../machines/protocol.js';
import { nearestWord } from '../network/scenario/nearest.js';
import { shownValue } from '../network/scenario/read.js';
import { exportedProtocols } from './exported.js';
import { readFile } from './read-file.js';
import { relativeModule } from './relative-module.js';
import { traceHeaderIn, traceInstead } from './told-trace.js';
import { USAGE } from './usage.js';

export const known: Record<string, Protocol> = { ...protocols };

/** A protocol, and for one of your own the module that exports it under that name. */
export interface FoundProtocol {
  readonly protocol: Protocol;
  readonly module?: { readonly path: string; readonly name: string };
}

const brought = new Map<string, FoundProtocol>();

/** Makes known, beside ours, the protocols that these modules export, and no others. */
export async function bringProtocols(files: readonly string[]): Promise<void> {
  for (const { protocol } of brought.values()) delete known[protocol.name];
  Object.assign(known, protocols);
  brought.clear();
  for (const file of files) {
    for (const found of await protocolsIn(file)) {
      const other = brought.get(found.protocol.name)?.module;
      if (other && other.path !== found.module!.path)
        throw new UsageError(
          `${file} and ${relative('.', other.path)} both bring a protocol "${found.protocol.name}"; give each a name of its own`,
        );
      known[found.protocol.name] = found.protocol;
      brought.set(found.protocol.name, found);
    }
  }
}

/** The words that bring a protocol of one's own along again, for a line to paste; none for one of ours. */
export function broughtBy({ protocol, module = brought.get(protocol.name)?.module }: FoundProtocol): readonly string[] {
  return module ? ['--protocol', relative('.', module.path)] : [];
}

/** The module that brought a protocol of one's own, as an import names it from that folder; none for one of ours. */
export function importOf(protocol: string, folder: string): { readonly path: string; readonly name: string } | undefined {
  const module = brought.get(protocol)?.module;
  return module && { path: relativeModule(resolve(folder), module.path), name: module.name };
}

/** The protocols that have been brought along. */
export const broughtProtocols = (): readonly Protocol[] => [...brought.values()].map(({ protocol }) => protocol);

/** The modules that have been brought along, for threads that have to know the same. */
export const broughtFiles = (): readonly string[] => [...brought.values()].map(({ module }) => module!.path);

/** A protocol by its name, or by the file that exports it; without either, the only one that was brought along. */
export async function protocolOf(word: string | undefined): Promise<FoundProtocol> {
  if (word === undefined && brought.size === 1) return [...brought.values()][0]!;
  const protocol = known[word ?? ''];
  if (protocol) return brought.get(protocol.name) ?? { protocol };
  if (word === undefined || !isFile(word)) {
    const meant = word === undefined ? undefined : nearestWord(word, Object.keys(known));
    const guess = meant === undefined ? '' : `"${word}" is none; did you mean "${meant}"? Otherwise `;
    throw new UsageError(`${guess}name one protocol: ${Object.keys(known).join(', ')}, or the file of your own`);
  }
  const [first] = await protocolsIn(word);
  return first!;
}

/** Whether a word names a file and not a protocol. */
export const isFile = (word: string): boolean => !(word in known) && /[./\\]/.test(word);

/** What the module in a file exports. */
export async function exportsOf(file: string): Promise<{ path: string; exported: Readonly<Record<string, unknown>> }> {
  const text = readFile(file);
  if (file.endsWith('.json'))
    throw new UsageError(`cannot load ${file}: it is JSON and no module; quiver run, check and explore take scenarios`);
  const path = resolve(file);
  return { path, exported: await load(path, file, text) };
}

async function protocolsIn(file: string): Promise<readonly FoundProtocol[]> {
  const { path, exported } = await exportsOf(file);
  return exportedProtocols(exported, file).map(({ protocol, name }) => ({ protocol, module: { path, name } }));
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
    if (trace) throw traceInstead(file, trace, 'is no module');
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
