/** Tests a protocol for `quiver test`: paths, walks, coverage, and on request a swarm and mutants. */
import { setImmediate } from 'node:timers/promises';
import { UsageError } from '../machines/errors.js';
import type { Protocol } from '../machines/protocol.js';
import { recordRun } from '../network/record-run.js';
import { parseScenario } from '../network/scenario/parse.js';
import type { Coverage } from '../test/coverage/coverage.js';
import { coverageReport, type CoverageReport, type Reasons } from '../test/coverage/report.js';
import { nameOf } from '../test/mutants/chart-mutants.js';
import { judgeMutants, mutantsOf, type Judge, type Judged } from '../test/mutants/mutants.js';
import { graphsOf, type ChartGraph } from '../test/paths/graph.js';
import { pageOfPaths, pageOfRun } from '../test/failure-page.js';
import { coverageOf, firstFailure, hostKinds, pathSets, SEARCH_PATIENCE, shownFailure } from '../test/paths/suite.js';
import { pathsOf } from '../test/paths/paths.js';
import { describeDifference } from '../test/paths/walk.js';
import type { SwarmReport } from '../test/swarm/swarm.js';
import { systemWalks } from '../test/system/tours.js';
import { recordWalk, traceOfWalk, walkAgain } from '../test/system/walk.js';
import { ProgressLine } from './progress.js';
import { fieldsOf } from '../machines/checks.js';

export interface Wanted {
  readonly mutants: boolean;
  /** How many scenarios the swarm runs; 0 for none. */
  readonly swarm: number;
  readonly seed: number;
  readonly reasons: Reasons;
}

interface Walked {
  /** A chart and the place of its sample, or the place of a system. */
  readonly of: { readonly chart: string; readonly start: number } | { readonly system: number };
  readonly kind: string;
  readonly paths: number;
  readonly steps: number;
}

export type Survivor = Pick<Judged, 'chart' | 'diff' | 'reason'> & { readonly name: string };

export interface MutantReport {
  readonly all: number;
  /** By the name of the judge. */
  readonly killed: Readonly<Record<string, number>>;
  readonly survivors: readonly Survivor[];
  /** Mutants that are killed although a reason declares them equivalent. */
  readonly refuted: readonly string[];
}

export interface TestReport {
  readonly protocol: string;
  readonly verdict: 'valid' | 'invalid';
  readonly walked: readonly Walked[];
  readonly failures: readonly string[];
  readonly coverage: CoverageReport;
  /** The path of the page with uncovered items. */
  readonly page?: string;
  readonly swarm?: SwarmReport & { readonly page?: string };
  readonly mutants?: MutantReport;
}

/** Runs the tests of a protocol. `onCovered` receives the graphs of the charts and the coverage. */
export async function reportOnProtocol(
  protocol: Protocol,
  wanted: Wanted,
  onCovered: (graphs: readonly ChartGraph[], coverage: Coverage) => Promise<void>,
): Promise<TestReport> {
  const progress = new ProgressLine();
  const graphs = graphsOf(protocol, SEARCH_PATIENCE);
  const onCharts = await walkCharts(protocol, graphs, progress);
  const onSystems = await walkSystems(protocol);
  const covered = coverageOf(protocol, graphs);
  covered.merge(onSystems.coverage.toJSON());
  await onCovered(graphs, covered);
  const coverage = coverageReport(covered, wanted.reasons);
  const tours = () => graphs.flatMap((graph) => pathsOf(graph, 'tour'));
  const shown = () => ({ of: protocol, paths: tours(), coverage: covered.toJSON() });
  const page = coverage.isComplete ? null : await pageOfPaths(`${protocol.name} coverage`, shown);
  const swarm = wanted.swarm > 0 ? await swarmOf(protocol, wanted) : undefined;
  const mutants = wanted.mutants ? await judge(protocol, graphs, wanted.reasons, progress) : undefined;
  progress.done();
  const failures = [...onCharts.failures, ...onSystems.failures];
  const areJudged = !mutants || (mutants.refuted.length === 0 && mutants.survivors.every(({ reason }) => reason !== undefined));
  const isValid = failures.length === 0 && coverage.isComplete && areJudged && !swarm?.failure;
  return {
    protocol: protocol.name,
    verdict: isValid ? 'valid' : 'invalid',
    walked: [...onCharts.walked, ...onSystems.walked],
    failures,
    coverage,
    ...(page !== null && { page }),
    ...(swarm && { swarm }),
    ...(mutants && { mutants }),
  };
}

async function walkCharts(protocol: Protocol, graphs: readonly ChartGraph[], progress: ProgressLine) {
  const walked: Walked[] = [];
  const failures: string[] = [];
  for (const { graph, kind, paths } of pathSets(graphs)) {
    const { chart, start } = graph;
    progress.show(`${protocol.name}: ${kind} paths of ${chart}, start ${start}`);
    const steps = paths.reduce((sum, path) => sum + path.steps.length, 0);
    walked.push({ of: { chart, start }, kind, paths: paths.length, steps });
    for (const host of hostKinds) {
      const failure = firstFailure(protocol, paths, host);
      if (!failure) continue;
      const name = `${protocol.name} ${chart}, start ${start}: ${kind} paths`;
      const page = await pageOfPaths(name, () => shownFailure(protocol, failure));
      failures.push(`${chart} on ${host}, ${describeDifference(failure.difference)}${seen(page)}`);
    }
    await setImmediate();
  }
  return { walked, failures };
}

/** A reference to the page of a failure. */
const seen = (page: string | null): string => (page === null ? '' : `; see it: ${page}`);

async function walkSystems(protocol: Protocol) {
  const { walks, coverage } = systemWalks(protocol);
  const walked = walks.map(({ system, choices }): Walked => ({
    of: { system: system.index },
    kind: 'walk',
    paths: 1,
    steps: choices.length,
  }));
  const failures: string[] = [];
  for (const walk of walks.map((walk) => recordWalk(walk, protocol))) {
    for (const host of hostKinds) {
      const failure = walkAgain(walk, protocol, host);
      if (failure === null) continue;
      const name = `${protocol.name} system ${walk.system.index}: walks over the bus`;
      const page = await pageOfRun(name, () => traceOfWalk(walk, protocol, host));
      failures.push(`system ${walk.system.index} on ${host}, ${failure}${seen(page)}`);
    }
  }
  return { walked, failures, coverage };
}

async function judge(
  protocol: Protocol,
  graphs: readonly ChartGraph[],
  reasons: Reasons,
  progress: ProgressLine,
): Promise<MutantReport> {
  const { swarmJudge } = await loadSwarm();
  const all = mutantsOf(protocol).length;
  const judged: Judged[] = [];
  for (const mutant of judgeMutants(protocol, graphs, { others: [swarmJudge(protocol)], reasons })) {
    judged.push(mutant);
    progress.show(`${protocol.name}: mutant ${judged.length} of ${all}`);
    await setImmediate();
  }
  const killed: Record<string, number> = {};
  for (const { killedBy } of judged) if (killedBy !== null) killed[killedBy] = (killed[killedBy] ?? 0) + 1;
  const survivors = judged
    .filter(({ killedBy }) => killedBy === null)
    .map((mutant): Survivor => {
      const { chart, diff, reason } = mutant;
      return { chart, name: nameOf(mutant), diff, ...(reason !== undefined && { reason }) };
    });
  const refuted = judged
    .filter(({ killedBy, reason }) => killedBy !== null && reason !== undefined)
    .map((mutant) => `${mutant.chart}: ${nameOf(mutant)}`);
  return { all, killed, survivors, refuted };
}

interface Swarming {
  readonly swarm: (protocol: Protocol, options: { readonly runs: number; readonly seed: number }) => SwarmReport;
  readonly swarmJudge: (protocol: Protocol) => Judge;
}

async function swarmOf(protocol: Protocol, { swarm: runs, seed }: Wanted): Promise<NonNullable<TestReport['swarm']>> {
  const { swarm } = await loadSwarm();
  const report = swarm(protocol, { runs, seed });
  const { failure } = report;
  if (!failure) return report;
  const scenario = () => parseScenario(failure.scenario, { [protocol.name]: protocol });
  const page = await pageOfRun(`${protocol.name} swarm ${failure.property}`, () => recordRun(scenario(), failure.scenario));
  return { ...report, ...(page !== null && { page }) };
}

/** fast-check is an optional peer. */
async function loadSwarm(): Promise<Swarming> {
  try {
    const [{ swarm }, { swarmJudge }] = await Promise.all([import('../test/swarm/swarm.js'), import('../test/swarm/judge.js')]);
    return { swarm, swarmJudge };
  } catch (error) {
    if (fieldsOf(error)['code'] !== 'ERR_MODULE_NOT_FOUND') throw error;
    throw new UsageError('--swarm and --mutants need fast-check, which is not installed. Install it: npm i -D fast-check');
  }
}
