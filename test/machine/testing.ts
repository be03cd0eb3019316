/** The results of a machine's generated tests. Each is computed when it is used first. */
import type { AnyStateMachine } from 'xstate';
import {
  countsOf,
  coverageOfMachine,
  mergeCounts,
  refuseOtherCounts,
  type MachineCounts,
  type MachineCoverage,
} from './coverage.js';
import { findingsIn, staleReasons, type Finding } from './findings.js';
import type { Failure, MachineGraph } from './graph.js';
import type { MachineTests, MachineStep } from './options.js';
import { refuseSteps, refuseMeaningless } from './refusals.js';
import { refuseMisnamed } from './misnamed.js';
import { plansOf, spread, type PlanKind, descriptionsOf, type MachinePath } from './plans.js';
import { CANNOT_HAPPEN, GOES, planAlong, runPlan, type Plan, type PlanOptions } from './run.js';
import { drawn } from './samples.js';
import { search } from './search.js';
import { holdingChance } from './path-chance.js';
import { shrink, walkRandomly, type Walks } from './walks.js';
import { describeStep } from './steps.js';
import { Subject, type Patience } from './subject.js';
import { temporalFailuresAlong, temporalFailures } from './temporal.js';

/**
 * Lazily computed results of a machine's generated tests. `describeMachine` uses all of them.
 *
 * @throws UsageError if the machine is invalid, or if an option names a part that the machine does not have.
 * @example
 * ```ts
 * import { createMachine } from 'xstate';
 * import { describeFailure, MachineTesting } from 'xstate-quiver/test';
 *
 * const lamp = createMachine({ initial: 'off', states: { off: { on: { PRESS: 'on' } }, on: { on: { PRESS: 'off' } } } });
 * const testing = new MachineTesting(lamp, { invariants: { 'is off or on': ({ value }) => value === 'off' || value === 'on' } });
 * const failures = await testing.searchFailures();
 * console.log(failures.map(describeFailure), (await testing.coverage()).isComplete);
 * ```
 * @public
 */
export class MachineTesting {
  private searched: Promise<MachineGraph> | undefined;
  private made: Promise<Subject> | undefined;
  /** The subject with its checked options. */
  private readonly given: Subject;

  constructor(
    readonly machine: AnyStateMachine,
    readonly tests: MachineTests = {},
    private readonly patience?: Patience,
  ) {
    refuseMeaningless(machine, tests);
    this.given = new Subject(machine, tests, patience);
  }

  /** The machine as it is tested, with values drawn from the arbitraries among its samples. */
  subject(): Promise<Subject> {
    return (this.made ??= drawn(this.tests).then((tests) =>
      tests === this.tests ? this.given : new Subject(this.machine, tests, this.patience),
    ));
  }

  /** The states that were found, and the steps between them. */
  graph(): Promise<MachineGraph> {
    return (this.searched ??= this.subject().then(async (subject) => {
      const graph = await search(subject);
      refuseMisnamed(subject, graph);
      return graph;
    }));
  }

  /** Paths of one kind, with what is expected after each step. */
  async plans(kind: PlanKind): Promise<readonly Plan[]> {
    return plansOf(await this.subject(), await this.graph(), kind);
  }

  /** Failures in the states found, each on a path that is as short as possible. */
  async searchFailures(): Promise<readonly Failure[]> {
    const subject = await this.subject();
    const { failures } = await this.graph();
    // The chart alone broke the rule, so no system under test is created for the tries.
    const { sut: _sut, cleanup: _cleanup, exec: _exec, states: _states, ...bare } = subject.tests;
    const alone = new Subject(this.machine, bare, this.patience);
    return holdingChance(() => Promise.all(failures.map((failure) => shrink(failure, bare, this.again(alone, failure, false)))));
  }

  /** Takes steps again. The search continues after a failure, so only its own rule is checked. */
  private again(subject: Subject, { rule }: Failure, performs: boolean) {
    const options = { onlyChoices: true, ...(!performs && { performs, counts: (one: string) => one === rule }) };
    return async (steps: readonly MachineStep[]) =>
      runPlan(subject, rule === GOES ? await planAlong(subject, steps) : { steps }, options);
  }

  /** The first path of a kind that fails on live actors, made short. */
  async firstFailure(kind: PlanKind): Promise<Failure | null> {
    const [subject, plans, graph] = [await this.subject(), spread(await this.plans(kind)), await this.graph()];
    return holdingChance(async () => {
      for (const plan of plans) {
        const failure = await runPlan(subject, plan);
        if (failure) return shrink(failure, subject.tests, this.again(subject, failure, true), shorterWay(graph, failure));
      }
      return null;
    });
  }

  /**
   * Paths of one kind, each with a short description and a test.
   *
   * @param kind `shortest` to every state, `tour` of every transition, `simple`, or `pairs` of transitions.
   */
  async paths(kind: PlanKind = 'shortest'): Promise<readonly MachinePath[]> {
    const plans = await this.plans(kind);
    const descriptions = descriptionsOf(plans);
    return plans.map((plan, i) => ({
      ...plan,
      description: descriptions[i]!,
      test: async (sut) => {
        const failure = await this.failureOf(plan, sut);
        if (failure) throw new Error(describeFailure(failure));
      },
    }));
  }

  /** The failure of one path, without shrinking. Each call has its own subject, so that paths can run at the same time. */
  async failureOf(plan: Plan, sut?: unknown): Promise<Failure | null> {
    const { cleanup, ...rest } = (await this.subject()).tests;
    const tests = sut === undefined ? { ...rest, ...(cleanup && { cleanup }) } : { ...rest, sut: () => sut };
    return runPlan(new Subject(this.machine, tests, this.patience), plan);
  }

  /** The temporal properties that do not hold. */
  async temporalFailures(): Promise<readonly Failure[]> {
    const [subject, graph] = [await this.subject(), await this.graph()];
    return holdingChance(() => temporalFailures(subject, graph));
  }

  /** Random walks, and the first that fails. */
  async walks(): Promise<Walks> {
    const subject = await this.subject();
    return holdingChance(() => walkRandomly(subject));
  }

  /** Stored and restored after every step of the tours; timers are armed again with what they had left. */
  async restoreFailure(): Promise<Failure | null> {
    const [subject, plans] = [await this.subject(), await this.plans('tour')];
    return holdingChance(async () => {
      for (const plan of plans) {
        for (let restoreAfter = 0; restoreAfter < plan.steps.length; restoreAfter++) {
          const failure = await runPlan(subject, plan, { restoreAfter, performs: false });
          if (failure) return failure;
        }
      }
      return null;
    });
  }

  /** Suspicious patterns that violate no property. */
  async findings(): Promise<readonly Finding[]> {
    return findingsIn(await this.subject(), await this.graph());
  }

  /** The coverage counts of the search. */
  async counts(): Promise<MachineCounts> {
    return countsOf(await this.subject(), await this.graph());
  }

  /** The coverage of this run, and of others whose counts are passed. */
  async coverage(...others: readonly MachineCounts[]): Promise<MachineCoverage> {
    const own = await this.counts();
    refuseOtherCounts(this.machine.id, own, others);
    const { cut } = await this.graph();
    const coverage = coverageOfMachine(await this.subject(), mergeCounts(own, ...others), cut);
    const stale = staleReasons(await this.subject(), await this.graph(), await this.findings());
    if (stale.length === 0) return coverage;
    return { ...coverage, refuted: [...coverage.refuted, ...stale], isComplete: false, isOpen: false };
  }
}

/** The shortest way to the state before the failing step, and that step; null if the failure came that way. */
function shorterWay({ first }: MachineGraph, { steps }: Failure): readonly MachineStep[] | null {
  let here = first;
  for (const step of steps.slice(0, -1)) {
    const edge = here.edges?.get(JSON.stringify(step));
    if (!edge) return null;
    here = edge.to;
  }
  return here.way.length + 1 < steps.length ? [...here.way, steps.at(-1)!] : null;
}

/**
 * A failure as text: the broken rule, the path to it, and a line of code that repeats it.
 *
 * @param failure a failure of `MachineTesting`.
 * @public
 */
export function describeFailure({ rule, description, steps, isUnhandled }: Failure): string {
  if (isUnhandled) return `${rule}: ${description}`;
  const way = steps.length === 0 ? 'at the start' : `after ${steps.map(describeStep).join(', ')}`;
  return `${rule}: ${way}: ${description}\n  again: await replaySteps(machine, tests, ${JSON.stringify(steps)});`;
}

/**
 * Repeats steps on live actors and throws all failures on the path. A failure prints the line that calls it.
 *
 * @param machine the machine to test.
 * @param tests samples and checks, as in `describeMachine`.
 * @param steps the steps of a failure.
 * @throws Error with the broken rules and their places. UsageError if the steps are invalid.
 * @example
 * ```ts
 * import { createMachine } from 'xstate';
 * import { replaySteps } from 'xstate-quiver/test';
 *
 * const lamp = createMachine({ initial: 'off', states: { off: { on: { PRESS: 'on' } }, on: {} } });
 * await replaySteps(lamp, {}, [{ event: { type: 'PRESS' } }]);
 * ```
 * @public
 */
export async function replaySteps(machine: AnyStateMachine, tests: MachineTests, steps: readonly MachineStep[]): Promise<void> {
  const failures = await failuresAlong(machine, tests, steps);
  if (failures.length > 0) throw new Error(failures.map(describeFailure).join('\n'));
}

/** The failures on this path, each rule once: on live actors, then in the chart without actors, then of the path as a whole. */
export function failuresAlong(
  machine: AnyStateMachine,
  given: MachineTests,
  steps: readonly MachineStep[],
  patience?: Patience,
): Promise<readonly Failure[]> {
  refuseSteps(machine, steps);
  return holdingChance(() => brokenAlong(machine, given, steps, patience));
}

async function brokenAlong(
  machine: AnyStateMachine,
  given: MachineTests,
  steps: readonly MachineStep[],
  patience?: Patience,
): Promise<readonly Failure[]> {
  const subject = new Subject(machine, await drawn(given), patience);
  const { sut: _sut, cleanup: _cleanup, exec: _exec, states: _states, ...bare } = subject.tests;
  const found = new Map<string, Failure>();
  const take = async (of: Subject, plan: Plan, options: PlanOptions): Promise<void> => {
    const failure = await runPlan(of, plan, { ...options, counts: (rule) => !found.has(rule) });
    // Steps after the end of a broken machine cannot happen, which is not a new failure.
    if (!failure || found.has(failure.rule) || (failure.rule === CANNOT_HAPPEN && found.size > 0)) return;
    found.set(failure.rule, failure);
    // A system under test that went wrong once is waited for in vain at every step after.
    if (of.tests.sut === undefined) await take(of, plan, options);
  };
  await take(subject, await planAlong(subject, steps), {});
  await take(new Subject(machine, bare, patience), { steps }, { performs: false });
  for (const failure of await temporalFailuresAlong(subject, steps)) found.set(failure.rule, failure);
  for (let restoreAfter = 0; given.restore && restoreAfter < steps.length; restoreAfter++)
    await take(subject, { steps }, { restoreAfter, performs: false });
  return [...found.values()];
}
