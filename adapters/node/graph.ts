/**
 * The graph that a node in an application takes its topology for.
 *
 * A simulation measures 100,000 nodes (network/topology/metric.ts); an application names tens, and a protocol asks for their distances
 * once, if it does, for the tree that it starts with. So whoever has come nearer to the source tells its neighbors, until nobody does.
 */
import { UsageError } from '../../machines/errors.js';
import type { NodeId } from '../../machines/effects.js';
import type { Core, NetworkGraph, Topology } from '../../machines/protocol.js';
import { isId } from '../transports/ids.js';

/** Where a protocol is open, everybody may take part. */
export function graphOf({ network }: Pick<Core, 'network'>, topology: Topology): NetworkGraph {
  const ranks = new Map(topology.nodes.map((node, rank) => [node, rank]));
  return {
    topology,
    rank: network.isOpen ? rankOfAnybody : (node) => ranks.get(node) ?? -1,
    distance: distanceIn(topology),
  };
}

/** The same for an open protocol whose node starts without a link. */
export const unlinkedGraph = (nodes: readonly NodeId[]): NetworkGraph => ({
  topology: { nodes, links: [] },
  rank: rankOfAnybody,
  distance: (u, v) => (u === v ? 0 : Infinity),
});

/** Two nodes of an open protocol need not know of the same ones, so that none has its own rank. */
const rankOfAnybody = (node: NodeId): number => (isId(node) ? 0 : -1);

function distanceIn({ nodes, links }: Topology): NetworkGraph['distance'] {
  const neighbors = new Map(nodes.map((node) => [node, [] as [NodeId, number][]]));
  const neighborsOf = (node: NodeId) => {
    const known = neighbors.get(node);
    if (!known) throw new UsageError(`node "${node}" is not in the topology. Name one of its ${nodes.length} nodes`);
    return known;
  };
  for (const [u, v, weight] of links) {
    neighborsOf(u).push([v, weight]);
    neighborsOf(v).push([u, weight]);
  }
  const search = (source: NodeId): ReadonlyMap<NodeId, number> => {
    const distances = new Map([[source, 0]]);
    const nearer = new Set([source]);
    // Who is added to a set while it is gone through has its turn, and has it again when it was taken out before.
    for (const node of nearer) {
      nearer.delete(node);
      for (const [peer, weight] of neighborsOf(node)) {
        const through = distances.get(node)! + weight;
        if (through >= (distances.get(peer) ?? Infinity)) continue;
        distances.set(peer, through);
        nearer.add(peer);
      }
    }
    return distances;
  };
  const searched = new Map<NodeId, ReadonlyMap<NodeId, number>>();
  return (u, v) => {
    neighborsOf(v);
    const distances = searched.get(u) ?? search(u);
    searched.set(u, distances);
    return distances.get(v) ?? Infinity;
  };
}
