/** What the hierarchy costs and how lean it is (spec section 8). */
import { parseScenario } from '../../network/scenario/parse.js';
import { Simulation } from '../../network/simulation.js';
import { protocols } from '../../machines/index.js';
import { adjacencyOf } from '../../machines/election/graph.js';
import { greedyDominatingSet } from '../../machines/election/account.js';
import { leadsLevel, levelOf } from '../../machines/election/view.js';
import type { Configuration, Topology } from '../../machines/protocol.js';
import type { Options } from './run.js';

export interface Upset {
  readonly updates: number;
  readonly roleChanges: number;
  readonly membershipChanges: number;
}

export type Change = { readonly do: 'cut' | 'join'; readonly link: readonly [string, string] };

/** Makes changes at tick 1 and counts what has become different when all is quiet again, over all levels. */
export function upset(topology: Topology, changes: readonly Change[], options: Options): Upset {
  const levels = (options['radii'] as readonly number[] | undefined)?.length ?? 0;
  const simulation = new Simulation(
    parseScenario(
      { protocol: 'election', topology: { ...topology }, options, events: changes.map((change) => ({ at: 1, ...change })) },
      protocols,
    ),
    { host: 'snapshots', watch: false },
  );
  simulation.start();
  const before = statusOf(simulation.configuration, levels);
  while (simulation.advance());
  const after = statusOf(simulation.configuration, levels);
  const { messages } = simulation.finish();
  const differing = (of: (status: Status) => unknown) => after.filter((status, i) => of(status) !== of(before[i]!)).length;
  return {
    updates: messages.total,
    roleChanges: differing(({ leads }) => leads),
    membershipChanges: differing(({ member }) => member),
  };
}

interface Status {
  readonly leads: boolean;
  readonly member: string;
}

const statusOf = (c: Configuration, levels: number): Status[] =>
  [...c.nodes.values()].flatMap((node) =>
    Array.from({ length: levels }, (_, i) => ({ leads: leadsLevel(node, i + 1), member: levelOf(node, i + 1).member[1] })),
  );

/** Leaders of each level at the start, and how many a greedy choice with the whole graph before its eyes makes. */
export function leaders(topology: Topology, radii: readonly number[], separations: readonly number[] = radii) {
  const scenario = parseScenario({ protocol: 'election', topology: { ...topology }, options: { radii, separations } }, protocols);
  const simulation = new Simulation(scenario, { host: 'snapshots', watch: false });
  simulation.start();
  const nodes = [...simulation.configuration.nodes.values()];
  return radii.map((radius, i) => ({
    leaders: nodes.filter((node) => leadsLevel(node, i + 1)).length,
    greedy: greedyDominatingSet(adjacencyOf(topology), radius),
  }));
}
