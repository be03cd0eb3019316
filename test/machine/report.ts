/** Collects the results of a machine's generated tests in one plain object, for the command line and for programs. */
import type { MachineCounts, MachineCoverage } from './coverage.js';
import { describeFinding, type Finding } from './findings.js';
import type { Cut, Failure, MachineGraph } from './graph.js';
import type { Mode } from './options.js';
import { judgeMachineMutants, machineMutants, type JudgedMutant } from './mutants.js';
import { planKinds, spread, type PlanKind } from './plans.js';
import type { Subject } from './subject.js';
import { describeFailure, type MachineTesting } from './testing.js';

export interface MachineReport {
  readonly machine: string;
  /** The mode of the tests: live actors, or only the chart. */
  readonly mode: Mode;
  /** `unknown` means that the search found no error and was incomplete. */
  readonly verdict: 'valid' | 'invalid' | 'unknown';
  /** States found, steps between them, and whether there are no more. */
  readonly searched: {
    readonly states: number;
    readonly steps: number;
    readonly isComplete: boolean;
    /** Which limit ended the search before it had seen every state, and how to raise it. */
    readonly cut?: Cut & { readonly text: string };
    /** Context values that grow and that nothing reads: states that differ in them alone are one. */
    readonly unread: readonly string[];
  };
  readonly walked: readonly {
    readonly kind: PlanKind | 'random';
    readonly paths: number;
    readonly steps: number;
    /** The number of all paths of this kind, if there are too many to walk them all. */
    readonly of?: number;
  }[];
  readonly failures: readonly (Failure & { readonly text: string })[];
  /** Suspicious patterns that violate no property: failures and warnings, including those with a reason. */
  readonly findings: readonly (Finding & { readonly text: string })[];
  readonly coverage: MachineCoverage;
  /** Work that the tests did instead of XState, and that your application has to do. */
  readonly notes: readonly string[];
  readonly mutants?: readonly JudgedMutant[];
}

export interface ReportOptions {
  /** Counts of other runs, which add to the coverage. */
  readonly others?: readonly MachineCounts[];
  /**
   * Judges the mutants.
   *
   * @defaultValue false
   */
  readonly mutants?: boolean;
  readonly onProgress?: (what: string) => void;
  /** Uncaught errors of all tests, requested at their end. */
  readonly unhandledRejections?: () => Promise<readonly Failure[]>;
}

/** The open questions of an incomplete search, and how to close them; `null` if the search is complete. */
export function unseenOf({ vertices, cut }: MachineGraph): string | null {
  if (!cut) return null;
  const { limit, value, growing } = cut;
  const raised = `limits: { ${limit}: ${value * 10} }`;
  const grows =
    growing.length === 0
      ? 'To have fewer states, pass fewer samples or "distinguish".'
      : `The context grows without end: ${growing.join(', ')}. End it where it no longer matters by "filter", or leave it out by "distinguish".`;
  return `the search ended at limits.${limit} ${value.toLocaleString('en-US')}, after ${vertices.length.toLocaleString('en-US')} states; the states beyond are unknown. To go further, pass ${raised}. ${grows}`;
}

/** Notes on results that depend on help from the tests. */
export function notesOn({ lostTimers }: Subject): readonly string[] {
  if (lostTimers.size === 0) return [];
  return [
    `XState does not arm timers again when a machine is restored (statelyai/xstate #5331). The tests armed them with what they had left, and your application has to do so, or these never go off: ${[...lostTimers].join(', ')}`,
  ];
}

/** Runs all tests of a machine and returns their results. */
export async function reportOnMachine(
  testing: MachineTesting,
  {
    others = [],
    mutants: areMutantsWanted = false,
    onProgress = () => {},
    unhandledRejections = async () => [],
  }: ReportOptions = {},
): Promise<MachineReport> {
  const { machine, tests } = testing;
  onProgress('searching its states');
  const graph = await testing.graph();
  const failures: (Failure | null)[] = [...(await testing.searchFailures())];
  const walked: MachineReport['walked'][number][] = [];
  const kinds = planKinds.filter((kind) => kind === 'shortest' || kind === 'tour' || (kind === 'pairs' && tests.pairs));
  for (const kind of kinds) {
    onProgress(`${kind} paths`);
    const plans = await testing.plans(kind);
    const taken = spread(plans);
    const steps = taken.reduce((sum, { steps }) => sum + steps.length, 0);
    walked.push({ kind, paths: taken.length, steps, ...(taken.length < plans.length && { of: plans.length }) });
    failures.push(await testing.firstFailure(kind));
  }
  onProgress('random walks');
  const { walks, failure } = await testing.walks();
  walked.push({ kind: 'random', paths: walks.length, steps: walks.reduce((sum, steps) => sum + steps.length, 0) });
  failures.push(failure, ...(await testing.temporalFailures()));
  if (tests.restore) failures.push(await testing.restoreFailure());
  const findings = await testing.findings();
  const coverage = await testing.coverage(...others);
  const mutants = areMutantsWanted ? await judged(testing, onProgress) : undefined;
  failures.push(...(await unhandledRejections()));
  const areNoticed = mutants?.every(({ killedBy, reason }) => killedBy !== null || reason !== undefined) ?? true;
  const first = new Map(failures.flatMap((one) => (one ? [[one.rule, one] as const] : [])).reverse());
  const found = [...first.values()].reverse();
  return {
    machine: machine.id,
    mode: tests.mode ?? 'live',
    verdict: verdictOf(found, findings, coverage, areNoticed, graph),
    searched: searchedOf(graph),
    walked,
    failures: found.map((one) => ({ ...one, text: describeFailure(one) })),
    findings: findings.map((one) => ({ ...one, text: describeFinding(one) })),
    coverage,
    notes: notesOn(await testing.subject()),
    ...(mutants && { mutants }),
  };
}

/** A search that was cut off leaves open what it has not covered, and never makes a machine valid. */
function verdictOf(
  failures: readonly Failure[],
  findings: readonly Finding[],
  { refuted, isComplete, isOpen }: MachineCoverage,
  areNoticed: boolean,
  { cut }: MachineGraph,
): MachineReport['verdict'] {
  const isBroken =
    failures.some(({ isOpen }) => !isOpen) ||
    findings.some(({ isFailure }) => isFailure) ||
    refuted.length > 0 ||
    !areNoticed ||
    !(isComplete || isOpen);
  if (isBroken) return 'invalid';
  return cut === null && failures.length === 0 ? 'valid' : 'unknown';
}

function searchedOf(graph: MachineGraph): MachineReport['searched'] {
  const { vertices, isComplete, cut, unread } = graph;
  return {
    states: vertices.length,
    steps: vertices.reduce((sum, { edges }) => sum + (edges?.size ?? 0), 0),
    isComplete,
    ...(cut && { cut: { ...cut, text: unseenOf(graph)! } }),
    unread,
  };
}

async function judged(testing: MachineTesting, onProgress: (what: string) => void): Promise<readonly JudgedMutant[]> {
  const all = machineMutants(testing);
  const done: JudgedMutant[] = [];
  const begins = (name: string) => onProgress(`mutant ${done.length + 1} of ${all.length}, ${name}`);
  for await (const mutant of judgeMachineMutants(testing, all, begins)) done.push(mutant);
  return done;
}
