/** A machine of an application by the file that exports it, and what a second file says about it for its tests. */
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
 * The machine that a module exports; `FILE#name` names one of several, or a function that returns one, which is called without arguments.
 * `null` if the module exports a protocol, whose chart a machine beside it is.
 *
 * @throws UsageError for a module that exports no machine, several, or none of that name.
 */
export async function machineIn(word: string): Promise<FoundMachine | null> {
  const [file, wanted] = word.split('#') as [string, string?];
  const { path, exported } = await exportsOf(file);
  if (wanted === undefined && Object.values(exported).some(isNamedWithCharts)) return null;
  const machines = Object.entries(exported).filter((entry): entry is [string, AnyStateMachine] => isMachine(entry[1]));
  const names = machines.map(([name]) => name);
  if (wanted !== undefined) return { machine: await machineNamed(file, wanted, exported, names), path, name: wanted };
  const [first] = machines;
  if (!first) throw noMachine(file, exported);
  // The same machine may be exported by default and by its name.
  if (new Set(machines.map(([, machine]) => machine)).size > 1)
    throw new UsageError(`${file} exports the machines ${names.join(', ')}; name one, ${file}#${names[0]}`);
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
    throw new UsageError(`${file} exports no machine ${name}; it exports ${machines.join(', ')}`);
  }
  const cure = `export the machine that it returns, as in export const machine = ${name === 'default' ? 'create' : name}(…), and name that`;
  let made: unknown;
  try {
    made = await (value as () => unknown)();
  } catch (error) {
    throw new UsageError(`${file}#${name} was called without arguments and threw ${String(error)}; ${cure}`);
  }
  if (isMachine(made)) return made;
  throw new UsageError(`${file}#${name} was called without arguments and returned ${kindOf(made)}, not a machine; ${cure}`);
}

/** What was looked for, and what the module exports in its place. */
function noMachine(file: string, exported: Readonly<Record<string, unknown>>, wanted?: string): UsageError {
  const kinds = Object.entries(exported).map(([name, value]) => `${name} (${kindOf(value)})`);
  const found = kinds.length === 0 ? 'it exports nothing' : `it exports ${kinds.join(', ')}`;
  const looked = `${file} exports no machine${wanted === undefined ? ' and no protocol' : ` ${wanted}`}; ${found}`;
  const factory = Object.entries(exported).find(
    ([, value]) => typeof value === 'function' && !/^class\b/.test(String(value)),
  )?.[0];
  if (factory !== undefined && wanted === undefined)
    return new UsageError(
      `${looked}. If ${factory} returns a machine, quiver test ${file}#${factory} calls it without arguments; if it needs arguments, export what it returns: export const machine = ${factory === 'default' ? 'create' : factory}(…)`,
    );
  return new UsageError(
    `${looked}. quiver test takes what createMachine or setup(…).createMachine of XState 5 returns, or a protocol of defineProtocol`,
  );
}

function kindOf(value: unknown): string {
  if (typeof value === 'function') return /^class\b/.test(String(value)) ? 'a class' : 'a function';
  if (Array.isArray(value)) return 'an array';
  if (typeof value !== 'object' || value === null) return value === null ? 'null' : typeof value;
  if ('transition' in value && 'initialState' in value) return 'a machine of XState 4';
  if (isActor(value)) return 'an actor; export its machine';
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
    throw new UsageError(`${file} exports no tests; export default { events: { … }, services: { … } }`);
  return tests as MachineTests;
}
