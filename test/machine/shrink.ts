/** Makes a failing plan as short as it gets: steps are left out, many at a time and then one by one, while the same rule breaks. */
import type { Failure } from './graph.js';
import type { Step } from './options.js';

/** How often a failing plan is tried shorter. */
const TRIES = 400;

export async function shrink(failure: Failure, again: (steps: readonly Step[]) => Promise<Failure | null>): Promise<Failure> {
  let best = failure;
  let tries = TRIES;
  for (let size = Math.ceil(best.steps.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let at = 0; at + size <= best.steps.length && tries > 0;) {
      const found = await again(best.steps.toSpliced(at, size));
      tries--;
      // What breaks earlier than the plan ends is shorter still.
      if (found?.rule === failure.rule) best = found;
      else at++;
    }
  }
  return best;
}
