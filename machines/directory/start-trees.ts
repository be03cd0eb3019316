/**
 * The initial tree of a directory: by shortest paths to its root, of least weight, or of low stretch.
 *
 * The stretch of a link is the length of the path between its ends along the tree, divided by its weight. It bounds the cost of Arrow,
 * which never leaves its tree, relative to the optimum. The tree of least stretch is hard to find. This file searches for one that no
 * exchange of a single edge improves, from the best tree of shortest paths.
 */
import type { NodeId } from '../effects.js';
import { UsageError } from '../errors.js';
import { shortestPathTree } from '../checks.js';
import type { Link, NetworkGraph, Topology } from '../protocol.js';

export const startTrees = ['shortest', 'lightest', 'lowStretch'] as const;
export type StartTree = (typeof startTrees)[number];

/** Maximum number of nodes for low stretch. Every exchange visits all links, so larger networks would take minutes. */
const LOW_STRETCH_MAX = 128;

/** Next node of each node on its way to the root. */
export function startTree(kind: StartTree, root: NodeId, graph: NetworkGraph): Readonly<Record<NodeId, NodeId>> {
  if (kind === 'shortest') return shortestPathTree(root, graph);
  return new RootedTree(root, kind === 'lightest' ? leastWeight(graph.topology) : lowStretch(graph)).parents;
}

/** Components of an undirected graph that grows edge by edge (union-find). An edge within a component would close a cycle. */
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

  /** Joins two nodes; false if they were connected already, so that the new edge closes a cycle. */
  join(a: NodeId, b: NodeId): boolean {
    const [x, y] = [this.component(a), this.component(b)];
    if (x === y) return false;
    this.leader.set(x, y);
    this.components--;
    return true;
  }
}

/** Kruskal's algorithm: the lightest links that close no cycle. */
function leastWeight({ nodes, links }: Topology): Link[] {
  const forest = new Forest(nodes);
  return links.toSorted(([, , a], [, , b]) => a - b).filter(([u, v]) => forest.join(u, v));
}

function lowStretch(graph: NetworkGraph): readonly Link[] {
  const { nodes, links } = graph.topology;
  if (nodes.length > LOW_STRETCH_MAX)
    throw new UsageError(`options.tree "lowStretch" supports at most ${LOW_STRETCH_MAX} nodes. Set options.parents instead.`);
  const edgesOf = (parents: Readonly<Record<NodeId, NodeId>>) => links.filter(([u, v]) => parents[u] === v || parents[v] === u);
  const first = nodes.map((node): Stretched => {
    const tree = edgesOf(shortestPathTree(node, graph));
    return { tree, stretch: stretchOf(tree, links) };
  });
  let best = first.reduce((a, b) => (b.stretch < a.stretch ? b : a));
  for (let better = exchanged(best, links); better; better = exchanged(best, links)) best = better;
  return best.tree;
}

interface Stretched {
  readonly tree: readonly Link[];
  readonly stretch: number;
}

/** The tree with one link instead of an edge of the cycle that it closes, if that is better. */
function exchanged({ tree, stretch }: Stretched, links: readonly Link[]): Stretched | undefined {
  const rooted = new RootedTree(tree[0]![0], tree);
  for (const link of links) {
    if (tree.includes(link)) continue;
    for (const gone of rooted.way(link[0], link[1])) {
      const other = [...tree.filter((edge) => edge !== gone), link];
      const less = stretchOf(other, links);
      if (less < stretch - 1e-9) return { tree: other, stretch: less };
    }
  }
  return undefined;
}

/** The mean stretch of all links: the length of the way in the tree, divided by the length of the link. */
export function stretchOf(tree: readonly Link[], links: readonly Link[]): number {
  const rooted = new RootedTree(tree[0]![0], tree);
  const stretches = links.filter(([, , weight]) => weight > 0).map(([u, v, weight]) => lengthOf(rooted.way(u, v)) / weight);
  return stretches.reduce((sum, stretch) => sum + stretch, 0) / (stretches.length || 1);
}

const lengthOf = (way: readonly Link[]): number => way.reduce((sum, [, , weight]) => sum + weight, 0);

class RootedTree {
  readonly parents: Record<NodeId, NodeId>;
  private readonly up = new Map<NodeId, { readonly edge: Link; readonly depth: number }>();

  constructor(root: NodeId, edges: readonly Link[]) {
    this.parents = { [root]: root };
    const edgesAt = new Map<NodeId, Link[]>();
    for (const edge of edges) for (const end of [edge[0], edge[1]]) edgesAt.set(end, [...(edgesAt.get(end) ?? []), edge]);
    let depth = 1;
    for (let level = [root]; level.length > 0; depth++) {
      const next: NodeId[] = [];
      for (const node of level) {
        for (const edge of edgesAt.get(node) ?? []) {
          const child = edge[0] === node ? edge[1] : edge[0];
          if (child in this.parents) continue;
          this.parents[child] = node;
          this.up.set(child, { edge, depth });
          next.push(child);
        }
      }
      level = next;
    }
  }

  /** The edges of the path between two nodes. */
  way(u: NodeId, v: NodeId): Link[] {
    const edges: Link[] = [];
    const depthOf = (node: NodeId) => this.up.get(node)?.depth ?? 0;
    for (let [a, b] = [u, v]; a !== b;) {
      if (depthOf(a) < depthOf(b)) [a, b] = [b, a];
      edges.push(this.up.get(a)!.edge);
      a = this.parents[a]!;
    }
    return edges;
  }
}
