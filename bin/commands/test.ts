/**
 * `quiver test FILE` with a machine of an application: its generated tests (../test-machine.ts).
 *
 * `quiver test PROTOCOL`: walks the generated paths of a protocol's charts and systems and says what they cover; on request a swarm of
 * scenarios with faults, and its mutants, too.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { traceOfPaths } from '../../inspector/path-trace.js';
import { isObject } from '../../machines/checks.js';
import { UsageError } from '../../machines/errors.js';
import type { Protocol } from '../../machines/protocol.js';
import type { Reasons } from '../../test/coverage/report.js';
import { emitTests } from '../../test/emit.js';
import { pathsOf } from '../../test/paths/paths.js';
import type { SwarmFailure } from '../../test/swarm/swarm.js';
import { integerOption } from '../usage.js';
import type { VerbWork } from '../verbs.js';
import { protocolJunit, reporterOf } from '../junit.js';
import { machineIn } from '../machines.js';
import { OutputFile } from '../output-file.js';
import { printTestReport } from '../print-test-report.js';
import { broughtBy, exportsOf, isFile, protocolOf, type FoundProtocol } from '../protocols.js';
import { relativeModule } from '../relative-module.js';
import { testMachine } from '../test-machine.js';
import { testProtocol } from '../test-report.js';
import { writeTrace } from '../trace-file.js';

const command: VerbWork<'test'> = async (values, words) => {
  const reporter = reporterOf(values);
  if (values.watch) return watch();
  const [word, ...more] = words;
  if (more.length > 0) throw new UsageError(`name one protocol; ${more.join(', ')} are too many`);
  const machine = word !== undefined && isFile(word) ? await machineIn(word) : null;
  if (machine) return testMachine(machine, word!, values);
  const machineOnly = (['with', 'mode', 'pairs', 'lcov', 'counts', 'replay'] as const).find((name) => values[name] !== undefined);
  const found = await protocolOf(word);
  if (machineOnly)
    throw new UsageError(`--${machineOnly} is for a machine of an application; ${found.protocol.name} is a protocol`);
  if (values.save !== undefined && values.swarm === undefined)
    throw new UsageError('--save keeps what a swarm finds; say how large it is, as in --swarm 1000');
  const { protocol } = found;
  if (values.emit !== undefined) emit(found, values.emit);
  const wanted = {
    mutants: values.mutants ?? false,
    swarm: integerOption('swarm', values.swarm, 0) ?? 0,
    seed: integerOption('seed', values.seed) ?? 1,
    reasons: values.reasons === undefined ? {} : await readReasons(values.reasons),
  };
  const report = await testProtocol(protocol, wanted, (graphs, coverage) => {
    // The tours take every step that covers something.
    const tours = () => graphs.flatMap((graph) => pathsOf(graph, 'tour'));
    if (values.trace !== undefined) writeTrace(values.trace, traceOfPaths(protocol, tours(), coverage.toJSON()));
  });
  const failure = report.swarm?.failure;
  const saved = failure && values.save !== undefined ? save(values.save, protocol, failure) : null;
  if (reporter === 'json') console.log(JSON.stringify(report));
  else if (reporter === 'junit') console.log(protocolJunit(report));
  else printTestReport(report, saved && [saved, ...broughtBy(found)].join(' '));
  return report.verdict === 'valid' ? 0 : 1;
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

/** What a module exports as `reasons`: why parts of the charts cannot be reached, and mutants are no mistakes. */
async function readReasons(file: string): Promise<Reasons> {
  const { reasons } = (await exportsOf(file)).exported;
  const areReasons = isObject(reasons) && Object.values(reasons).every((reason) => typeof reason === 'string');
  if (!areReasons)
    throw new UsageError(`${file} exports no reasons; export const reasons = { 'chart: what': 'why it is so', … }`);
  return reasons as Reasons;
}

function emit({ protocol, module }: FoundProtocol, path: string): void {
  const importing = module
    ? `import { ${module.name} as protocol } from ${JSON.stringify(relativeModule(dirname(resolve(path)), module.path))};`
    : `import { protocols } from 'xstate-quiver';\n\nconst protocol = protocols[${JSON.stringify(protocol.name)}]!;`;
  const file = new OutputFile(path);
  file.text(emitTests(protocol, importing));
  file.keep();
}

/** The scenario as a file that can be run again and again; the same property again takes the same place. */
function save(folder: string, { name }: Protocol, { property, scenario }: SwarmFailure): string {
  try {
    mkdirSync(folder, { recursive: true });
  } catch (error) {
    throw new UsageError(`cannot make the folder ${folder} (${(error as Error).message}); name another for --save`);
  }
  const path = join(folder, `${name}-${property.replaceAll(/[^a-z0-9]+/gi, '-')}.json`);
  const file = new OutputFile(path);
  file.line(scenario);
  file.keep();
  return path;
}

export default command;
