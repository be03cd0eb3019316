/**
 * The network graph of a node in an application.
 *
 * A simulation measures 100,000 nodes (network/topology/metric.ts). An application has tens of nodes, and a protocol asks for their
 * distances at most once, for its initial tree. A node whose distance decreases therefore updates its neighbors until nothing changes.
 */
import { UsageError } from '../../machines/errors.js';
import type { NodeId } from '../../machines/effects.js';
import type { Core, NetworkGraph, Topology } from '../../machines/protocol.js';
import { isId } from '../transports/ids.js';

/** The network graph for a topology. In an open protocol, any id may participate. */
export function networkGraphOf({ network }: Pick<Core, 'network'>, topology: Topology): NetworkGraph {
  const ranks = new Map(topology.nodes.map((node, rank) => [node, rank]));
  return { topology, rank: network.isOpen ? rankOfAnybody : (node) => ranks.get(node) ?? -1, distance: distanceIn(topology) };
}

/** The graph of an open protocol whose node starts without links. */
export const unlinkedGraph = (nodes: readonly NodeId[]): NetworkGraph => ({
  topology: { nodes, links: [] },
  rank: rankOfAnybody,
  distance: (u, v) => (u === v ? 0 : Infinity),
});

/** Nodes of an open protocol may know different nodes, so none has its own rank. */
const rankOfAnybody = (node: NodeId): number => (isId(node) ? 0 : -1);

function distanceIn({ nodes, links }: Topology): NetworkGraph['distance'] {
  const neighbors = new Map(nodes.map((node): [NodeId, [NodeId, number][]] => [node, []]));
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
    // Iterating over a set includes elements that are added, or added again, during the iteration.
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
