/** Elections that need not have been: the old leader was still in the component of the node that elected itself. */
import { parseScenario } from '../../network/scenario/parse.js';
import { Simulation } from '../../network/simulation.js';
import { protocols } from '../../machines/index.js';
import type { NodeId } from '../../machines/effects.js';
import { adjacencyNow, hopsFrom } from '../../machines/election/graph.js';
import type { LeaderChange } from '../../machines/election/messages.js';
import { leaderOf } from '../../machines/election/view.js';
import { Random } from '../../network/random.js';
import { topologyOf, type Options } from './run.js';

export interface Avoidable {
  readonly changes: number;
  readonly elections: number;
  readonly avoidable: number;
}

const NODES = 12;
const STEPS = 30;
/** Longer than any reaction to a change takes. */
const APART = 1000;

/** Runs with a change, or a burst of them, at every step, each after the network has come to rest. */
export function avoidableElections(runs: number, burst: number, options: Options): Avoidable {
  const sum = { changes: 0, elections: 0, avoidable: 0 };
  for (let seed = 1; seed <= runs; seed++) {
    const topology = topologyOf({ kind: 'erdos-renyi', n: NODES, p: 0.25, seed });
    const events = changes(topology.links, burst, seed);
    sum.changes += events.length;
    const simulation = new Simulation(
      parseScenario(
        { protocol: 'election', topology: { ...topology }, options, events, network: { latency: { min: 1, max: 9 } }, seed },
        protocols,
      ),
      { host: 'snapshots', watch: false },
    );
    const { network, configuration } = simulation;
    const leaders = new Map<NodeId, NodeId>([...configuration.nodes.keys()].map((id) => [id, topology.nodes[0]!]));
    network.steps$.subscribe(({ node, emitted }) => {
      const before = leaders.get(node)!;
      leaders.set(node, leaderOf(configuration.nodes.get(node)!));
      const elects = emitted.some((event) => event.type === 'leader' && (event as LeaderChange).leader === node);
      if (!elects) return;
      sum.elections++;
      if (before !== node && hopsFrom(node, adjacencyNow(configuration.nodes.keys(), network.links)).has(before)) sum.avoidable++;
    });
    simulation.run();
  }
  return sum;
}

/** At each step a link that is there is cut or a pair that is not linked is joined, one as likely as the other. */
function changes(links: readonly (readonly [NodeId, NodeId, number])[], burst: number, seed: number) {
  const random = new Random(seed, 'link changes');
  const key = (i: number, j: number) => `n${Math.min(i, j)} n${Math.max(i, j)}`;
  const up = new Set(links.map(([u, v]) => key(Number(u.slice(1)), Number(v.slice(1)))));
  const pairs = Array.from({ length: NODES }, (_, i) => Array.from({ length: i }, (_, j) => key(i, j))).flat();
  return Array.from({ length: STEPS * burst }, (_, i) => {
    const cuts = up.size > 0 && random.chance(0.5);
    const pair = random.pick(cuts ? [...up] : pairs.filter((other) => !up.has(other)));
    if (cuts) up.delete(pair);
    else up.add(pair);
    return { at: 1 + Math.floor(i / burst) * APART, do: cuts ? 'cut' : 'join', link: pair.split(' ') };
  });
}
