/** One seed: its scenario is run, and made smaller for as long as the same judge finds something. */
import fc from 'fast-check';
import type { Outcome } from './rehearse.js';
import { scenarioOf, shapesOf, type Frame, type Scenario, type Shape } from './scenario.js';

export interface Found {
  readonly scenario: Scenario;
  readonly outcome: Outcome;
}

export async function search(
  seed: number,
  frame: Frame,
  perform: (scenario: Scenario) => Promise<Outcome>,
  shrinkSeconds: number,
): Promise<Found> {
  let found: Found | undefined;
  let running: Promise<void> | undefined;
  let broken: { readonly error: unknown } | undefined;
  const attempt = async (shape: Shape): Promise<void> => {
    const scenario = scenarioOf(shape, frame);
    const outcome = await perform(scenario).catch((error: unknown) => {
      broken = { error };
      throw error;
    });
    const { violation } = outcome;
    const isSame = violation !== null && (!found || found.outcome.violation?.judge === violation.judge);
    if (isSame || !found) found = { scenario, outcome };
    if (isSame) throw new Error(violation.says);
  };
  const property = fc.asyncProperty(shapesOf(frame), (shape) => (running = attempt(shape)));
  await fc.check(property, {
    seed,
    numRuns: 1,
    unbiased: true,
    endOnFailure: shrinkSeconds === 0,
    ...(shrinkSeconds > 0 && { interruptAfterTimeLimit: shrinkSeconds * 1_000 }),
  });
  // When its time is over fast-check leaves a run that is under way.
  await running?.catch(() => {});
  // Not of the application: the rehearsal itself could not be held.
  if (broken) throw broken.error;
  return withoutRest(found!);
}

/** What fails after the violation has nothing to do with it. */
function withoutRest({ scenario, outcome }: Found): Found {
  const { violation } = outcome;
  if (!violation) return { scenario, outcome };
  return { scenario: { ...scenario, faults: scenario.faults.filter(({ atMs }) => atMs < violation.atMs) }, outcome };
}
