/** Runs of the election in the paper's synchronous harness: unit delay, the change at tick 1, without monitoring. */
import { createTopology } from '../../../network/topology/index.js';
import { simulateByName } from '../../../testing/simulate.js';
import type { Topology } from '../../../machines/protocol.js';

export type NetworkShape = Readonly<Record<string, unknown>>;
export type Options = Readonly<Record<string, unknown>>;

export interface ElectionCost {
  readonly updates: number;
  /** The tick of the last delivery. */
  readonly ticks: number;
  readonly elections: number;
}

export function topologyOf(shape: NetworkShape): Topology {
  const { nodes, links } = createTopology(shape);
  return { nodes, links };
}

type Pair = readonly [string, string];

/** Cuts links at tick 1 and runs to rest. */
export function afterLoss(topology: Topology, lost: readonly Pair[], options: Options = {}): ElectionCost {
  const { at, summary } = simulateByName(
    {
      protocol: 'election',
      topology: { ...topology },
      options: { hello: false, ...options },
      events: lost.map((link) => ({ at: 1, do: 'cut', link })),
    },
    { host: 'snapshots', watch: false },
  );
  const { updates, elections } = summary as unknown as ElectionCost;
  return { updates, ticks: at, elections };
}

export const linksAt = (node: string, { links }: Topology): Pair[] =>
  links.filter(([u, v]) => u === node || v === node).map(([u, v]) => [u, v]);
