/**
 * Saved scenarios as tests, for Vitest or any runner of the same shape: what the swarm has found once is tried in every run.
 *
 * ```ts
 * const saved = import.meta.glob('./regressions/*.json', { eager: true, import: 'default' });
 * describeScenarios({ ring }, saved, { test, expect });
 * ```
 */
import type { Protocol } from '../machines/protocol.js';
import { parseScenario } from '../network/scenario/parse.js';
import type { Runner } from './describe-protocol.js';
import { brokenIn } from './swarm/broken.js';

/** `scenarios` holds the JSON of each by the name of its file; there may be none yet. */
export function describeScenarios(
  protocols: Readonly<Record<string, Protocol>>,
  scenarios: Readonly<Record<string, unknown>>,
  { test, expect }: Pick<Runner, 'test' | 'expect'>,
): void {
  for (const [file, json] of Object.entries(scenarios)) {
    test(`${file} breaks nothing any more`, () => expect(brokenIn(parseScenario(json, protocols))).toEqual(null));
  }
}
