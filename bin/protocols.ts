/** The protocols that a command line can use: the built-in ones, and those of modules given with `--protocol FILE`. */
import { join, relative } from 'node:path';
import { loaders } from '../machines/by-name.js';
import { isObject } from '../machines/checks.js';
import { UsageError } from '../machines/errors.js';
import type { Protocol } from '../machines/protocol.js';
import { nearestWord, shownValue, unknownWord } from '../network/scenario/read.js';
import { exportsOf, relativeModule } from './modules.js';

/** A protocol, with the exporting module if it is not built in. */
export interface FoundProtocol {
  readonly protocol: Protocol;
  readonly module?: { readonly path: string; readonly name: string };
}

const brought = new Map<string, FoundProtocol>();

const names = (): readonly string[] => [...new Set([...Object.keys(loaders), ...brought.keys()])];

/** Registers the protocols of these modules in addition to the built-in ones. */
export async function bringProtocols(files: readonly string[]): Promise<void> {
  brought.clear();
  for (const file of files) {
    for (const found of await protocolsIn(file)) {
      const other = brought.get(found.protocol.name)?.module;
      if (other && other.path !== found.module!.path)
        throw new UsageError(
          `${file} and ${relative('.', other.path)} both export a protocol "${found.protocol.name}". Rename one of the two protocols.`,
        );
      brought.set(found.protocol.name, found);
    }
  }
}

/** The command-line words that load a custom protocol again; empty for a built-in one. */
export function broughtBy({ protocol, module = brought.get(protocol.name)?.module }: FoundProtocol): readonly string[] {
  return module ? ['--protocol', relative('.', module.path)] : [];
}

/** The module of a custom protocol, as a test in that folder imports it; undefined for a built-in one. */
export function importOf(protocol: string, folder: string): { readonly path: string; readonly name: string } | undefined {
  const module = brought.get(protocol)?.module;
  return module && { path: relativeModule(join(folder, 'saved.test.ts'), module.path), name: module.name };
}

/** The protocols that were loaded with `--protocol`. */
export const broughtProtocols = (): readonly Protocol[] => [...brought.values()].map(({ protocol }) => protocol);

/** The loaded modules, for threads that need the same ones. */
export const broughtFiles = (): readonly string[] => [...brought.values()].map(({ module }) => module!.path);

/**
 * The protocols to parse a scenario with: those that it names. All of them if it names several or none, because an error lists them.
 *
 * @throws UsageError if it names an unknown one.
 */
export async function protocolsFor(json: unknown): Promise<Readonly<Record<string, Protocol>>> {
  const given = isObject(json) ? json['protocol'] : undefined;
  const known = names();
  if (typeof given === 'string' && !known.includes(given)) {
    const { message } = unknownWord(`protocol is ${shownValue(given)}, which is unknown`, given, known);
    throw new UsageError(`${message}. For your own protocol, add --protocol FILE.`);
  }
  const needed = known.filter((name) => (isObject(given) ? Object.values(given).includes(name) : given === name));
  return Object.fromEntries(
    await Promise.all((needed.length > 0 ? needed : known).map(async (one) => [one, (await named(one)).protocol] as const)),
  );
}

const named = async (name: string): Promise<FoundProtocol> => brought.get(name) ?? { protocol: await loaders[name]!() };

/** A protocol by its name or by the file that exports it; by default, the only loaded one. */
export async function protocolOf(word: string | undefined): Promise<FoundProtocol> {
  if (word === undefined && brought.size === 1) return [...brought.values()][0]!;
  const known = names();
  if (word !== undefined && known.includes(word)) return named(word);
  if (word === undefined || !isFile(word)) {
    const meant = word === undefined ? undefined : nearestWord(word, known);
    const guess = meant === undefined ? '' : `Unknown protocol "${word}". Did you mean "${meant}"? `;
    throw new UsageError(`${guess}Name one protocol: ${known.join(', ')}, or a file that exports one.`);
  }
  const [first] = await protocolsIn(word);
  return first!;
}

/** True if a word names a file and not a protocol. */
export const isFile = (word: string): boolean => !names().includes(word) && /[./\\]/.test(word);

async function protocolsIn(file: string): Promise<readonly FoundProtocol[]> {
  const { path, exported } = await exportsOf(file);
  const { exportedProtocols } = await import('./exported.js');
  return exportedProtocols(exported, file).map(({ protocol, name }) => ({ protocol, module: { path, name } }));
}
