/**
 * Long random walks for failures that no short path shows, and shorter versions of a plan that fails.
 *
 * Each step of a walk is the one taken least often from that state. A failing plan becomes shorter while the same rule breaks: steps are left
 * out, many at a time and then one by one, and then their values become small. With a system under test the tries are few, and the shortest
 * way to the same state comes first.
 */
import { Random } from '../../network/random.js';
import type { Failure } from './graph.js';
import type { MachineStep, MachineTests } from './options.js';
import { PARTS } from './path-chance.js';
import { Rig } from './rig.js';
import { runPlan } from './run.js';
import { describeStep } from './steps.js';
import type { Subject } from './subject.js';
import { smallest } from './samples.js';

const WALKS = 10;
const STEPS = 50;

export interface Walks {
  readonly walks: readonly (readonly MachineStep[])[];
  readonly failure: Failure | null;
}

/** Takes random walks and checks every step. The first failing walk is shortened. */
export async function walkRandomly(subject: Subject): Promise<Walks> {
  const { limits, seed = 1 } = subject.tests;
  const taken = new Map<string, number>();
  const walks: (readonly MachineStep[])[] = [];
  for (let i = 0; i < (limits?.walks ?? WALKS); i++) {
    const random = new Random(seed, `walk ${i}`);
    const steps = await chooseSteps(subject, random, limits?.steps ?? STEPS, taken);
    walks.push(steps);
    const failure = await runPlan(subject, { steps });
    if (!failure) continue;
    const again = (steps: readonly MachineStep[]) => runPlan(subject, { steps }, { onlyChoices: true });
    return { walks, failure: await shrink(failure, subject.tests, again) };
  }
  return { walks, failure: null };
}

async function chooseSteps(
  subject: Subject,
  random: Random,
  length: number,
  taken: Map<string, number>,
): Promise<readonly MachineStep[]> {
  const rig = new Rig(subject, { performs: false });
  const drawing = new Set<string>();
  const steps: MachineStep[] = [];
  while (steps.length < length) {
    const choices = rig.choices();
    if (choices.length === 0) break;
    const place = JSON.stringify(rig.snapshot.value);
    const often = (step: MachineStep) => taken.get(`${place} ${describeStep(step)}`) ?? 0;
    const least = Math.min(...choices.map(often));
    const step = random.pick(random.chance(0.5) ? choices : choices.filter((one) => often(one) === least));
    const name = `${place} ${describeStep(step)}`;
    taken.set(name, often(step) + 1);
    const isOther = drawing.has(name) && random.chance(0.5);
    const chosen: MachineStep = isOther ? { ...step, chance: 1 + random.below(PARTS) } : step;
    await rig.take(chosen);
    if (rig.chance.hasDrawn || rig.chance.hasReadClock) drawing.add(name);
    steps.push(chosen);
  }
  rig.stop();
  return steps;
}

/** How often a failing plan is tried shorter, and then smaller. */
const TRIES = 400;
/** The same with a system under test, which may be a page: each try costs seconds. */
const TRIES_WITH_SUT = 8;

export async function shrink(
  failure: Failure,
  tests: MachineTests,
  again: (steps: readonly MachineStep[]) => Promise<Failure | null>,
  shorter: readonly MachineStep[] | null = null,
): Promise<Failure> {
  const triesMax = tests.sut ? TRIES_WITH_SUT : TRIES;
  let best = failure;
  let tries = triesMax;
  const direct = shorter && (await again(shorter));
  if (direct?.rule === failure.rule) {
    best = direct;
    // The shortest way is hardly ever made shorter, and each try of a system under test is expensive.
    if (tests.sut) return best;
  }
  for (let size = Math.ceil(best.steps.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let at = 0; at + size <= best.steps.length && tries > 0;) {
      const found = await again(best.steps.toSpliced(at, size));
      tries--;
      // A failure before the end of the plan is shorter still.
      if (found?.rule === failure.rule) best = found;
      else at++;
    }
  }
  tries = triesMax;
  for (let at = 0; at < best.steps.length; at++) {
    await smallest(best.steps[at]!, tests, async (step) => {
      if (tries-- <= 0) return false;
      const found = await again(best.steps.with(at, step));
      if (found?.rule !== failure.rule) return false;
      best = found;
      return true;
    });
  }
  return best;
}
