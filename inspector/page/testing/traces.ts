/** Traces for the tests, from real runs. */
import { directory } from '../../../machines/directory/index.js';
import { Recorder, Simulation, traceHeader } from '../../../network/index.js';
import { parseScenario } from '../../../network/scenario/parse.js';

export function traceOf(json: unknown): string {
  const scenario = parseScenario(json, { directory });
  const simulation = new Simulation(scenario, { host: 'snapshots' });
  const lines: unknown[] = [traceHeader(scenario.protocol, json, scenario.seed, simulation.network)];
  const recorder = new Recorder(simulation.network, scenario.protocol, simulation.monitor);
  recorder.lines$.subscribe((line) => void lines.push(line));
  simulation.run();
  return lines.map((line) => `${JSON.stringify(line)}\n`).join('');
}

/** The token directory on a ring of nodes `n0 …`, the token at `n0`; the i-th of `requests` asks at time 3i. */
export const directoryTrace = (n = 5, requests: readonly number[] = [2, 4, 1, 3, 0], more: object = {}): string =>
  traceOf({
    protocol: 'directory',
    options: { policy: 'arrow', hold: 2 },
    topology: { kind: 'ring', n },
    events: requests.map((node, turn) => ({ at: 3 * turn, node: `n${node}`, do: 'request' })),
    ...more,
  });
