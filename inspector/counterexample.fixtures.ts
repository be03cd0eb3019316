/** The trace of a counterexample, for tests of the page. */
import { recordBranch, recordCounterexample, recordNearest } from '../bin/recording.js';
import { recordRun } from '../network/record-run.js';
import { protocols } from '../machines/index.js';
import { parseScenario } from '../network/scenario/parse.js';
import { checkScenario } from '../test/explore/scenario.js';
import { gesturesFor, textOf } from './gestures.js';

const printed = {
  protocol: 'exclusion',
  topology: { nodes: ['n0', 'n1'], links: [['n0', 'n1', 1]] },
  options: { priorities: 2, rules: 'printed' },
  events: ['n0', 'n1'].map((node) => ({ at: 0, node, do: 'lock' })),
};

/** As `quiver check printed-deadlock.json --trace` writes it. */
export function counterexampleTrace(): string {
  const scenario = parseScenario(printed, protocols);
  return [...textOf(recordCounterexample(scenario, printed, checkScenario(scenario).counterexample!))].join('');
}

/** As the server of `quiver explore` has them. */
export const gesturesOnCounterexample = gesturesFor(
  (json) => parseScenario(json, protocols),
  recordRun,
  recordNearest,
  recordBranch,
);
