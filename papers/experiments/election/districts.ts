/** Measures what a change of links costs in the hierarchy, and how many leaders each rule chooses (spec section 8). */
import { parseScenario } from '../../../network/scenario/parse.js';
import { Simulation } from '../../../network/simulation.js';
import { election } from '../../../machines/election/index.js';
import { leadsLevel, levelOf } from '../../../machines/hierarchy/view.js';
import type { NodeView, Protocol, Topology } from '../../../machines/protocol.js';
import type { Options } from './run.js';

export interface Upset {
  readonly updates: number;
  /** How often a node started or stopped to lead a level, and how often one followed another leader. */
  readonly roleChanges: number;
  readonly membershipChanges: number;
}

export type DistrictsMoved = { readonly at?: number; readonly do: 'cut' | 'join'; readonly link: readonly [string, string] };

function simulationOf(topology: Topology, changes: readonly DistrictsMoved[], options: Options, protocol: Protocol): Simulation {
  const events = changes.map((change) => ({ at: 1, ...change }));
  const scenario = parseScenario({ protocol: 'election', topology: { ...topology }, options, events }, { election: protocol });
  return new Simulation(scenario, { host: 'snapshots', watch: false });
}

const levelsOf = ({ radii = [] }: { readonly radii?: readonly number[] }): number[] => radii.map((_, i) => i + 1);

/** Makes changes, by default at tick 1, and counts their effects until the network is quiet, over all levels. */
export function upset(
  topology: Topology,
  changes: readonly DistrictsMoved[],
  options: Options,
  protocol: Protocol = election,
): Upset {
  const simulation = simulationOf(topology, changes, options, protocol);
  const levels = levelsOf(options);
  const statusOf = (node: NodeView) =>
    levels.map((level) => ({ leads: leadsLevel(node, level), member: levelOf(node, level).member[1] }));
  const { network, configuration } = simulation;
  const sum = { updates: 0, roleChanges: 0, membershipChanges: 0 };
  network.started$.subscribe(() => {
    const status = new Map([...configuration.nodes].map(([id, node]) => [id, statusOf(node)]));
    network.steps$.subscribe(({ node, sent }) => {
      const before = status.get(node)!;
      const after = statusOf(configuration.nodes.get(node)!);
      status.set(node, after);
      sum.updates += sent.length;
      sum.roleChanges += after.filter(({ leads }, i) => leads !== before[i]!.leads).length;
      sum.membershipChanges += after.filter(({ member }, i) => member !== before[i]!.member).length;
    });
  });
  simulation.run();
  return sum;
}

/** The leaders of each level at rest after all changes. */
export function leaders(
  topology: Topology,
  changes: readonly DistrictsMoved[],
  options: Options,
  protocol: Protocol = election,
): number[] {
  const simulation = simulationOf(topology, changes, options, protocol);
  simulation.run();
  const nodes = [...simulation.configuration.nodes.values()];
  return levelsOf(options).map((level) => nodes.filter((node) => leadsLevel(node, level)).length);
}
