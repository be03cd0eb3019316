/**
 * A protocol module that a user writes on the page, loaded in the worker: its imports lead to the modules that the worker has itself,
 * so that there is one XState and one library.
 */
import { parse } from 'acorn';
import { exportedProtocols } from '../../bin/exported.js';
import { thrownText } from '../../machines/errors.js';
import type { Protocol } from '../../machines/protocol.js';
import { IMPORTS } from './bounds.js';
import { TextProblem } from './problem.js';

const MODULES: Readonly<Record<(typeof IMPORTS)[number], () => Promise<object>>> = {
  xstate: () => import('xstate'),
  'xstate-quiver': () => import('../../index.js'),
  'xstate-quiver/check': () => import('../../entries/check.js'),
  'xstate-quiver/machines': () => import('../../entries/machines.js'),
  'xstate-quiver/network': () => import('../../entries/network.js'),
  'xstate-quiver/test': () => import('../../entries/test.js'),
};

/** By their names. An empty text brings none. */
export async function protocolsOf(text: string): Promise<Readonly<Record<string, Protocol>>> {
  if (text.trim() === '') return {};
  const address = addressOfText(await withOurModules(text));
  const exported = await loaded(address);
  return Object.fromEntries(exportedProtocols(exported, 'the chart').map(({ protocol }) => [protocol.name, protocol]));
}

/** Loads a module. If it throws a value that is not an Error, the value has no place in a text. */
async function loaded(address: string): Promise<Readonly<Record<string, unknown>>> {
  try {
    return (await import(/* @vite-ignore */ address)) as Readonly<Record<string, unknown>>;
  } catch (error) {
    throw error instanceof Error ? error : new TextProblem('chart', thrownText(error));
  }
}

/** The same address for the same text: a second call gets the module that is already loaded. */
function addressOfText(text: string): string {
  const known = addresses.get(text) ?? URL.createObjectURL(new Blob([text], { type: 'text/javascript' }));
  addresses.set(text, known);
  return known;
}

const addresses = new Map<string, string>();

interface Import {
  readonly source: { readonly value: string; readonly start: number; readonly end: number };
  readonly loc: { readonly start: { readonly line: number; readonly column: number } };
}

/** The text with the addresses of our modules in its imports; no line moves. */
async function withOurModules(text: string): Promise<string> {
  let changed = text;
  for (const { source, loc } of importsOf(text).reverse()) {
    const name = IMPORTS.find((known) => known === source.value);
    if (name === undefined) {
      const place = { line: loc.start.line, column: loc.start.column + 1 };
      throw new TextProblem('chart', `"${source.value}" cannot be imported here; there are ${IMPORTS.join(', ')}`, place);
    }
    changed = changed.slice(0, source.start) + JSON.stringify(await addressOf(name, MODULES[name])) + changed.slice(source.end);
  }
  return changed;
}

function importsOf(text: string): Import[] {
  try {
    const { body } = parse(text, { ecmaVersion: 'latest', sourceType: 'module', locations: true });
    return body.flatMap((part) => ('source' in part && part.source ? [part as unknown as Import] : []));
  } catch (error) {
    const { message, loc } = error as SyntaxError & { readonly loc: { readonly line: number; readonly column: number } };
    throw new TextProblem('chart', message.replace(/ \(\d+:\d+\)$/, ''), { line: loc.line, column: loc.column + 1 });
  }
}

/** A module that exports what a module of the library exports. */
async function addressOf(name: string, load: () => Promise<object>): Promise<string> {
  const place = JSON.stringify(`module ${name}`);
  const module = await load();
  Object.assign(globalThis, { [`module ${name}`]: module });
  const names = Object.keys(module).filter((each) => each !== 'default');
  return addressOfText(
    [`const m = globalThis[${place}];`, ...names.map((each) => `export const ${each} = m.${each};`)].join('\n'),
  );
}
