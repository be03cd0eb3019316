/** The election's cost: a new leader for 10,000 nodes on one core, and an Update's price from 100 nodes to 10,000. */
import { linksAt, topologyOf } from '../papers/experiments/election/run.js';
import { protocols } from '../machines/index.js';
import { parseScenario } from '../network/scenario/parse.js';
import { Simulation } from '../network/simulation.js';
import { inTurn, row, type MeasuredRow } from './measure.js';

interface Elected {
  readonly updates: number;
  /** Seconds of one core, from the lost leader to rest. */
  readonly seconds: number;
}

/** A random geometric graph with ten neighbors per node on average, apart from its border, whose leader loses all its links. */
export function electAgain(n: number, watch: boolean): Elected {
  const topology = topologyOf({ kind: 'geometric', n, radius: Math.sqrt(10 / (Math.PI * n)), seed: 1 });
  const events = linksAt('n0', topology).map((link) => ({ at: 1, do: 'cut', link }));
  const scenario = parseScenario({ protocol: 'election', topology: { ...topology }, events }, protocols);
  const simulation = new Simulation(scenario, { host: 'snapshots', watch });
  simulation.start();
  const begin = process.cpuUsage();
  while (simulation.advance());
  const { user, system } = process.cpuUsage(begin);
  const { summary, verdict } = simulation.finish();
  if (verdict !== 'valid' || summary['oriented'] !== true)
    throw new Error(`The verdict of the run with ${n} nodes is ${verdict}. Expected valid.`);
  return { updates: summary['updates'] as number, seconds: (user + system) / 1e6 };
}

/** Microseconds for each Update, over as many runs as make a large one. */
function perUpdate(n: number, runs: number): number {
  const all = Array.from({ length: runs }, () => electAgain(n, false));
  const total = (of: keyof Elected) => all.reduce((sum, one) => sum + one[of], 0);
  return (1e6 * total('seconds')) / total('updates');
}

export function electionRows(): MeasuredRow[] {
  const { updates, seconds } = electAgain(10_000, true);
  const cost = inTurn(3, {
    small: () => perUpdate(100, 50),
    middle: () => perUpdate(1000, 5),
    large: () => perUpdate(10_000, 1),
  });
  const ratio = cost.large / cost.small;
  return [
    row(
      `10,000 nodes have a new leader (${updates.toLocaleString('en-US')} Updates, every step watched), seconds of one core`,
      seconds.toFixed(1),
      '60',
      seconds < 60,
    ),
    row('an Update with 100 nodes, µs', cost.small.toFixed(1)),
    row('an Update with 1,000 nodes, µs', cost.middle.toFixed(1)),
    row('an Update with 10,000 nodes, µs', cost.large.toFixed(1)),
    row('10,000 nodes / 100 nodes', ratio.toFixed(2), '1.5', ratio <= 1.5),
  ];
}
