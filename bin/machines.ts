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
 * The machine that a module exports by default or as the only one; `FILE#name` names one of several. `null` when it exports none, or a
 * protocol next to it, whose chart it is.
 */
export async function machineIn(word: string): Promise<FoundMachine | null> {
  const [file, wanted] = word.split('#') as [string, string?];
  const { path, exported } = await exportsOf(file);
  const machines = Object.entries(exported).filter(([, value]) => isMachine(value)) as [string, AnyStateMachine][];
  const names = machines.map(([name]) => name);
  if (machines.length === 0) return null;
  if (wanted === undefined && Object.values(exported).some(isNamedWithCharts)) return null;
  const name = wanted ?? (names.includes('default') ? 'default' : names.length === 1 ? names[0]! : undefined);
  if (name === undefined) throw new UsageError(`${file} exports the machines ${names.join(', ')}; name one, ${file}#${names[0]}`);
  const found = machines.find(([one]) => one === name);
  if (!found) throw new UsageError(`${file} exports no machine ${name}; it exports ${names.join(', ')}`);
  return { machine: found[1], path, name };
}

/** Samples, services and what must hold: the default export of a module, or its export `tests`. */
export async function testsIn(file: string | undefined): Promise<MachineTests> {
  if (file === undefined) return {};
  const { exported } = await exportsOf(file);
  const tests = exported['default'] ?? exported['tests'];
  if (typeof tests !== 'object' || tests === null)
    throw new UsageError(`${file} exports no tests; export default { events: { … }, services: { … } }`);
  return tests as MachineTests;
}
