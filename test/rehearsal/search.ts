/** One seed: its scenario is run, and made smaller for as long as the same judge finds something. */
import type FastCheck from 'fast-check';
import { UsageError } from '../../machines/errors.js';
import { realNow } from './here.js';
import type { RehearsalOutcome } from './rehearse.js';
import { scenarioOfShape, shapesOf, type RehearsalFrame, type RehearsalScenario, type RehearsalShape } from './scenario.js';

export interface FoundFailure {
  readonly scenario: RehearsalScenario;
  readonly outcome: RehearsalOutcome;
}

/**
 * fast-check is an optional peer, and who only runs a failure again, or shows it, needs none.
 *
 * @throws a `UsageError` where it is not installed.
 */
export async function loadFastCheck(): Promise<typeof FastCheck> {
  try {
    return (await import('fast-check')).default;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw error;
    throw new UsageError('a rehearsal draws what fails with fast-check, which is not installed; npm i -D fast-check');
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
  /** The time to make it short begins when the first run has ended, however long that took. */
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
  // Not of the application: the rehearsal itself could not be held.
  if (broken) throw broken.error;
  return withoutRest(found!);
}

/** What fails after the violation, whose time is told in whole milliseconds, has nothing to do with it. */
function withoutRest({ scenario, outcome }: FoundFailure): FoundFailure {
  const { violation } = outcome;
  if (!violation) return { scenario, outcome };
  return { scenario: { ...scenario, faults: scenario.faults.filter(({ atMs }) => atMs <= violation.atMs + 0.5) }, outcome };
}
