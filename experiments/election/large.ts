/** Thousands of nodes: one leader lost, elected anew in one run. */
import { parseScenario } from '../../network/scenario/parse.js';
import { Simulation } from '../../network/simulation.js';
import { protocols } from '../../machines/index.js';
import { linksAt, topologyOf } from './run.js';

export interface Large {
  readonly nodes: number;
  readonly updates: number;
  readonly ticks: number;
  readonly oriented: boolean;
}

/** A random geometric graph of ten neighbours each whose leader loses all its links; ready to run. */
export function largeElection(n: number, watch: boolean): () => Large {
  // The factor keeps large graphs connected, which ten neighbours alone do not.
  const topology = topologyOf({ kind: 'geometric', n, radius: Math.sqrt(((n > 2000 ? 1.6 : 1) * 10) / (Math.PI * n)), seed: 1 });
  const events = linksAt('n0', topology).map((link) => ({ at: 1, do: 'cut', link }));
  const scenario = parseScenario({ protocol: 'election', topology: { ...topology }, events }, protocols);
  return () => {
    const { at, summary } = new Simulation(scenario, { host: 'snapshots', watch }).run();
    return { nodes: n, updates: summary['updates'] as number, ticks: at, oriented: summary['oriented'] as boolean };
  };
}
