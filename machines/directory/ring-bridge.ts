/** The start of the ring bridge on any ring with positive weights (Algorithm 2, generalized as in spec 1.4). */
import type { NodeId } from '../effects.js';
import { UsageError } from '../errors.js';
import type { Topology } from '../protocol.js';

export interface RingBridge {
  readonly root: NodeId;
  readonly parents: Readonly<Record<NodeId, NodeId>>;
  /** The node whose pointer is the bridge. */
  readonly bridgeOwner: NodeId;
}

/**
 * The tree is the path along the node list, with both halves pointing at its middle; the bridge is the edge behind the middle. Each side
 * weighs less than half the ring, so a path inside a side is a shortest path.
 */
export function ringBridge(topology: Topology): RingBridge {
  const { nodes } = topology;
  const weights = ringWeights(topology);
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  let middle = 0;
  for (let walked = weights[0]!; 2 * walked < total && middle < nodes.length - 2; walked += weights[middle]!) middle++;
  const parents: Record<NodeId, NodeId> = {};
  nodes.forEach((node, i) => {
    parents[node] = i < middle ? nodes[i + 1]! : i === middle ? node : nodes[i - 1]!;
  });
  return { root: nodes[middle]!, parents, bridgeOwner: nodes[middle + 1]! };
}

/** The weights of the links of a ring, in the order of its nodes: `weights[i]` is that of the link from node `i` to the next node. */
export function ringWeights({ nodes, links }: Topology): number[] {
  const n = nodes.length;
  const weights = nodes.map((node, i) => {
    const after = nodes[(i + 1) % n]!;
    return links.find(([a, b]) => (a === node && b === after) || (a === after && b === node))?.[2];
  });
  const isRing = n === 2 ? links.length >= 1 : links.length === n;
  if (n < 2 || !isRing || !weights.every((weight) => weight !== undefined)) {
    throw new UsageError(
      'options.policy "bridge" needs a ring in the order of its node list. Use topology { "kind": "ring", "n": … } or another policy.',
    );
  }
  return weights;
}

/** The side of each node after removal of the bridge. */
export function sidesOf(parents: Readonly<Record<NodeId, NodeId>>, bridgeOwner: NodeId): Record<NodeId, 'A' | 'B'> {
  const sides: Record<NodeId, 'A' | 'B'> = {};
  for (const node of Object.keys(parents)) {
    let at = node;
    while (at !== bridgeOwner && parents[at] !== at) at = parents[at]!;
    sides[node] = at === bridgeOwner ? 'B' : 'A';
  }
  return sides;
}
