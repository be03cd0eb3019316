/** All that the generated tests of a machine find out, each part once, when it is asked for. */
import type { AnyStateMachine } from 'xstate';
import { countsOf, coverageOfMachine, mergeCounts, type MachineCounts, type MachineCoverage } from './coverage.js';
import { search, type Failure, type MachineGraph } from './graph.js';
import type { MachineTests, Step } from './options.js';
import { refuseSteps, refuseMeaningless } from './refusals.js';
import { plansOf, type PlanKind } from './plans.js';
import { run, type Plan } from './run.js';
import { drawn } from './samples.js';
import { shrink } from './shrink.js';
import { describeStep } from './steps.js';
import { Subject } from './subject.js';
import { temporalFailureAlong, temporalFailures } from './temporal.js';
import { walkRandomly, type Walks } from './walks.js';

/**
 * All that the generated tests of a machine find out, each part once, when it is asked for: `describeMachine` asks for all of it.
 *
 * @throws UsageError for what is no machine, and for options that name what the machine does not have.
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
  /** What cannot be tested is refused where it is given. */
  private readonly given: Subject;

  constructor(
    readonly machine: AnyStateMachine,
    readonly tests: MachineTests = {},
  ) {
    this.given = new Subject(machine, tests);
    refuseMeaningless(machine, tests);
  }

  /** The machine as it is tested, with values drawn from the arbitraries among its samples. */
  subject(): Promise<Subject> {
    return (this.made ??= drawn(this.tests).then((tests) =>
      tests === this.tests ? this.given : new Subject(this.machine, tests),
    ));
  }

  /** The states that were found, and the steps between them. */
  graph(): Promise<MachineGraph> {
    return (this.searched ??= this.subject().then(search));
  }

  /** Paths of one kind, with what is expected after each step. */
  async plans(kind: PlanKind): Promise<readonly Plan[]> {
    return plansOf(await this.subject(), await this.graph(), kind);
  }

  /** What breaks in some state that was found, each on a way as short as it gets. */
  async searchFailures(): Promise<readonly Failure[]> {
    const subject = await this.subject();
    const { failures } = await this.graph();
    const again = (steps: readonly Step[]) => run(subject, { steps }, { performs: false });
    return Promise.all(failures.map((failure) => shrink(failure, subject.tests, again)));
  }

  /** The first path of a kind that fails on live actors, made short. */
  async firstFailure(kind: PlanKind): Promise<Failure | null> {
    const subject = await this.subject();
    for (const plan of await this.plans(kind)) {
      const failure = await run(subject, plan);
      if (!failure) continue;
      const shorter = await shrink(failure, subject.tests, (steps) => run(subject, { steps }));
      return shorter;
    }
    return null;
  }

  /** The temporal properties that do not hold. */
  async temporalFailures(): Promise<readonly Failure[]> {
    return temporalFailures(await this.subject(), await this.graph());
  }

  /** Random walks, and the first that fails. */
  async walks(): Promise<Walks> {
    return walkRandomly(await this.subject());
  }

  /** Stored and restored after every step of the tours; XState does not arm timers again, so where one runs it is not tried. */
  async restoreFailure(): Promise<Failure | null> {
    const subject = await this.subject();
    for (const plan of await this.plans('tour')) {
      for (let restoreAfter = 0; restoreAfter < plan.steps.length; restoreAfter++) {
        const failure = await run(subject, plan, { restoreAfter, performs: false });
        if (failure) return failure;
      }
    }
    return null;
  }

  /** What the search has covered, how often. */
  async counts(): Promise<MachineCounts> {
    return countsOf(await this.subject(), await this.graph());
  }

  /** What is covered by this run, and by others whose counts are given. */
  async coverage(...others: readonly MachineCounts[]): Promise<MachineCoverage> {
    return coverageOfMachine(await this.subject(), await this.graph(), mergeCounts(await this.counts(), ...others));
  }
}

/**
 * A failure as text: what breaks, the way to it, and a line that takes it again.
 *
 * @public
 */
export function describeFailure({ rule, says, steps }: Failure): string {
  const way = steps.length === 0 ? 'at the start' : `after ${steps.map(describeStep).join(', ')}`;
  return `${rule}: ${way}: ${says}\n  again: await replaySteps(machine, tests, ${JSON.stringify(steps)});`;
}

/**
 * Takes steps again on live actors and throws what breaks on the way: the line that a failure prints.
 *
 * @throws Error with the rule that is broken, and where; UsageError for what are no steps.
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
export async function replaySteps(machine: AnyStateMachine, tests: MachineTests, steps: readonly Step[]): Promise<void> {
  const failure = await failureAlong(machine, tests, steps);
  if (failure) throw new Error(describeFailure(failure));
}

/** What breaks on this way: a rule on live actors, or else a temporal property. */
export async function failureAlong(
  machine: AnyStateMachine,
  tests: MachineTests,
  steps: readonly Step[],
): Promise<Failure | null> {
  refuseSteps(machine, steps);
  const subject = new Subject(machine, await drawn(tests));
  return (await run(subject, { steps })) ?? (await temporalFailureAlong(subject, steps));
}
