/**
 * `quiver test PROTOCOL`: walks the generated paths of a protocol's charts and systems and prints what they cover; on request a swarm of
 * scenarios with faults, and its mutants, too.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { isObject } from '../machines/checks.js';
import { UsageError, thrownText } from '../machines/errors.js';
import type { Protocol } from '../machines/protocol.js';
import type { Reasons } from '../test/coverage/report.js';
import { emitTests } from '../test/emit.js';
import { pathsOf } from '../test/paths/paths.js';
import type { SwarmFailure } from '../test/swarm/swarm.js';
import { exportsOf, relativeModule } from './modules.js';
import { OutputFile } from './output-file.js';
import { broughtBy, type FoundProtocol } from './protocols.js';
import type { Reporter } from './reporter.js';
import { reportOnProtocol, type MutantReport, type TestReport } from './test-report.js';
import { writeTrace } from './trace-file.js';
import { integerOption } from './usage.js';
import type { ValuesOf } from './verbs.js';
import { coverageKinds, type CoverageKind } from '../test/coverage/items.js';
import { hostKinds } from '../test/paths/suite.js';
import { bold, counted, dim, number, table, verdictInColor } from './style.js';

/** Tests the protocol, prints the report and returns the exit status. */
export async function testProtocol(found: FoundProtocol, values: ValuesOf<'test'>, reporter: Reporter): Promise<number> {
  if (values.save !== undefined && values.swarm === undefined)
    throw new UsageError(
      '--save needs --swarm: it saves what the swarm finds. Add the number of runs, for example --swarm 1000.',
    );
  const { protocol } = found;
  if (values.emit !== undefined) emit(found, values.emit);
  const wanted = {
    mutants: values.mutants ?? false,
    swarm: integerOption('swarm', values.swarm, 0) ?? 0,
    seed: integerOption('seed', values.seed) ?? 1,
    reasons: values.reasons === undefined ? {} : await readReasons(values.reasons),
  };
  const report = await reportOnProtocol(protocol, wanted, async (graphs, coverage) => {
    if (values.trace === undefined) return;
    const { traceOfPaths } = await import('../inspector/path-trace.js');
    // The tours take every step that covers something.
    const tours = graphs.flatMap((graph) => pathsOf(graph, 'tour'));
    await writeTrace(values.trace, traceOfPaths(protocol, tours, coverage.toJSON()));
  });
  const failure = report.swarm?.failure;
  const saved = failure && values.save !== undefined ? save(values.save, protocol, failure) : null;
  if (reporter === 'json') console.log(JSON.stringify(report));
  else if (reporter === 'junit') console.log((await import('./junit.js')).protocolJunit(report));
  else printTestReport(report, saved && [saved, ...broughtBy(found)].join(' '));
  return report.verdict === 'valid' ? 0 : 1;
}

/** The exported `reasons` of a module: why parts of the charts are unreachable, and mutants equivalent. */
async function readReasons(file: string): Promise<Reasons> {
  const { reasons } = (await exportsOf(file)).exported;
  const areReasons = isObject(reasons) && Object.values(reasons).every((reason) => typeof reason === 'string');
  if (!areReasons)
    throw new UsageError(`${file} exports no reasons. Add: export const reasons = { 'chart: part': 'why it is unreachable', … }`);
  return reasons as Reasons;
}

function emit({ protocol, module }: FoundProtocol, path: string): void {
  const importing = module
    ? `import { ${module.name} as protocol } from ${JSON.stringify(relativeModule(path, module.path))};`
    : `import { protocols } from 'xstate-quiver/machines';\n\nconst protocol = protocols[${JSON.stringify(protocol.name)}]!;`;
  const file = new OutputFile(path);
  file.text(emitTests(protocol, importing));
  file.keep();
}

/** The scenario as a file that can be run again and again; the same property again takes the same place. */
function save(folder: string, { name }: Protocol, { property, scenario }: SwarmFailure): string {
  try {
    mkdirSync(folder, { recursive: true });
  } catch (error) {
    throw new UsageError(`Cannot create the folder ${folder} (${thrownText(error)}). Choose another one for --save.`);
  }
  const path = join(folder, `${name}-${property.replaceAll(/[^a-z0-9]+/gi, '-')}.json`);
  const file = new OutputFile(path);
  file.line(scenario);
  file.keep();
  return path;
}

const HEADINGS: Readonly<Record<CoverageKind, string>> = {
  state: 'states',
  transition: 'transitions',
  guard: 'guards',
  event: 'events',
  sent: 'sent',
  received: 'received',
};

/** Prints the report. `saved` is the command-line name of the saved scenario. */
function printTestReport(
  { protocol, walked, failures, coverage, page, swarm, mutants, ...report }: TestReport,
  saved: string | null,
): void {
  const sum = (of: (one: (typeof walked)[number]) => number) => walked.reduce((total, one) => total + of(one), 0);
  console.log(
    `${bold(protocol)}  ${counted(
      sum(({ paths }) => paths),
      'path',
    )}, ${counted(
      sum(({ steps }) => steps),
      'step',
    )}, on ${hostKinds.join(' and on ')}\n`,
  );
  const rows = Object.entries(coverage.charts).map(([chart, shares]) => [
    chart,
    ...coverageKinds.map((kind) => `${shares[kind].covered}/${shares[kind].of}`),
  ]);
  console.log(table(['chart', ...coverageKinds.map((kind) => HEADINGS[kind])], rows));
  if (coverage.leftOut.length > 0) console.log(dim(`left out     ${coverage.leftOut.join(', ')}: no samples here`));
  for (const { chart, item, reason, isExplained } of coverage.missing) {
    console.log(`${isExplained ? dim('unreachable') : 'not covered'}  ${chart}: ${item} (${reason})`);
  }
  for (const name of coverage.refuted) console.log(`reached      ${name}, although a reason excludes it`);
  if (page !== undefined) console.log(`see it       ${page}`);
  for (const failure of failures) console.log(`fails        ${failure}`);
  if (swarm) printSwarm(swarm, saved);
  if (mutants) printMutants(mutants);
  console.log(`\n${verdictInColor(report.verdict)}`);
}

function printSwarm({ runs, failure, page }: NonNullable<TestReport['swarm']>, saved: string | null): void {
  if (!failure) return console.log(`\nswarm  ${counted(runs, 'scenario')}, nothing breaks`);
  console.log(
    `\nswarm  ${bold(failure.property)} breaks in scenario ${number(runs)}, made smaller ${counted(failure.shrinks, 'time')}`,
  );
  console.log(`  ${failure.description}`);
  console.log(`  ${JSON.stringify(failure.scenario)}`);
  if (page !== undefined) console.log(`  see it:  ${page}`);
  console.log(
    saved === null ? dim('  keep it: --save FOLDER') : `  see it:  npx quiver explore ${saved}    again: npx quiver run ${saved}`,
  );
}

function printMutants({ all, killed, survivors, refuted }: MutantReport): void {
  const by = Object.entries(killed).map(([judge, count]) => `${number(count)} killed by ${judge}`);
  console.log(`\n${counted(all, 'mutant')}: ${[...by, `${number(survivors.length)} left`].join(', ')}`);
  for (const { chart, name, diff, reason } of survivors) {
    console.log(`\n${chart}: ${name}${reason === undefined ? '' : dim(` (the same: ${reason})`)}`);
    console.log(diff.map((line) => `  ${line}`).join('\n'));
  }
  for (const name of refuted) console.log(`killed       ${name}, although a reason declares it equivalent`);
}
