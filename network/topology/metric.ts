/**
 * Shortest paths in a topology, and distances on the globe.
 *
 * Dijkstra's algorithm runs from a source at the first query, and its result is cached. The links are in typed arrays (each
 * node's neighbors in a row, sorted), so 100,000 nodes are feasible as long as few sources are queried. Most messages go to a
 * neighbor. A link at most twice as long as the shortest one is itself a shortest path, because a detour has two links: no search
 * is needed then.
 */
import TinyQueue from 'tinyqueue';
import { UsageError } from '../../machines/errors.js';
import type { NodeId } from '../../machines/effects.js';
import type { Link, NetworkGraph, Topology } from '../../machines/protocol.js';

/** The network graph with additional queries of distances. A spread copy keeps all of them. */
export interface Metric extends NetworkGraph {
  /** Nodes of a shortest path from `u` to `v`, including both; `undefined` without one. */
  path(u: NodeId, v: NodeId): NodeId[] | undefined;
  isConnected(): boolean;
  /** Largest distance, or `Infinity` if the topology is not connected. Queries every source. */
  diameter(): number;
}

/**
 * The result for one source: distances, and the previous node on a shortest path (-1 at the source and for unreachable nodes).
 */
interface Row {
  readonly distance: Float64Array;
  readonly previous: Int32Array;
}

/**
 * Creates a metric. All cached rows together have at most `cellsMax` distances, of 12 bytes each; beyond that, the oldest row is removed.
 */
export function createMetric(topology: Topology, cellsMax = 2 ** 24): Metric {
  const graph = new Graph(topology);
  const { nodes } = topology;
  const rows = new Map<number, Row>();
  const rowsMax = Math.max(2, Math.floor(cellsMax / nodes.length));

  const rowOf = (source: number): Row => {
    let row = rows.get(source);
    if (!row) {
      row = graph.search(source);
      if (rows.size >= rowsMax) rows.delete(rows.keys().next().value!);
      rows.set(source, row);
    }
    return row;
  };

  return {
    topology,
    rank: (node) => graph.rank(node),
    distance(u, v) {
      const source = graph.indexOf(u);
      const target = graph.indexOf(v);
      if (source === target) return 0;
      const direct = graph.weight(source, target);
      // Always from `u`: the sum from the other end may differ in its last bit, and results must not depend on earlier queries.
      return direct <= 2 * graph.weightMin ? direct : rowOf(source).distance[target]!;
    },
    path(u, v) {
      const { distance, previous } = rowOf(graph.indexOf(u));
      const target = graph.indexOf(v);
      if (distance[target] === Infinity) return undefined;
      const path: NodeId[] = [];
      for (let at = target; at !== -1; at = previous[at]!) path.push(nodes[at]!);
      return path.reverse();
    },
    isConnected: () => nodes.length === 0 || !rowOf(0).distance.includes(Infinity),
    diameter() {
      let longest = 0;
      for (let source = 0; source < nodes.length && longest < Infinity; source++) {
        for (const distance of graph.search(source).distance) longest = Math.max(longest, distance);
      }
      return longest;
    },
  };
}

interface Reached {
  readonly node: number;
  readonly distance: number;
}

const nearer = (a: Reached, b: Reached): number => a.distance - b.distance || a.node - b.node;

/** The links as sorted rows of neighbors: those of node i are at `first[i]` to `first[i + 1] - 1`. Links are unique. */
class Graph {
  readonly weightMin: number;
  private readonly index = new Map<NodeId, number>();
  private readonly first: Int32Array;
  private readonly neighbor: Int32Array;
  private readonly length: Float64Array;

  constructor({ nodes, links }: Topology) {
    nodes.forEach((node, i) => this.index.set(node, i));
    this.weightMin = links.reduce((min, [, , weight]) => Math.min(min, weight), Infinity);
    const from = Int32Array.from(links, ([u]) => this.indexOf(u));
    const to = Int32Array.from(links, ([, v]) => this.indexOf(v));
    this.first = new Int32Array(nodes.length + 1);
    for (const ends of [from, to]) for (const i of ends) this.first[i + 1]!++;
    for (let i = 0; i < nodes.length; i++) this.first[i + 1]! += this.first[i]!;
    this.neighbor = new Int32Array(2 * links.length);
    this.length = new Float64Array(2 * links.length);
    this.fill(from, to, links);
  }

  /** First in the order of the links, which leaves rows unsorted; then node by node into each other's rows, which sorts them. */
  private fill(from: Int32Array, to: Int32Array, links: readonly Link[]): void {
    const { first, neighbor, length } = this;
    const unsorted = new Int32Array(neighbor.length);
    const place = first.slice();
    links.forEach((_, k) => {
      unsorted[place[from[k]!]!++] = k;
      unsorted[place[to[k]!]!++] = k;
    });
    place.set(first);
    for (let i = 0; i + 1 < first.length; i++) {
      for (let slot = first[i]!; slot < first[i + 1]!; slot++) {
        const k = unsorted[slot]!;
        const row = place[from[k]! + to[k]! - i]!++;
        neighbor[row] = i;
        length[row] = links[k]![2];
      }
    }
  }

  rank(node: NodeId): number {
    return this.index.get(node) ?? -1;
  }

  indexOf(node: NodeId): number {
    const index = this.index.get(node);
    if (index === undefined)
      throw new UsageError(`Unknown node "${node}". Name one of the ${this.index.size} nodes of the topology.`);
    return index;
  }

  /** Weight of the link between two nodes, or `Infinity` without one. */
  weight(a: number, b: number): number {
    let low = this.first[a]!;
    let high = this.first[a + 1]!;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.neighbor[middle]! < b) low = middle + 1;
      else high = middle;
    }
    return low < this.first[a + 1]! && this.neighbor[low] === b ? this.length[low]! : Infinity;
  }

  search(source: number): Row {
    const distance = new Float64Array(this.index.size).fill(Infinity);
    const previous = new Int32Array(this.index.size).fill(-1);
    const queue = new TinyQueue<Reached>([], nearer);
    distance[source] = 0;
    queue.push({ node: source, distance: 0 });
    for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
      const { node } = next;
      if (next.distance > distance[node]!) continue;
      for (let place = this.first[node]!; place < this.first[node + 1]!; place++) {
        const to = this.neighbor[place]!;
        const through = next.distance + this.length[place]!;
        if (through >= distance[to]!) continue;
        distance[to] = through;
        previous[to] = node;
        queue.push({ node: to, distance: through });
      }
    }
    return { distance, previous };
  }
}

/** Degrees, north and east positive. */
export interface Position {
  readonly latitude: number;
  readonly longitude: number;
}

/** The mean radius of the Earth. */
const RADIUS_KM = 6371.0088;

const radians = (degrees: number): number => (degrees * Math.PI) / 180;

/**
 * Length of the great circle between two places by the haversine formula, which is also exact for short distances. Rounded to meters, so
 * that the last bits of an engine's sine do not affect a run.
 */
export function greatCircleKm(a: Position, b: Position): number {
  const halfLatitude = Math.sin(radians(b.latitude - a.latitude) / 2);
  const halfLongitude = Math.sin(radians(b.longitude - a.longitude) / 2);
  const h = halfLatitude ** 2 + Math.cos(radians(a.latitude)) * Math.cos(radians(b.latitude)) * halfLongitude ** 2;
  const km = 2 * RADIUS_KM * Math.asin(Math.min(1, Math.sqrt(h)));
  return Math.round(km * 1000) / 1000;
}
