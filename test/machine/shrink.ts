/**
 * Makes a failing plan as short as it gets: steps are left out, many at a time and then one by one, while the same rule breaks; then what
 * they carry is made small. With a system under test the tries are few, and the shortest way to the same state comes first.
 */
import type { Failure } from './graph.js';
import type { MachineTests, MachineStep } from './options.js';
import { smallest } from './samples.js';

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
