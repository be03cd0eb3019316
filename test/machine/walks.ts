/** Generates long random walks for failures that no short path shows. Each step is the one taken least often from that state. */
import { Random } from '../../network/random.js';
import type { Failure } from './graph.js';
import type { MachineStep } from './options.js';
import { PARTS } from './path-chance.js';
import { Rig } from './rig.js';
import { runPlan } from './run.js';
import { shrink } from './shrink.js';
import { describeStep } from './steps.js';
import type { Subject } from './subject.js';

const WALKS = 10;
const STEPS = 50;

export interface Walks {
  readonly walks: readonly (readonly MachineStep[])[];
  readonly failure: Failure | null;
}

/** Walks and judges; the first that fails is made short. */
export async function walkRandomly(subject: Subject): Promise<Walks> {
  const { limits, seed = 1 } = subject.tests;
  const taken = new Map<string, number>();
  const walks: (readonly MachineStep[])[] = [];
  for (let i = 0; i < (limits?.walks ?? WALKS); i++) {
    const random = new Random(seed, `walk ${i}`);
    const steps = await chooseSteps(subject, random, limits?.steps ?? STEPS, taken);
    walks.push(steps);
    const failure = await runPlan(subject, { steps });
    if (failure) return { walks, failure: await shrink(failure, subject.tests, (steps) => runPlan(subject, { steps })) };
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
