/** The generated tests of any XState machine, for Vitest or any runner of the same shape. */
import type { AnyStateMachine } from 'xstate';
import { gapsOf } from './coverage.js';
import type { MachineTests } from './options.js';
import { expectNone, pageOfPaths } from '../failure-page.js';
import { requireRunner, type AsyncRunner } from '../runner.js';
import { describeFinding } from './findings.js';
import type { Failure } from './graph.js';
import { type PlanKind, shownOf } from './plans.js';
import { notesOn, unseenOf } from './report.js';
import { describeFailure, MachineTesting } from './testing.js';

/** How long a test may take; the search of some hundred states takes seconds, and runners allow as little as five. */
const TEST_MS = 120_000;

/**
 * Generated tests of a machine: every state that it reaches is searched, with time and services as choices, and paths through them are
 * walked on live actors.
 *
 * @param machine the machine to test.
 * @param tests samples of events and results, checks, and limits.
 * @param runner `describe`, `test` and `expect` of a test runner.
 * @throws UsageError when it is given no machine, and without the functions of a runner.
 * @example
 * ```ts
 * import { describe, expect, test } from 'vitest';
 * import { createMachine } from 'xstate';
 * import { describeMachine } from 'xstate-quiver/test';
 *
 * const checkout = createMachine({ initial: 'card', states: { card: { on: { CARD: 'paid' } }, paid: {} } });
 * describeMachine(checkout, { events: { CARD: [{ number: '4242' }] } }, { describe, test, expect });
 * ```
 * @public
 */
export function describeMachine<Sut>(machine: AnyStateMachine, tests: MachineTests<Sut>, runner: AsyncRunner): void {
  const testing = new MachineTesting(machine, tests);
  requireRunner('describeMachine(machine, tests, …)', runner, ['describe', 'test', 'expect']);
  const { describe, test: runTest, expect } = runner;
  const timeoutMs = tests.limits?.testMs ?? TEST_MS;
  const pageOf = (name: string, failure?: Failure) =>
    pageOfPaths(`${machine.id} ${name}`, async () => shownOf(testing, await testing.counts(), failure));
  const test = (name: string, failuresOf: () => Promise<readonly (Failure | null)[]>) => {
    const body = async () => {
      const failures = (await failuresOf()).filter((failure) => failure !== null);
      const shown = failures.find(({ isUnhandled }) => !isUnhandled);
      return expectNone(expect, failures.map(describeFailure), async () => (shown ? pageOf(name, shown) : null));
    };
    return runTest(name, body, timeoutMs);
  };
  /** The paths are known when the states have been searched: the runner waits for this while it collects tests. */
  const onePerPath = async (kinds: readonly PlanKind[]): Promise<void> => {
    for (const kind of kinds) {
      const paths = await testing.paths(kind);
      describe(kind, () => {
        for (const path of paths) test(path.description, async () => [await testing.failureOf(path)]);
      });
    }
  };
  describe(`machine ${machine.id}`, () => {
    test('nothing breaks in any state that was found', () => testing.searchFailures());
    test('the search is complete: every state that can be reached was seen', async () => {
      const unseen = unseenOf(await testing.graph());
      return unseen === null ? [] : [{ rule: 'unknown', description: unseen, steps: [], isUnhandled: true }];
    });
    const where = tests.mode === 'pure' ? 'only by the chart' : 'on live actors';
    const kinds = [
      ['shortest', `paths to the states go ${where} as the search has found them`],
      ['tour', 'a tour of every transition, every guard both ways'],
      ...(tests.pairs ? ([['pairs', 'every pair of transitions']] as const) : []),
    ] as const satisfies readonly (readonly [PlanKind, string])[];
    for (const [kind, title] of tests.each === 'path' ? [] : kinds) test(title, async () => [await testing.firstFailure(kind)]);
    test('random walks', async () => [(await testing.walks()).failure]);
    if (tests.temporal) test('temporal properties', () => testing.temporalFailures());
    if (tests.restore)
      test('stored and restored it goes on alike', async () => {
        const failure = await testing.restoreFailure();
        for (const note of notesOn(await testing.subject())) console.warn(`machine ${machine.id}: ${note}`);
        return [failure];
      });
    runTest(
      'nothing looks wrong that no property asks for',
      async () => {
        const findings = (await testing.findings()).filter(({ reason }) => reason === undefined);
        for (const one of findings.filter(({ isFailure }) => !isFailure))
          console.warn(`machine ${machine.id}: ${describeFinding(one)}`);
        const failed = findings.filter(({ isFailure }) => isFailure);
        expect(failed.map(describeFinding)).toEqual([]);
      },
      timeoutMs,
    );
    const covered = async () => {
      const coverage = await testing.coverage();
      expect(coverage.refuted).toEqual([]);
      await expectNone(expect, coverage.isComplete ? [] : gapsOf(coverage), () => pageOf('coverage'));
    };
    runTest('states, transitions, guards both ways, events, actions and outcomes are covered', covered, timeoutMs);
    return tests.each === 'path' ? onePerPath(kinds.map(([kind]) => kind)) : undefined;
  });
}
