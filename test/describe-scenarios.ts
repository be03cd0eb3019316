/**
 * Runs saved scenarios as tests, with Vitest or a similar runner, so that a failure that the swarm found once is tested again every time.
 */
import type { Protocol } from '../machines/protocol.js';
import { parseScenario } from '../network/scenario/parse.js';
import { recordRun } from '../network/record-run.js';
import { requireRunner, type Runner } from './runner.js';
import { pageOfRun } from './failure-page.js';
import { brokenIn } from './swarm/broken.js';

/**
 * Registers a test for each saved scenario. The test fails if the scenario violates a property again.
 *
 * @param protocols the protocols by name.
 * @param runner `test` and `expect` of a test runner.
 * @param scenarios the JSON of each by the name of its file, as `import.meta.glob` of Vite gives them; there may be none yet.
 * @example
 * ```ts
 * import { readFileSync } from 'node:fs';
 * import { expect, test } from 'vitest';
 * import { directory } from 'xstate-quiver/machines';
 * import { describeScenarios } from 'xstate-quiver/check';
 *
 * const found = JSON.parse(readFileSync('regressions/lost-token.json', 'utf8'));
 * describeScenarios({ directory }, { 'lost-token.json': found }, { test, expect });
 * ```
 * @public
 */
export function describeScenarios(
  protocols: Readonly<Record<string, Protocol>>,
  scenarios: Readonly<Record<string, unknown>>,
  runner: Pick<Runner, 'test' | 'expect'>,
): void {
  requireRunner('describeScenarios(protocols, scenarios, …)', runner, ['test', 'expect']);
  const { test, expect } = runner;
  for (const [file, json] of Object.entries(scenarios)) {
    test(`${file} breaks nothing any more`, () => {
      const scenario = parseScenario(json, protocols);
      const broken = brokenIn(scenario);
      if (!broken) return expect(broken).toEqual(null);
      return pageOfRun(file, () => recordRun(scenario, json)).then((page) =>
        expect({ ...broken, ...(page !== null && { page }) }).toEqual(null),
      );
    });
  }
}
