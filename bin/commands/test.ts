/**
 * `quiver test FILE` with a machine of an application: its generated tests (../test-machine.ts). `quiver test PROTOCOL`: the generated
 * paths of a protocol's charts and systems (../test-protocol.ts). Each loads by itself.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { UsageError } from '../../machines/errors.js';
import { machineIn } from '../machines.js';
import { isFile, protocolOf } from '../protocols.js';
import { chosenReporter } from '../reporter.js';
import type { VerbWork } from '../verbs.js';

const command: VerbWork<'test'> = async (values, words) => {
  const reporter = chosenReporter(values);
  if (values.watch) return watch();
  const [word, ...more] = words;
  if (more.length > 0) throw new UsageError(`quiver test takes one protocol. Remove ${more.join(', ')}.`);
  const machine = word !== undefined && isFile(word) ? await machineIn(word) : null;
  if (machine) {
    const { testMachine } = await import('../test-machine.js');
    return testMachine(machine, word!, values, reporter);
  }
  const machineOnly = (['with', 'mode', 'pairs', 'lcov', 'counts', 'replay'] as const).find((name) => values[name] !== undefined);
  const found = await protocolOf(word);
  if (machineOnly)
    throw new UsageError(
      `--${machineOnly} works only with a machine of an application, and ${found.protocol.name} is a protocol. Omit --${machineOnly}.`,
    );
  const { testProtocol } = await import('../test-protocol.js');
  return testProtocol(found, values, reporter);
};

/** The same line under Node's own watch, which knows the modules that were loaded; until Ctrl-C. */
async function watch(): Promise<number> {
  const args = process.argv.slice(1).filter((word) => word !== '--watch');
  const child = spawn(process.execPath, ['--watch', '--watch-preserve-output', ...args], { stdio: 'inherit' });
  const pass = (signal: NodeJS.Signals) => child.kill(signal);
  process.once('SIGINT', pass);
  process.once('SIGTERM', pass);
  await once(child, 'exit');
  return 0;
}

export default command;
