/** Runs one test path on live actors: performs each step on the machine, the system under test and the reference, and checks every rule. */
import type { AnyActor } from 'xstate';
import { schedule } from '../../network/world/internals.js';
import { encode, type SeenState } from './encode.js';
import type { Failure } from './graph.js';
import { UsageError, thrownText } from '../../machines/errors.js';
import { brokenRules, LEFT, lost, type BrokenRule } from './judge.js';
import { actorsBelow, timersOf } from './names.js';
import type { MachineStep } from './options.js';
import { holdingChance } from './path-chance.js';
import { Rig } from './rig.js';
import { describeStep, nameOfStep } from './steps.js';
import type { Subject } from './subject.js';
import { assertStates, execute, FailedCheck } from './sut.js';

/** A path as data: the steps, and the expected observation after each of them, if any. */
export interface Plan {
  readonly steps: readonly MachineStep[];
  readonly expected?: readonly (SeenState | undefined)[];
}

export interface PlanOptions {
  /**
   * Performs the application's actions.
   *
   * @defaultValue true
   */
  readonly performs?: boolean;
  /** The number of steps after which the machine is stored and restored as another actor. */
  readonly restoreAfter?: number;
  /**
   * Selects the rules to check.
   *
   * @defaultValue all
   */
  readonly counts?: (rule: string) => boolean;
  /** True if a step that no sample and no state offers here ends the plan, as when steps before it were left out. */
  readonly onlyChoices?: boolean;
}

export const CANNOT_HAPPEN = 'every step can happen';

/** Runs a path and returns the first rule that is broken, or `null`. */
export async function runPlan(subject: Subject, plan: Plan, options: PlanOptions = {}): Promise<Failure | null> {
  const { tests, patience } = subject;
  const sut: unknown = await patience('sut', Promise.resolve(tests.sut?.()));
  try {
    return await holdingChance(() => new Run(subject, plan, options, sut).go());
  } finally {
    await patience('cleanup', Promise.resolve(tests.cleanup?.(sut)));
  }
}

/** Converts steps to a path with the expected state after each, up to the first step that is not possible. */
export async function planAlong(subject: Subject, steps: readonly MachineStep[]): Promise<Plan> {
  if (subject.tests.distinguish) return { steps };
  const rig = new Rig(subject, { performs: subject.tests.performActions ?? false });
  const expected = [rig.view()];
  for (const step of steps) {
    if (!(await rig.take(step))) break;
    expected.push(rig.view());
  }
  rig.stop();
  return { steps, expected };
}

class Run {
  private rig: Rig;
  private reference: unknown;

  constructor(
    private readonly subject: Subject,
    private readonly plan: Plan,
    private readonly options: PlanOptions,
    private readonly sut: unknown,
  ) {
    this.rig = new Rig(subject, { performs: options.performs ?? true });
  }

  async go(): Promise<Failure | null> {
    const { steps } = this.plan;
    const { tests } = this.subject;
    this.reference = tests.reference?.start();
    await this.rig.promises.quiet();
    let broken = await this.judge(0);
    let taken = 0;
    for (; taken < steps.length && !broken; taken++) broken = await this.take(steps[taken]!, taken);
    const left = broken ? null : this.leftRunning();
    broken ??= left && this.counts(left.rule) ? left : null;
    return broken && { steps: steps.slice(0, taken), ...broken };
  }

  private counts(rule: string): boolean {
    return this.options.counts?.(rule) ?? true;
  }

  private async take(step: MachineStep, at: number): Promise<BrokenRule | null> {
    const { tests } = this.subject;
    if (at === this.options.restoreAfter) {
      const broken = this.restore();
      if (broken && this.counts(broken.rule)) return broken;
    }
    const whole = this.rig.whole(step);
    if ((this.options.onlyChoices && !this.isChoice(step)) || !(await this.rig.take(step)))
      return { rule: CANNOT_HAPPEN, description: `${describeStep(step)} cannot happen here` };
    await this.rig.promises.quiet();
    const done = await attempt(`exec of ${nameOfStep(step)}`, () =>
      this.subject.patience(`exec of ${describeStep(step)}`, execute(tests.exec, this.sut, whole)),
    );
    if (done && this.counts(done.rule)) return done;
    this.reference = tests.reference?.step(this.reference, whole);
    return this.judge(at + 1);
  }

  private isChoice(step: MachineStep): boolean {
    return this.rig.choices().some((one) => nameOfStep(one) === nameOfStep(step));
  }

  private async judge(at: number): Promise<BrokenRule | null> {
    for await (const broken of this.brokenAt(at)) if (this.counts(broken.rule)) return broken;
    return null;
  }

  private async *brokenAt(at: number): AsyncGenerator<BrokenRule> {
    const { rig, sut, plan, subject } = this;
    const { tests, patience } = subject;
    yield* brokenRules(rig);
    const expected = plan.expected?.[at];
    const differs = expected && difference(expected, rig.view());
    if (differs) yield differs;
    const where = JSON.stringify(rig.snapshot.value);
    const held = await attempt('states', () =>
      patience(`the assertion of state ${where}`, assertStates(tests.states, sut, rig.charts())),
    );
    if (held) yield held;
    const agreed = await attempt('reference', () => {
      if (tests.reference && tests.reference.agrees(this.reference, rig.snapshot) === false)
        throw new Error(`the machine does not agree with the reference in ${where}`);
    });
    if (agreed) yield agreed;
  }

  /** The rule that the machine breaks by activity after its stop. */
  private leftRunning(): BrokenRule | null {
    this.rig.stop();
    if (this.rig.timers.running.length > 0)
      return {
        rule: LEFT,
        description:
          'a timer still runs after the machine was stopped: a delayed event with an id that is in use does not replace the earlier timer. Call cancel(id) first',
      };
    return lost(this.rig);
  }

  private restore(): BrokenRule | null {
    const before = this.rig;
    try {
      const stored: unknown = JSON.parse(JSON.stringify(before.root.getPersistedSnapshot()));
      this.rig = new Rig(this.subject, { performs: this.options.performs ?? true, restored: stored, after: before });
    } catch (error) {
      return { rule: RESTORE, description: `it cannot be stored: ${thrownText(error)}` };
    }
    const broken = difference({ ...before.view(), acted: [] }, { ...this.rig.view(), acted: [] });
    for (const [, name] of timersOf(before.timers, actorsBelow(before.root))) this.subject.lostTimers.add(name);
    if (!broken && !armAgain(this.rig, before)) return { rule: RESTORE, description: 'its timers are not those that it had' };
    return broken && { rule: RESTORE, description: broken.description.replace(`; ${WHY}`, '') };
  }
}

/** The name of the rule that a step on live actors has the same result as in the search. */
export const GOES = 'the machine goes as it did';

const RESTORE = 'stored and restored it goes on alike';

/**
 * Arms the timers of a rig from which this one was restored, with their remaining time. XState does not (statelyai/xstate #5331), so an
 * application has to. Returns false if it is not possible: a timer has no owner, or the restored machine has armed some itself.
 */
function armAgain({ root, timers }: Rig, before: Rig): boolean {
  const names = actorsBelow(before.root);
  const here = new Map([...actorsBelow(root)].map(([actor, name]) => [name, actor]));
  const same = (actor: AnyActor) => (actor === before.root ? root : here.get(names.get(actor) ?? ''));
  if (timers.running.length > 0) return false;
  for (const { scheduled, delay } of before.timers.running) {
    if (!scheduled) return false;
    const [source, target] = [same(scheduled.source), same(scheduled.target)];
    if (!source || !target) return false;
    schedule({ ...scheduled, source, target, delay });
  }
  timers.goOnAs(before.timers);
  return true;
}

async function attempt(rule: string, check: () => unknown): Promise<BrokenRule | null> {
  try {
    await check();
    return null;
  } catch (error) {
    // A call that never returns would not return the next time either.
    if (error instanceof UsageError) throw error;
    return { rule: error instanceof FailedCheck ? error.rule : rule, description: thrownText(error) };
  }
}

const WHY =
  'an action acts past the chart (performActions: true lets the search see it), or the machine reads something outside its context (replace it with provide)';

/** The first difference between the expected and the actual state of a machine, or `null`. */
export function difference(expected: SeenState, actual: SeenState): BrokenRule | null {
  for (const part of ['value', 'status', 'context', 'actors', 'acted'] as const) {
    const [before, now] = [expected[part], actual[part]].map((one) =>
      part === 'context' ? String(one) : encode(one, () => undefined),
    );
    if (before !== now) return { rule: GOES, description: `its ${part} is ${now} instead of ${before}; ${WHY}` };
  }
  return null;
}
