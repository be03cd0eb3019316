/**
 * A module that a user writes on the page, in TypeScript or JavaScript, loaded in the worker. Its imports resolve to the modules of the
 * worker, so that there is one XState and one library.
 */
import { parse } from 'acorn';
import type { AnyStateMachine } from 'xstate';
import { exportedProtocols } from '../../bin/exported.js';
import { UsageError, thrownText } from '../../machines/errors.js';
import type { Protocol } from '../../machines/protocol.js';
import type { MachineTests } from '../../test/machine/options.js';
import { isMachine } from '../../test/machine/references.js';
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

/** Protocols of a module by their names. An empty text contains none. */
export async function protocolsOf(text: string): Promise<Readonly<Record<string, Protocol>>> {
  if (text.trim() === '') return {};
  const exported = exportedProtocols(await exportsOf(text), 'the chart');
  return Object.fromEntries(exported.map(({ protocol }) => [protocol.name, protocol]));
}

/** The machine that a module exports, and its tests: the default export, or the export `tests`. */
export async function machineOf(text: string): Promise<{ readonly machine: AnyStateMachine; readonly tests: MachineTests }> {
  if (text.trim() === '')
    throw new UsageError('Test needs a machine. Write a module that exports one, or choose the sample "Machines".');
  const exported = await exportsOf(text);
  const machines = Object.entries(exported).filter((entry): entry is [string, AnyStateMachine] => isMachine(entry[1]));
  if (machines.length !== 1) {
    const found = machines.length === 0 ? 'no machine' : `several machines: ${machines.map(([name]) => name).join(', ')}`;
    throw new UsageError(
      `The chart exports ${found}. Export exactly one: the result of createMachine or setup(…).createMachine.`,
    );
  }
  const tests = isMachine(exported['default']) ? exported['tests'] : (exported['default'] ?? exported['tests']);
  return { machine: machines[0]![1], tests: (tests ?? {}) as MachineTests };
}

const exportsOf = async (text: string) => loaded(addressOfText(await withOurModules(await asJavaScript(text))));

/** The text without types. Lines keep their numbers. */
async function asJavaScript(text: string): Promise<string> {
  try {
    parsed(text);
    return text;
  } catch {
    const { transform } = await import('sucrase');
    try {
      return transform(text, { transforms: ['typescript'], disableESTransforms: true }).code;
    } catch (error) {
      throw syntaxProblem(error, 1);
    }
  }
}

/** A syntax error with its place. The parsers count columns from different numbers. */
function syntaxProblem(error: unknown, firstColumn: 0 | 1): TextProblem {
  const { message, loc } = error as SyntaxError & { readonly loc: { readonly line: number; readonly column: number } };
  return new TextProblem('chart', message.replace(/ \(\d+:\d+\)$/, ''), { line: loc.line, column: loc.column + 1 - firstColumn });
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

const importsOf = (text: string): Import[] =>
  parsed(text).body.flatMap((part) => ('source' in part && part.source ? [part as unknown as Import] : []));

function parsed(text: string): ReturnType<typeof parse> {
  try {
    return parse(text, { ecmaVersion: 'latest', sourceType: 'module', locations: true });
  } catch (error) {
    throw syntaxProblem(error, 0);
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
