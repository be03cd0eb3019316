/** What `quiver test` finds out about a protocol: paths, walks, coverage, and on request a swarm and mutants. */
import { setImmediate } from 'node:timers/promises';
import { UsageError } from '../machines/errors.js';
import type { Protocol } from '../machines/protocol.js';
import type { Coverage } from '../test/coverage/coverage.js';
import { coverageReport, type CoverageReport, type Reasons } from '../test/coverage/report.js';
import { judgeMutants, mutantsOf, nameOf, type Judge, type Judged } from '../test/mutants/mutants.js';
import { graphsOf, type ChartGraph } from '../test/paths/graph.js';
import { coverageOf, firstFailure, hostKinds, pathSets, SEARCH_PATIENCE } from '../test/paths/suite.js';
import { describeDifference } from '../test/paths/walk.js';
import type { SwarmReport } from '../test/swarm/swarm.js';
import { systemWalks } from '../test/system/tours.js';
import { recordWalk, walkAgain } from '../test/system/walk.js';
import { ProgressLine } from './progress.js';

export interface Wanted {
  readonly mutants: boolean;
  /** How many scenarios the swarm runs; 0 for none. */
  readonly swarm: number;
  readonly seed: number;
  /** Runs the swarm elsewhere; here unless given. */
  readonly swarming?: ((runs: number, seed: number) => Promise<SwarmReport>) | undefined;
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
  /** Those that are killed although a reason says that they are no mistakes. */
  readonly refuted: readonly string[];
}

export interface TestReport {
  readonly protocol: string;
  readonly verdict: 'valid' | 'invalid';
  readonly walked: readonly Walked[];
  readonly failures: readonly string[];
  readonly coverage: CoverageReport;
  readonly swarm?: SwarmReport;
  readonly mutants?: MutantReport;
}

/** `onCovered` hears of the chart graphs and of all that was covered. */
export async function testProtocol(
  protocol: Protocol,
  wanted: Wanted,
  onCovered: (graphs: readonly ChartGraph[], coverage: Coverage) => void,
): Promise<TestReport> {
  const progress = new ProgressLine();
  const graphs = graphsOf(protocol, SEARCH_PATIENCE);
  const onCharts = await walkCharts(protocol, graphs, progress);
  const onSystems = walkSystems(protocol);
  const covered = coverageOf(protocol, graphs);
  covered.merge(onSystems.coverage.toJSON());
  onCovered(graphs, covered);
  const coverage = coverageReport(covered, wanted.reasons);
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
      if (failure) failures.push(`${chart} on ${host}, ${describeDifference(failure.difference)}`);
    }
    await setImmediate();
  }
  return { walked, failures };
}

function walkSystems(protocol: Protocol) {
  const { walks, coverage } = systemWalks(protocol);
  const walked = walks.map(({ system, choices }): Walked => ({
    of: { system: system.index },
    kind: 'walk',
    paths: 1,
    steps: choices.length,
  }));
  const failures = walks
    .map((walk) => recordWalk(walk, protocol))
    .flatMap((walk) =>
      hostKinds.flatMap((host) => {
        const failure = walkAgain(walk, protocol, host);
        return failure === null ? [] : [`system ${walk.system.index} on ${host}, ${failure}`];
      }),
    );
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

async function swarmOf(protocol: Protocol, { swarm: runs, seed, swarming }: Wanted): Promise<SwarmReport> {
  const { swarm } = await loadSwarm();
  return swarming ? swarming(runs, seed) : swarm(protocol, { runs, seed });
}

/** fast-check is an optional peer. */
async function loadSwarm(): Promise<Swarming> {
  try {
    const [{ swarm }, { swarmJudge }] = await Promise.all([import('../test/swarm/swarm.js'), import('../test/swarm/judge.js')]);
    return { swarm, swarmJudge };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw error;
    throw new UsageError(
      '--swarm and --mutants draw their scenarios with fast-check, which is not installed; npm i -D fast-check',
    );
  }
}
