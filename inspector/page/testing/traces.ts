/** Traces for the tests, from real runs. */
import { protocols } from '../../../machines/index.js';
import { Recorder, Simulation, traceHeader, type Scenario, type TraceLine } from '../../../network/index.js';
import type { TraceHeader } from '../../../network/trace.js';
import { parseScenario } from '../../../network/scenario/parse.js';
import { handsFor } from '../../hands.js';

export function recordedLines(scenario: Scenario, json: unknown): (TraceHeader | TraceLine)[] {
  const simulation = new Simulation(scenario, { host: 'snapshots' });
  const lines: TraceLine[] = [];
  const header = traceHeader(scenario.protocol, json, scenario.seed, simulation.network);
  const recorder = new Recorder(simulation.network, scenario.protocol, simulation.monitor);
  recorder.lines$.subscribe((line) => void lines.push(line));
  recorder.conclude(simulation.run());
  return [header, ...lines];
}

const parse = (json: unknown): Scenario => parseScenario(json, protocols);

export const traceOf = (json: unknown): string =>
  recordedLines(parse(json), json)
    .map((line) => `${JSON.stringify(line)}\n`)
    .join('');

export const hands = handsFor(parse, recordedLines);

/** The token directory on a ring of nodes `n0 …`, the token at `n0`; the i-th of `requests` asks at time 3i. */
export const directoryScenario = (n = 5, requests: readonly number[] = [2, 4, 1, 3, 0]) => ({
  protocol: 'directory',
  options: { policy: 'arrow', hold: 2 },
  topology: { kind: 'ring', n },
  events: requests.map((node, turn) => ({ at: 3 * turn, node: `n${node}`, do: 'request' })),
});

export const directoryTrace = (n?: number, requests?: readonly number[]): string => traceOf(directoryScenario(n, requests));
