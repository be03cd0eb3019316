/** The protocols that the command knows: ours, and those that a line brings along with `--protocol FILE`, a module that exports one. */
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { UsageError } from '../machines/errors.js';
import { protocols } from '../machines/index.js';
import type { Protocol } from '../machines/protocol.js';

const FLAG = '--protocol';

export const known: Record<string, Protocol> = { ...protocols };

/** Loads what `--protocol` names and gives the other arguments. */
export async function takeProtocols(args: readonly string[]): Promise<readonly string[]> {
  const at = args.indexOf(FLAG);
  if (at < 0) return args;
  const file = args[at + 1];
  if (file === undefined) throw new UsageError(`${FLAG} names no file; give the module that exports your protocol`);
  for (const protocol of await protocolsIn(file)) known[protocol.name] = protocol;
  return takeProtocols(args.toSpliced(at, 2));
}

/** A protocol by its name, or by the file that exports it. */
export async function protocolOf(word: string | undefined): Promise<Protocol> {
  const protocol = known[word ?? ''];
  if (protocol) return protocol;
  if (word === undefined || !/[./\\]/.test(word))
    throw new UsageError(`name one protocol: ${Object.keys(known).join(', ')}, or the file of your own`);
  const [first] = await protocolsIn(word);
  return first!;
}

async function protocolsIn(file: string): Promise<readonly Protocol[]> {
  const path = resolve(file);
  if (!existsSync(path)) throw new UsageError(`cannot read ${file}: there is no such file`);
  const found = Object.values(await load(path, file)).filter(isProtocol);
  if (found.length === 0)
    throw new UsageError(`${file} exports no protocol; export what defineProtocol({ name, charts, … }) gives`);
  return found;
}

async function load(path: string, file: string): Promise<Readonly<Record<string, unknown>>> {
  try {
    return (await import(pathToFileURL(path).href)) as Record<string, unknown>;
  } catch (error) {
    throw new UsageError(`cannot load ${file}: ${(error as Error).message.split('\n')[0]}`);
  }
}

function isProtocol(value: unknown): value is Protocol {
  if (typeof value !== 'object' || value === null) return false;
  const { name, charts, properties, samples } = value as Partial<Protocol>;
  return (
    typeof name === 'string' && typeof charts === 'object' && typeof properties === 'function' && typeof samples === 'object'
  );
}
