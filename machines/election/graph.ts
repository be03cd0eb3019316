/** Distances and connected components of a network, for the election's properties and reports. */
import type { NodeId } from '../effects.js';
import type { LinksView, Topology } from '../protocol.js';

export type Adjacency = ReadonlyMap<NodeId, readonly NodeId[]>;

export function adjacencyOf({ nodes, links }: Topology): Adjacency {
  const adjacency = new Map<NodeId, NodeId[]>(nodes.map((node) => [node, []]));
  for (const [u, v] of links) {
    adjacency.get(u)!.push(v);
    adjacency.get(v)!.push(u);
  }
  return adjacency;
}

/** The peers to which both directions are up: after all changes, these are all peers. */
export const linkedTo = (node: NodeId, links: LinksView): NodeId[] =>
  links.neighbors(node).filter((peer) => links.up(peer, node));

export const adjacencyNow = (nodes: Iterable<NodeId>, links: LinksView): Adjacency =>
  new Map([...nodes].map((node) => [node, linkedTo(node, links)]));

/** The nodes within reach and their distance, nearest first, at most `within` hops away. */
export function hopsFrom(source: NodeId, adjacency: Pick<Adjacency, 'get'>, within = Infinity): Map<NodeId, number> {
  const hops = new Map([[source, 0]]);
  for (const [node, distance] of hops) {
    if (distance === within) break;
    for (const peer of adjacency.get(node)!) if (!hops.has(peer)) hops.set(peer, distance + 1);
  }
  return hops;
}

/** The distances from a node over the links that are up now. */
export const hopsNow = (source: NodeId, links: LinksView, within?: number): Map<NodeId, number> =>
  hopsFrom(source, { get: (node) => linkedTo(node, links) }, within);

export function componentsOf(adjacency: Adjacency): NodeId[][] {
  const seen = new Set<NodeId>();
  const components: NodeId[][] = [];
  for (const node of adjacency.keys()) {
    if (seen.has(node)) continue;
    const component = [...hopsFrom(node, adjacency).keys()];
    for (const reached of component) seen.add(reached);
    components.push(component);
  }
  return components;
}

/** The largest distance within a component. */
export const diameterOf = (component: readonly NodeId[], adjacency: Adjacency): number =>
  Math.max(...component.map((node) => Math.max(...hopsFrom(node, adjacency).values())));
