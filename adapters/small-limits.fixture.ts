import { onTestFinished } from 'vitest';
import { SMALL_LIMITS } from '../test/rehearsal/limits.js';

const PLACE = Symbol.for('xstate-quiver.limits');

/** Gives peers the limits of a rehearsal until the end of the test. */
export function withSmallLimits(): void {
  const globals = globalThis as Record<symbol, unknown>;
  globals[PLACE] = SMALL_LIMITS;
  onTestFinished(() => void delete globals[PLACE]);
}
