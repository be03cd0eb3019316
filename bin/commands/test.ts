/** `quiver test PROTOCOL`: walks the generated paths of a protocol's charts and says what they cover; on request its mutants, too. */
import { setImmediate } from 'node:timers/promises';
import { UsageError } from '../../machines/errors.js';
import { protocols } from '../../machines/index.js';
import type { Protocol } from '../../machines/protocol.js';
import { traceOfPaths } from '../../inspector/path-trace.js';
import type { Coverage } from '../../test/coverage/coverage.js';
import { kinds } from '../../test/coverage/items.js';
import { coverageReport, type CoverageReport } from '../../test/coverage/report.js';
import { emitTests } from '../../test/emit.js';
import { judgeMutants, mutantsOf, nameOf, type Judged } from '../../test/mutants/mutants.js';
import { graphsOf, type ChartGraph } from '../../test/paths/graph.js';
import { coverageOf, firstFailure, hostKinds, pathSets, PATIENCE, type Failure } from '../../test/paths/suite.js';
import { pathsOf } from '../../test/paths/paths.js';
import { describeDifference } from '../../test/paths/walk.js';
import { parse, type Command } from '../command.js';
import { OutputFile } from '../output-file.js';
import { Progress } from '../progress.js';
import { bold, dim, number, table, verdict } from '../style.js';

interface Walked {
  readonly chart: string;
  readonly start: number;
  readonly kind: string;
  readonly paths: number;
  readonly steps: number;
}

interface TestReport {
  readonly protocol: string;
  readonly verdict: 'valid' | 'invalid';
  readonly walked: readonly Walked[];
  readonly failures: readonly string[];
  readonly coverage: CoverageReport;
  readonly mutants?: {
    readonly all: number;
    readonly paths: number;
    readonly checker: number;
    readonly survivors: readonly Survivor[];
  };
}

type Survivor = Pick<Judged, 'chart' | 'diff' | 'reason'> & { readonly name: string };

export const command: Command = async (args) => {
  const { values, positionals } = parse(args, {
    json: { type: 'boolean' },
    mutants: { type: 'boolean' },
    emit: { type: 'string' },
    trace: { type: 'string' },
  });
  const [name, ...more] = positionals;
  const protocol = protocols[name ?? ''];
  if (!protocol || more.length > 0) throw new UsageError(`name one protocol: ${Object.keys(protocols).join(', ')}`);
  if (values.emit !== undefined) emit(protocol, values.emit);
  const report = await examine(protocol, values.mutants ?? false, values.trace);
  if (values.json) console.log(JSON.stringify(report));
  else print(report);
  return report.verdict === 'valid' ? 0 : 1;
};

function emit(protocol: Protocol, path: string): void {
  const importing = `import { protocols } from 'xstate-quiver';\n\nconst protocol = protocols[${JSON.stringify(protocol.name)}];`;
  const file = new OutputFile(path);
  file.text(emitTests(protocol, importing));
  file.keep();
}

async function examine(protocol: Protocol, withMutants: boolean, tracePath: string | undefined): Promise<TestReport> {
  const progress = new Progress();
  const graphs = graphsOf(protocol, PATIENCE);
  const walked: Walked[] = [];
  const failures: Failure[] = [];
  for (const { graph, kind, paths } of pathSets(graphs)) {
    progress.show(`${protocol.name}: ${kind} paths of ${graph.chart}, start ${graph.start}`);
    const steps = paths.reduce((sum, path) => sum + path.steps.length, 0);
    walked.push({ chart: graph.chart, start: graph.start, kind, paths: paths.length, steps });
    failures.push(...hostKinds.flatMap((host) => firstFailure(protocol, paths, host) ?? []));
    await setImmediate();
  }
  const covered = coverageOf(protocol, graphs);
  if (tracePath !== undefined) writeTrace(tracePath, protocol, graphs, covered);
  const coverage = coverageReport(covered);
  const mutants = withMutants ? await judge(protocol, graphs, progress) : undefined;
  progress.done();
  const unexplained = mutants?.survivors.some(({ reason }) => reason === undefined) ?? false;
  return {
    protocol: protocol.name,
    verdict: failures.length === 0 && coverage.isComplete && !unexplained ? 'valid' : 'invalid',
    walked,
    failures: failures.map(({ host, path, difference }) => `${path.chart} on ${host}, ${describeDifference(difference)}`),
    coverage,
    ...(mutants && { mutants }),
  };
}

/** The tours, which take every step that covers something, for the inspector. */
function writeTrace(path: string, protocol: Protocol, graphs: readonly ChartGraph[], covered: Coverage): void {
  const tours = graphs.flatMap((graph) => pathsOf(graph, 'tour'));
  const file = new OutputFile(path);
  for (const line of traceOfPaths(protocol, tours, covered.toJSON())) file.line(line);
  file.keep();
}

async function judge(protocol: Protocol, graphs: readonly ChartGraph[], progress: Progress) {
  const all = mutantsOf(protocol).length;
  const judged: Judged[] = [];
  for (const mutant of judgeMutants(protocol, graphs)) {
    judged.push(mutant);
    progress.show(`${protocol.name}: mutant ${judged.length} of ${all}`);
    await setImmediate();
  }
  const killed = (by: Judged['killedBy']) => judged.filter(({ killedBy }) => killedBy === by);
  const survivors = killed(null).map((mutant): Survivor => {
    const { chart, diff, reason } = mutant;
    return { chart, name: nameOf(mutant), diff, ...(reason !== undefined && { reason }) };
  });
  return { all, paths: killed('paths').length, checker: killed('checker').length, survivors };
}

function print({ protocol, walked, failures, coverage, mutants, ...report }: TestReport): void {
  const sum = (of: (one: Walked) => number) => number(walked.reduce((total, one) => total + of(one), 0));
  console.log(
    `${bold(protocol)}  ${sum(({ paths }) => paths)} paths, ${sum(({ steps }) => steps)} steps, on ${hostKinds.join(' and on ')}\n`,
  );
  const rows = Object.entries(coverage.charts).map(([chart, shares]) => [
    chart,
    ...kinds.map((kind) => `${shares[kind].covered}/${shares[kind].of}`),
  ]);
  console.log(table(['chart', ...kinds.map((kind) => `${kind}s`)], rows));
  for (const { chart, item, reason, isExplained } of coverage.missing) {
    console.log(`${isExplained ? dim('unreachable') : 'not covered'}  ${chart}: ${item} (${reason})`);
  }
  for (const name of coverage.refuted)
    console.log(`reached      ${name}, for which the protocol gives a reason why it cannot be`);
  for (const failure of failures) console.log(`fails        ${failure}`);
  if (mutants) printMutants(mutants);
  console.log(`\n${verdict(report.verdict)}`);
}

function printMutants({ all, paths, checker, survivors }: NonNullable<TestReport['mutants']>): void {
  console.log(`\n${number(all)} mutants: ${paths} killed by paths, ${checker} by the checker, ${survivors.length} survive`);
  for (const { chart, name, diff, reason } of survivors) {
    console.log(`\n${chart}: ${name}${reason === undefined ? '' : dim(` (the same: ${reason})`)}`);
    console.log(diff.map((line) => `  ${line}`).join('\n'));
  }
}
