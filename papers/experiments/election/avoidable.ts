/** Counts unnecessary elections: a node elects itself although it could still reach the old leader. */
import { parseScenario } from '../../../network/scenario/parse.js';
import { Simulation } from '../../../network/simulation.js';
import { protocols } from '../../../machines/index.js';
import type { NodeId } from '../../../machines/effects.js';
import { hopsNow } from '../../../machines/election/graph.js';
import type { LeaderChange } from '../../../machines/election/messages.js';
import { leaderOf } from '../../../machines/election/view.js';
import { Random } from '../../../network/random.js';
import { topologyOf, type Options } from './run.js';

export interface Avoidable {
  readonly changes: number;
  readonly elections: number;
  readonly avoidable: number;
}

const NODES = 12;
const STEPS = 30;
/** Ticks between two changes: longer than all reactions to a change. */
const APART = 1000;
/** Maximum delay of the notification of the other end, in ticks. */
const DELAY = 12;

/** Sparse, so that it often splits and merges. */
const TREE = topologyOf({ kind: 'tree', n: NODES });

/** Runs with a change, or a burst of them, at every step, each after the network has come to rest. */
export function avoidableElections(runs: number, burst: number, options: Options): Avoidable {
  const sum = { changes: 0, elections: 0, avoidable: 0 };
  for (let seed = 1; seed <= runs; seed++) {
    const events = changes(TREE.links, burst, seed);
    sum.changes += events.length / 2;
    const simulation = new Simulation(
      parseScenario(
        { protocol: 'election', topology: { ...TREE }, options, events, network: { latency: { min: 1, max: 9 } }, seed },
        protocols,
      ),
      { host: 'snapshots', watch: false },
    );
    const { network, configuration } = simulation;
    const leaders = new Map<NodeId, NodeId>(TREE.nodes.map((id) => [id, TREE.nodes[0]!]));
    network.steps$.subscribe(({ node, emitted }) => {
      const before = leaders.get(node)!;
      leaders.set(node, leaderOf(configuration.nodes.get(node)!));
      const elects = emitted.some((event) => event.type === 'leader' && (event as LeaderChange).leader === node);
      if (!elects) return;
      sum.elections++;
      if (before !== node && hopsNow(node, configuration.links).has(before)) sum.avoidable++;
    });
    simulation.run();
  }
  return sum;
}

/** Each step loses an existing link or joins an unlinked pair, with equal probability; each end is notified separately. */
function changes(links: readonly (readonly [NodeId, NodeId, number])[], burst: number, seed: number) {
  const random = new Random(seed, 'link changes');
  const key = (i: number, j: number) => `n${Math.min(i, j)} n${Math.max(i, j)}`;
  const up = new Set(links.map(([u, v]) => key(Number(u.slice(1)), Number(v.slice(1)))));
  const pairs = Array.from({ length: NODES }, (_, i) => Array.from({ length: i }, (_, j) => key(i, j))).flat();
  return Array.from({ length: STEPS }, (_, step) => {
    const start = 1 + step * APART;
    const touched = new Set<string>();
    return Array.from({ length: burst }, () => {
      const wantsCut = random.chance(0.5);
      const free = (linked: boolean) => pairs.filter((other) => up.has(other) === linked && !touched.has(other));
      const isCut = wantsCut && free(true).length > 0;
      const pair = random.pick(free(isCut));
      touched.add(pair);
      if (isCut) up.delete(pair);
      else up.add(pair);
      const ends = random.shuffle(pair.split(' '));
      return [ends, ends.toReversed()].map((channel, i) => ({
        at: start + i * random.below(DELAY),
        do: isCut ? 'down' : 'up',
        channel,
      }));
    }).flat();
  }).flat();
}
