/** Components of an undirected graph that grows edge by edge (union-find); joining what is joined already would close a cycle. */
import type { NodeId } from './effects.js';

export class Forest {
  private readonly leader = new Map<NodeId, NodeId>();
  components: number;

  constructor(nodes: Iterable<NodeId>) {
    for (const node of nodes) this.leader.set(node, node);
    this.components = this.leader.size;
  }

  component(node: NodeId): NodeId {
    let at = node;
    for (let up = this.leader.get(at); up !== undefined && up !== at; up = this.leader.get(at)) {
      this.leader.set(at, this.leader.get(up)!);
      at = up;
    }
    return at;
  }

  /** Joins two nodes; false when they were joined before, so that the new edge closes a cycle. */
  join(a: NodeId, b: NodeId): boolean {
    const [x, y] = [this.component(a), this.component(b)];
    if (x === y) return false;
    this.leader.set(x, y);
    this.components--;
    return true;
  }
}

/** Whether the edges, directions ignored, form one tree over all the nodes. */
export function isSpanningTree(nodes: Iterable<NodeId>, edges: Iterable<readonly [NodeId, NodeId]>): boolean {
  const forest = new Forest(nodes);
  for (const [a, b] of edges) if (!forest.join(a, b)) return false;
  return forest.components === 1;
}
