/**
 * Properties of a machine's paths with a time limit. The deadline runs as one more timer. A property concerns the states before it fires,
 * or whether it can fire first.
 */
import { firstValueFrom, timer } from 'rxjs';
import type { AnyMachineSnapshot } from 'xstate';
import type { MachineStep } from './options.js';
import { Rig } from './rig.js';
import { isFromOutside } from './steps.js';
import type { Subject } from './subject.js';
import type { Refutation, Temporal } from './temporal.js';

/** How many steps are taken for one deadline: few at first, since another start may show more. Each way is gone from the machine's start. */
const STEPS_MAX = [500, 10_000];
/** And for all of a property together. */
const ALL_STEPS_MAX = 20_000;
/** Steps between two yields to other work, such as a test runner's timeout and Ctrl-C. */
const STEPS_BETWEEN_TURNS = 500;

/** The question about each state before the deadline. */
interface Question {
  readonly ms: number;
  /** True if the path ends here. */
  isOver(snapshot: AnyMachineSnapshot): boolean;
  isBroken(rig: Rig): boolean;
  /** True if the question continues after this step. */
  goesOn(step: MachineStep): boolean;
  description(rig: Rig): string;
}

function questionOf(property: Temporal): Question | null {
  if ('sometimes' in property || property.withinMs === undefined) return null;
  const ms = property.withinMs;
  const where = ({ snapshot }: Rig) => JSON.stringify(snapshot.value);
  if ('always' in property || 'never' in property) {
    const isBad = ({ snapshot }: Rig) => ('always' in property ? !property.always(snapshot) : property.never(snapshot));
    const description = (rig: Rig) => `does not hold in ${where(rig)}, which can come within ${ms} ms`;
    return { ms, isOver: () => false, isBroken: isBad, goesOn: () => true, description };
  }
  return {
    ms,
    isOver: 'eventually' in property ? property.eventually : property.until,
    isBroken: (rig) => rig.timers.isDeadlineOver(),
    goesOn: (step) => !isFromOutside(step),
    description: (rig) => `more than ${ms} ms can pass, and it is in ${where(rig)}`,
  };
}

/** The first path that violates a property with a time limit, or on which the property is still undecided when the time is over. */
export async function firstBeyond(
  subject: Subject,
  starts: readonly (readonly MachineStep[])[],
  property: Temporal,
): Promise<Refutation> {
  const question = questionOf(property);
  if (!question) return null;
  const all = new Budget(ALL_STEPS_MAX);
  let open = starts;
  for (const max of STEPS_MAX) {
    const undecided: (readonly MachineStep[])[] = [];
    for (const start of open) {
      const found = await beyond(subject, start, question, [new Budget(max), all]);
      if (found === 'undecided') undecided.push(start);
      else if (found) return found;
    }
    open = undecided;
  }
  const [steps] = open;
  return steps ? { steps, description: notDecided(question.ms), isOpen: true } : null;
}

const notDecided = (ms: number): string =>
  `is undecided: a search of ${ms} ms needs more steps than the limits (${STEPS_MAX.at(-1)} from one state, ${ALL_STEPS_MAX} from all). Use a shorter time, fewer samples, "distinguish", or "within" instead`;

/** Steps that may still be taken. */
class Budget {
  constructor(private left: number) {}

  get isSpent(): boolean {
    return this.left <= 0;
  }

  async spend(steps: number): Promise<void> {
    const turn = Math.floor(this.left / STEPS_BETWEEN_TURNS);
    this.left -= steps;
    if (Math.floor(this.left / STEPS_BETWEEN_TURNS) < turn) await firstValueFrom(timer(0));
  }
}

async function beyond(
  subject: Subject,
  before: readonly MachineStep[],
  question: Question,
  budgets: readonly Budget[],
): Promise<Refutation | 'undecided'> {
  const seen = new Set<string>();
  const ways: (readonly MachineStep[])[] = [[]];
  for (const way of ways) {
    if (budgets.some(({ isSpent }) => isSpent)) return 'undecided';
    for (const budget of budgets) await budget.spend(before.length + way.length + 1);
    const rig = (await withDeadline(subject, before, way, question.ms))!;
    const key = rig.key();
    const isNew = !question.isOver(rig.snapshot) && !seen.has(key);
    const isBroken = isNew && question.isBroken(rig);
    if (isNew) for (const step of rig.choices()) if (question.goesOn(step)) ways.push([...way, step]);
    seen.add(key);
    rig.stop();
    if (isBroken) return { steps: [...before, ...way], description: question.description(rig) };
  }
  return null;
}

/** A machine that has gone the first steps, when a deadline begins, and then the others; `null` where these take longer. */
async function withDeadline(
  subject: Subject,
  before: readonly MachineStep[],
  way: readonly MachineStep[],
  ms: number,
): Promise<Rig | null> {
  const last = before.length - 1;
  const rig = new Rig(subject, { performs: false, deadlineMs: last < 0 ? ms : undefined });
  for (const [i, step] of before.entries()) await rig.take(step, i === last ? ms : undefined);
  for (const step of way) if (!(await rig.take(step))) return null;
  return rig;
}

/** Checks the property only in the states along the given path. */
export async function beyondAlong(subject: Subject, steps: readonly MachineStep[], property: Temporal): Promise<Refutation> {
  const question = questionOf(property);
  if (!question) return null;
  const when = 'when' in property ? property.when : undefined;
  const walked = new Rig(subject, { performs: false });
  for (let i = 0; i <= (when ? steps.length : 0); i++) {
    if (i > 0) await walked.take(steps[i - 1]!);
    if (when && !when(walked.snapshot)) continue;
    const rest = steps.slice(i);
    const rig = rest.every((step) => question.goesOn(step))
      ? await withDeadline(subject, steps.slice(0, i), rest, question.ms)
      : null;
    if (rig && !question.isOver(rig.snapshot) && question.isBroken(rig)) return { steps, description: question.description(rig) };
  }
  return null;
}
