/** Loads a machine of an application from the file that exports it, and its tests from a second file. */
import type { AnyStateMachine } from 'xstate';
import { UsageError } from '../machines/errors.js';
import type { MachineTests } from '../test/machine/options.js';
import { isMachine } from '../test/machine/references.js';
import { isNamedWithCharts } from './exported.js';
import { exportsOf } from './modules.js';

export interface FoundMachine {
  readonly machine: AnyStateMachine;
  readonly path: string;
  /** Under which name the module exports it. */
  readonly name: string;
}

/**
 * The machine that a module exports. `FILE#name` selects one of several, or a function without arguments that returns one. `null`
 * if the module exports a protocol.
 *
 * @throws UsageError for a module that exports no machine, several, or none of that name.
 */
export async function machineIn(word: string): Promise<FoundMachine | null> {
  const [file = '', wanted] = word.split('#');
  const { path, exported } = await exportsOf(file);
  if (wanted === undefined && Object.values(exported).some(isNamedWithCharts)) return null;
  const machines = Object.entries(exported).filter((entry): entry is [string, AnyStateMachine] => isMachine(entry[1]));
  const names = machines.map(([name]) => name);
  if (wanted !== undefined) return { machine: await machineNamed(file, wanted, exported, names), path, name: wanted };
  const [first] = machines;
  if (!first) throw noMachine(file, exported);
  // The same machine may be exported by default and by its name.
  if (new Set(machines.map(([, machine]) => machine)).size > 1)
    throw new UsageError(`${file} exports several machines: ${names.join(', ')}. Choose one: ${file}#${names[0]}`);
  return { machine: first[1], path, name: names.includes('default') ? 'default' : first[0] };
}

async function machineNamed(
  file: string,
  name: string,
  exported: Readonly<Record<string, unknown>>,
  machines: readonly string[],
): Promise<AnyStateMachine> {
  const value = exported[name];
  if (isMachine(value)) return value;
  if (typeof value !== 'function') {
    if (machines.length === 0) throw noMachine(file, exported, name);
    throw new UsageError(`${file} exports no machine ${name}. It exports ${machines.join(', ')}.`);
  }
  const fix = `Export the machine that it returns, export const machine = ${name === 'default' ? 'create' : name}(…), and pass that name.`;
  if (value.length > 0) throw new UsageError(`${file}#${name} needs ${value.length === 1 ? 'an argument' : 'arguments'}. ${fix}`);
  let made: unknown;
  try {
    made = await value();
  } catch (error) {
    throw new UsageError(`${file}#${name} was called without arguments and threw ${String(error)}. ${fix}`, { cause: error });
  }
  if (isMachine(made)) return made;
  throw new UsageError(`${file}#${name} was called without arguments and returned ${kindOf(made)}, not a machine. ${fix}`);
}

/** The error for a missing machine, with the exports of the module. */
function noMachine(file: string, exported: Readonly<Record<string, unknown>>, wanted?: string): UsageError {
  const kinds = Object.entries(exported).map(([name, value]) => `${name} (${kindOf(value)})`);
  const found = kinds.length === 0 ? 'It exports nothing.' : `It exports ${kinds.join(', ')}.`;
  const looked = `${file} exports no machine${wanted === undefined ? ' and no protocol' : ` ${wanted}`}. ${found}`;
  const factories = Object.entries(exported).flatMap(([name, value]) =>
    typeof value === 'function' && !/^class\b/.test(String(value)) ? [[name, value.length] as const] : [],
  );
  const [factory, needed] = factories.find(([, parameters]) => parameters === 0) ?? factories[0] ?? [];
  if (factory !== undefined && wanted === undefined) {
    const called = `If ${factory} returns a machine: npx quiver test ${file}#${factory}`;
    const result = `If ${factory} returns a machine, export it: export const machine = ${factory === 'default' ? 'create' : factory}(…)`;
    return new UsageError(`${looked} ${needed === 0 ? called : result}`);
  }
  return new UsageError(
    `${looked} quiver test takes a protocol of defineProtocol, or a machine of XState 5: the result of createMachine or setup(…).createMachine.`,
  );
}

function kindOf(value: unknown): string {
  if (typeof value === 'function') return /^class\b/.test(String(value)) ? 'a class' : 'a function';
  if (Array.isArray(value)) return 'an array';
  if (typeof value !== 'object' || value === null) return value === null ? 'null' : typeof value;
  if ('transition' in value && 'initialState' in value) return 'a machine of XState 4';
  if (isActor(value)) return 'an actor: export its machine';
  if ('transition' in value && 'getInitialSnapshot' in value) return 'actor logic, not a machine';
  return 'an object';
}

const isActor = (value: object): boolean => 'getSnapshot' in value && 'send' in value;

/** Samples, services and what must hold: the default export of a module, or its export `tests`. */
export async function testsIn(file: string | undefined): Promise<MachineTests> {
  if (file === undefined) return {};
  const { exported } = await exportsOf(file);
  const tests = exported['default'] ?? exported['tests'];
  if (typeof tests !== 'object' || tests === null)
    throw new UsageError(`${file} exports no tests. Add: export default { events: { … }, services: { … } }`);
  return tests;
}
