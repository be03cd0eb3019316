/** Runs the scenario of one seed. If a judge finds a violation, it searches for a smaller scenario with the same violation. */
import type FastCheck from 'fast-check';
import { UsageError } from '../../machines/errors.js';
import { realNow } from './here.js';
import type { RehearsalOutcome } from './report.js';
import { scenarioOfShape, shapesOf, type RehearsalFrame, type RehearsalScenario, type RehearsalShape } from './scenario.js';
import { fieldsOf } from '../../machines/checks.js';

export interface FoundFailure {
  readonly scenario: RehearsalScenario;
  readonly outcome: RehearsalOutcome;
}

/**
 * Loads fast-check, an optional peer dependency. Replaying or showing a failure does not need it.
 *
 * @throws UsageError if it is not installed.
 */
export async function loadFastCheck(): Promise<typeof FastCheck> {
  try {
    return (await import('fast-check')).default;
  } catch (error) {
    if (fieldsOf(error)['code'] !== 'ERR_MODULE_NOT_FOUND') throw error;
    throw new UsageError(
      'A rehearsal requires fast-check to draw faults, and it is not installed. Run: npm install --save-dev fast-check',
    );
  }
}

export async function searchFailure(
  fc: typeof FastCheck,
  seed: number,
  frame: RehearsalFrame,
  perform: (scenario: RehearsalScenario) => Promise<RehearsalOutcome>,
  shrinkSeconds: number,
): Promise<FoundFailure> {
  let found: FoundFailure | undefined;
  /** The end of shrinking. Its time starts when the first run has ended. */
  let until = Infinity;
  let broken: { readonly error: unknown } | undefined;
  const attempt = async (shape: RehearsalShape): Promise<void> => {
    if (broken || realNow() >= until) return;
    const scenario = scenarioOfShape(shape, frame);
    const outcome = await perform(scenario).catch((error: unknown) => {
      broken = { error };
      throw error;
    });
    const { violation } = outcome;
    const isSame = violation !== null && (!found || found.outcome.violation?.judge === violation.judge);
    if (!found) until = realNow() + shrinkSeconds * 1_000;
    if (isSame || !found) found = { scenario, outcome };
    if (isSame) throw new Error(violation.description);
  };
  const property = fc.asyncProperty(shapesOf(fc, frame), attempt);
  await fc.check(property, { seed, numRuns: 1, unbiased: true, endOnFailure: shrinkSeconds === 0 });
  // An error of the rehearsal itself, not of the application.
  if (broken) throw broken.error;
  return withoutRest(found!);
}

/** Removes the faults after the violation, whose time is rounded to whole milliseconds. They cannot have caused it. */
function withoutRest({ scenario, outcome }: FoundFailure): FoundFailure {
  const { violation } = outcome;
  if (!violation) return { scenario, outcome };
  return { scenario: { ...scenario, faults: scenario.faults.filter(({ atMs }) => atMs <= violation.atMs + 0.5) }, outcome };
}
