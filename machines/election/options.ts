/**
 * The election's options of a scenario, checked and completed with the initial state that they define.
 *
 * The paper starts from any leader-oriented configuration (section 3.3): here every component has a leader, and all nodes are oriented
 * toward it.
 */
import { nodeOf, oneOf, refuseUnknown } from '../checks.js';
import type { NodeId } from '../effects.js';
import { UsageError } from '../errors.js';
import { levelRules, tablesAtStart, type LevelRule, type LevelStart } from '../hierarchy/start.js';
import type { NetworkGraph, Topology } from '../protocol.js';
import { adjacencyOf, hopsFrom } from './graph.js';
import type { Identity } from './height.js';

export interface ElectionProtocolOptions {
  /** Initial leader of its component. Other components start under the first of their nodes. */
  readonly leader: NodeId;
  readonly clock: 'perfect' | 'logical';
  readonly hello: boolean;
  readonly skipIfLeader: boolean;
  readonly sink: 'settled' | 'printed';
  /** The levels of the hierarchy, lowest first. */
  readonly levels: readonly LevelRule[];
  readonly start: Readonly<Record<NodeId, NodeStart>>;
}

/** The initial state of one node: its neighbors, its leader and the distance to it. */
export interface NodeStart {
  readonly neighbors: readonly NodeId[];
  readonly leader: NodeId;
  /** Hops to the leader. */
  readonly distance: number;
  readonly levels: readonly LevelStart[];
}

const KEYS = ['leader', 'clock', 'hello', 'skipIfLeader', 'sink', 'radii', 'separations'] as const;

type Raw = Readonly<Record<string, unknown>>;

export const identityOf = (node: NodeId, { rank }: Pick<NetworkGraph, 'rank'>): Identity => [rank(node) + 1, node];

export function electionOptions(raw: Raw, graph: NetworkGraph): ElectionProtocolOptions {
  refuseUnknown(raw, KEYS);
  const leader = nodeOf(raw, 'leader', graph, graph.topology.nodes[0]!);
  const hello = truth(raw, 'hello', true);
  const levels = levelRules(raw);
  if (levels.length > 0 && !hello) {
    throw new UsageError(
      'options.radii needs options.hello: without it, a neighbor may never send its tables. Do not set hello to false.',
    );
  }
  return {
    leader,
    clock: oneOf(raw, 'clock', ['perfect', 'logical'], 'perfect'),
    hello,
    skipIfLeader: truth(raw, 'skipIfLeader', false),
    sink: oneOf(raw, 'sink', ['settled', 'printed'], 'settled'),
    levels,
    start: startOf(graph.topology, leader, (node) => identityOf(node, graph), levels),
  };
}

/** The node `wanted` leads its component; elsewhere the first node of the list does. */
function startOf(
  topology: Topology,
  wanted: NodeId,
  identity: (node: NodeId) => Identity,
  levels: readonly LevelRule[],
): Readonly<Record<NodeId, NodeStart>> {
  const adjacency = adjacencyOf(topology);
  const presence = levels.map((rule) => tablesAtStart(adjacency, rule, identity));
  const start: Record<NodeId, NodeStart> = {};
  for (const leader of [wanted, ...topology.nodes]) {
    if (leader in start) continue;
    for (const [node, distance] of hopsFrom(leader, adjacency)) {
      const neighbors = adjacency.get(node)!;
      start[node] = { neighbors, leader, distance, levels: presence.map((level) => level.get(node)!) };
    }
  }
  return start;
}

function truth(raw: Raw, key: string, fallback: boolean): boolean {
  const value = raw[key] ?? fallback;
  if (typeof value !== 'boolean') throw new UsageError(`options.${key} is ${JSON.stringify(value)}. Use true or false.`);
  return value;
}
