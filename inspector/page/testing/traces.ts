/** Traces for tests of the inspector, recorded from real simulations. */
import { protocols } from '../../../machines/index.js';
import { recordRun } from '../../../network/record-run.js';
import { parseScenario } from '../../../network/scenario/parse.js';
import type { Scenario } from '../../../network/scenario/types.js';
import type { TraceHeader, TraceLine } from '../../../network/trace.js';
import { gesturesFor } from '../../gestures.js';
import { ReadTrace, type TraceLimits } from '../../model/recording.js';

export const recordedLines = (scenario: Scenario, json: unknown): (TraceHeader | TraceLine)[] => [
  ...recordRun(scenario, json, { host: 'snapshots' }),
];

const parse = (json: unknown): Scenario => parseScenario(json, protocols);

export const traceOf = (json: unknown): string =>
  recordedLines(parse(json), json)
    .map((line) => `${JSON.stringify(line)}\n`)
    .join('');

export const gestures = gesturesFor(parse, recordedLines);

/** The token directory on a ring of nodes `n0 …`, the token at `n0`; the i-th of `requests` asks at time 3i. */
export const directoryScenario = (n = 5, requests: readonly number[] = [2, 4, 1, 3, 0]) => ({
  protocol: 'directory',
  options: { policy: 'arrow', hold: 2 },
  topology: { kind: 'ring', n },
  events: requests.map((node, turn) => ({ at: 3 * turn, node: `n${node}`, do: 'request' })),
});

export const directoryTrace = (n?: number, requests?: readonly number[]): string => traceOf(directoryScenario(n, requests));

/** A directory in which node n2 is corrupted after its request, which violates a property, followed by the given events. */
export const corruptedScenario = (...events: readonly object[]) => ({
  protocol: 'directory',
  topology: { kind: 'path', n: 3 },
  events: [{ at: 0, node: 'n2', do: 'request' }, { at: 1, node: 'n2', do: 'corrupt' }, ...events],
});

/** Three peers, one of which requests a lock. */
export const locksScenario = {
  protocol: 'locks',
  topology: { kind: 'complete', n: 3 },
  events: [{ at: 5, node: 'n1', do: 'request' }],
  until: { at: 60 },
};

/** A trace as the page has it after loading. */
export function readTrace(text: string, limits?: TraceLimits): ReadTrace {
  const recording = new ReadTrace(limits);
  recording.push(text);
  recording.close();
  return recording;
}
