/** Everything that the generated tests of a machine find out, as one plain object. */
import type { MachineCounts, MachineCoverage } from './coverage.js';
import type { Failure, MachineGraph } from './graph.js';
import type { Mode } from './options.js';
import { judgeMachineMutants, machineMutants, type JudgedMutant } from './mutants.js';
import { planKinds, type PlanKind } from './plans.js';
import { describeFailure, type MachineTesting } from './testing.js';

export interface MachineReport {
  readonly machine: string;
  /** Whether live actors were tested, or the chart alone. */
  readonly mode: Mode;
  readonly verdict: 'valid' | 'invalid';
  /** States found, steps between them, and whether there are no more. */
  readonly searched: { readonly states: number; readonly steps: number; readonly isComplete: boolean };
  readonly walked: readonly { readonly kind: PlanKind | 'random'; readonly paths: number; readonly steps: number }[];
  readonly failures: readonly (Failure & { readonly text: string })[];
  readonly coverage: MachineCoverage;
  readonly mutants?: readonly JudgedMutant[];
}

export interface ReportOptions {
  /** Counts of other runs, which add to the coverage. */
  readonly others?: readonly MachineCounts[];
  /** Whether the mutants are judged. */
  readonly mutants?: boolean;
  readonly onProgress?: (what: string) => void;
  /** What broke past every path while the tests ran, asked at their end. */
  readonly strays?: () => Promise<readonly Failure[]>;
}

/** What a search that ended before its end leaves open; `null` when it has seen all. */
export function unseenOf({ vertices, isComplete }: MachineGraph): string | null {
  if (isComplete) return null;
  return `${vertices.length === 1 ? '1 state was' : `${vertices.length} states were`} searched, and there are more, of which nothing is known; to go further raise limits.states or limits.patience, to have fewer give fewer samples or "distinguish"`;
}

/** Runs all tests of a machine. */
export async function reportOn(
  testing: MachineTesting,
  { others = [], mutants: areMutantsWanted = false, onProgress = () => {}, strays = async () => [] }: ReportOptions = {},
): Promise<MachineReport> {
  const { machine, tests } = testing;
  onProgress('searching its states');
  const { vertices, isComplete } = await testing.graph();
  const failures: (Failure | null)[] = [...(await testing.searchFailures())];
  const walked: MachineReport['walked'][number][] = [];
  const kinds = planKinds.filter((kind) => kind === 'shortest' || kind === 'tour' || (kind === 'pairs' && tests.pairs));
  for (const kind of kinds) {
    onProgress(`${kind} paths`);
    const plans = await testing.plans(kind);
    walked.push({ kind, paths: plans.length, steps: plans.reduce((sum, { steps }) => sum + steps.length, 0) });
    failures.push(await testing.firstFailure(kind));
  }
  onProgress('random walks');
  const { walks, failure } = await testing.walks();
  walked.push({ kind: 'random', paths: walks.length, steps: walks.reduce((sum, steps) => sum + steps.length, 0) });
  failures.push(failure, ...(await testing.temporalFailures()));
  if (tests.restore) failures.push(await testing.restoreFailure());
  const coverage = await testing.coverage(...others);
  const mutants = areMutantsWanted ? await judged(testing, onProgress) : undefined;
  failures.push(...(await strays()));
  const areNoticed = mutants?.every(({ killedBy, reason }) => killedBy !== null || reason !== undefined) ?? true;
  const first = new Map(failures.flatMap((one) => (one ? [[one.rule, one] as const] : [])).reverse());
  const found = [...first.values()].reverse();
  return {
    machine: machine.id,
    mode: tests.mode ?? 'live',
    verdict: found.length === 0 && coverage.isComplete && areNoticed ? 'valid' : 'invalid',
    searched: { states: vertices.length, steps: vertices.reduce((sum, { edges }) => sum + (edges?.size ?? 0), 0), isComplete },
    walked,
    failures: found.map((one) => ({ ...one, text: describeFailure(one) })),
    coverage,
    ...(mutants && { mutants }),
  };
}

async function judged(testing: MachineTesting, onProgress: (what: string) => void): Promise<readonly JudgedMutant[]> {
  const all = machineMutants(testing);
  const done: JudgedMutant[] = [];
  const begins = (name: string) => onProgress(`mutant ${done.length + 1} of ${all.length}, ${name}`);
  for await (const mutant of judgeMachineMutants(testing, all, begins)) done.push(mutant);
  return done;
}
