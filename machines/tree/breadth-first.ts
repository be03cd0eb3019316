/** Computes the breadth-first tree of a whole topology. Runs can begin with it, and tests compare the result of the heartbeats with it. */
import type { NodeId } from '../effects.js';
import type { NetworkGraph } from '../protocol.js';
import type { TreeEntry } from './bfs.js';

export interface TreeLevels {
  /** Parents; a root is its own parent, and each component has one. */
  readonly parents: Readonly<Record<NodeId, NodeId>>;
  /** Heartbeat of each node. */
  readonly entries: Readonly<Record<NodeId, TreeEntry>>;
  readonly neighbors: Readonly<Record<NodeId, readonly NodeId[]>>;
}

/** A node's identity: its position in the topology's list, with the wanted root first. */
export const identityInTree = (node: NodeId, root: NodeId, { rank }: Pick<NetworkGraph, 'rank'>): number =>
  node === root ? 0 : rank(node) + 1;

export function breadthFirst(root: NodeId, graph: NetworkGraph): TreeLevels {
  const { nodes, links } = graph.topology;
  const id = (node: NodeId) => identityInTree(node, root, graph);
  const neighbors: Record<NodeId, NodeId[]> = Object.fromEntries(nodes.map((node) => [node, []]));
  for (const [a, b] of links) {
    neighbors[a]!.push(b);
    neighbors[b]!.push(a);
  }
  const parents: Record<NodeId, NodeId> = {};
  const entries: Record<NodeId, TreeEntry> = {};
  for (const start of [root, ...nodes]) {
    if (start in entries) continue;
    parents[start] = start;
    entries[start] = { id: id(start), root: id(start), dist: 0, par: null };
    for (let level = [start], dist = 1; level.length > 0; dist++) {
      const next: NodeId[] = [];
      // In the order of identities, so that ties go to the parent of the smaller identity.
      for (const parent of level.sort((a, b) => id(a) - id(b))) {
        for (const child of neighbors[parent]!) {
          if (child in entries) continue;
          parents[child] = parent;
          entries[child] = { id: id(child), root: id(start), dist, par: id(parent) };
          next.push(child);
        }
      }
      level = next;
    }
  }
  return { parents, entries, neighbors };
}
