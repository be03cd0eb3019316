/**
 * The places of the nodes before forces act: distances in the graph as distances in the plane, as far as two dimensions allow.
 *
 * Pivot MDS (Brandes, Pich 2006): the distances to a few nodes that are far from each other, doubly centered, projected on their two main
 * directions. Without it, forces that start from a heap leave large networks folded.
 */
/** A link, by the numbers of the two nodes that it connects. */
export interface NumberedLink {
  readonly source: number;
  readonly target: number;
}

const PIVOTS = 12;
const ITERATIONS = 60;

export function startPositions(count: number, links: readonly NumberedLink[]): [x: number, y: number][] {
  const neighbors = Array.from({ length: count }, (): number[] => []);
  for (const { source, target } of links) {
    neighbors[source]!.push(target);
    neighbors[target]!.push(source);
  }
  const columns = center(pivotDistances(neighbors));
  const first = mainDirection(columns, []);
  const second = mainDirection(columns, [first]);
  return neighbors.map((_, node) => [project(columns, first, node), project(columns, second, node)]);
}

/** Hops to each pivot; the next pivot is the node that is farthest from all before. */
function pivotDistances(neighbors: readonly (readonly number[])[]): Float64Array[] {
  const nearest = new Float64Array(neighbors.length).fill(Infinity);
  const columns: Float64Array[] = [];
  for (let pivot = 0; columns.length < Math.min(PIVOTS, neighbors.length); pivot = farthest(nearest)) {
    const hops = hopsFrom(pivot, neighbors);
    hops.forEach((distance, node) => (nearest[node] = Math.min(nearest[node]!, distance)));
    columns.push(hops);
  }
  return columns;
}

const farthest = (distances: Float64Array): number => distances.indexOf(distances.reduce((a, b) => Math.max(a, b), 0));

/** Parts of the network that are not connected stand a little apart. */
function hopsFrom(start: number, neighbors: readonly (readonly number[])[]): Float64Array {
  const hops = new Float64Array(neighbors.length).fill(-1);
  hops[start] = 0;
  let most = 0;
  for (const queue = [start]; queue.length > 0;) {
    const node = queue.shift()!;
    most = hops[node]!;
    for (const next of neighbors[node]!) {
      if (hops[next]! >= 0) continue;
      hops[next] = hops[node]! + 1;
      queue.push(next);
    }
  }
  return hops.map((distance) => (distance < 0 ? most + 3 : distance));
}

function center(columns: readonly Float64Array[]): Float64Array[] {
  const squares = columns.map((column) => column.map((distance) => distance * distance));
  const means = squares.map((column) => column.reduce((sum, value) => sum + value, 0) / column.length);
  const all = means.reduce((sum, value) => sum + value, 0) / means.length;
  return squares.map((column, pivot) =>
    column.map((value, node) => {
      const row = squares.reduce((sum, other) => sum + other[node]!, 0) / squares.length;
      return -(value - means[pivot]! - row + all) / 2;
    }),
  );
}

/** The strongest direction of the centered columns that is orthogonal to those before, by power iteration. */
function mainDirection(columns: readonly Float64Array[], before: readonly number[][]): number[] {
  let direction = columns.map((_, i) => 1 / (i + 1 + before.length));
  for (let iteration = 0; iteration < ITERATIONS; iteration++) {
    const projected = Array.from(columns[0] ?? [], (_, node) => project(columns, direction, node));
    direction = columns.map((column) => column.reduce((sum, value, node) => sum + value * projected[node]!, 0));
    for (const other of before) {
      const overlap = dot(direction, other);
      direction = direction.map((value, i) => value - overlap * other[i]!);
    }
    const length = Math.sqrt(dot(direction, direction)) || 1;
    direction = direction.map((value) => value / length);
  }
  return direction;
}

const dot = (a: readonly number[], b: readonly number[]): number => a.reduce((sum, value, i) => sum + value * b[i]!, 0);

const project = (columns: readonly Float64Array[], direction: readonly number[], node: number): number =>
  columns.reduce((sum, column, i) => sum + column[node]! * direction[i]!, 0);
