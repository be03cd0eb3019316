/**
 * Communities of a large network: nodes that are close to each other in the picture share one circle, until the viewer zooms in.
 *
 * Forces place linked nodes close to each other, so a community has most of its links inside. Communities stay the same while the picture
 * moves, and change when its scale doubles.
 */
import type { Positions } from './force.js';
import type { Spot } from './geometry.js';

/** A circle that represents nodes, in the coordinates of the nodes. */
export interface Community extends Spot {
  readonly nodes: readonly number[];
  readonly radius: number;
}

/** The number of nodes above which a network has communities. */
export const COMMUNITIES_ABOVE = 200;
/** At this scale and larger ones, nodes and their names have room. */
const READABLE_SCALE = 0.4;
/** The least distance in pixels between the middles of two communities, on average. */
const SIDE = 72;
/** The radius of a circle as a part of that distance: for a single node, and for the smallest and largest community. */
const RADIUS = { single: 0.09, least: 0.16, most: 0.42 } as const;

/** The side of the squares of a grid whose nodes are a community; `null` if the picture shows every node. */
export const sideAt = (scale: number, nodes: number): number | null =>
  nodes > COMMUNITIES_ABOVE && scale < READABLE_SCALE ? 2 ** Math.ceil(Math.log2(SIDE / scale)) : null;

/**
 * The communities of all nodes.
 *
 * @param side From `sideAt`.
 * @param groupOf Nodes of different groups are never in one community.
 */
export function communitiesOf({ xs, ys }: Positions, side: number, groupOf: (node: number) => string): Community[] {
  const cells = new Map<string, number[]>();
  for (let node = 0; node < xs.length; node++) {
    const key = `${Math.floor(xs[node]! / side)} ${Math.floor(ys[node]! / side)} ${groupOf(node)}`;
    const cell = cells.get(key);
    if (cell) cell.push(node);
    else cells.set(key, [node]);
  }
  const sorted = [...cells.values()].sort((a, b) => b.length - a.length);
  const most = sorted[0]?.length ?? 1;
  const communityOf = (nodes: readonly number[]): Community => {
    const mean = (all: ArrayLike<number>) => nodes.reduce((sum, node) => sum + all[node]!, 0) / nodes.length;
    const part =
      nodes.length === 1 ? RADIUS.single : RADIUS.least + (RADIUS.most - RADIUS.least) * Math.sqrt(nodes.length / most);
    return { nodes, x: mean(xs), y: mean(ys), radius: Math.min(part, RADIUS.most) * side };
  };
  // Nodes at the border of two squares may be closer than their circles: the smaller community joins the larger one.
  const communities: Community[] = [];
  for (const nodes of sorted) {
    const own = communityOf(nodes);
    const near = communities.findIndex(
      (other) =>
        groupOf(other.nodes[0]!) === groupOf(nodes[0]!) &&
        Math.hypot(other.x - own.x, other.y - own.y) < other.radius + own.radius,
    );
    if (near < 0) communities.push(own);
    else communities[near] = communityOf([...communities[near]!.nodes, ...nodes]);
  }
  return communities;
}

/** The positions of all nodes, each in the middle of its community. */
export function gathered({ xs }: Positions, communities: readonly Community[]): Positions {
  const at = { xs: new Float64Array(xs.length), ys: new Float64Array(xs.length) };
  for (const { nodes, x, y } of communities) for (const node of nodes) [at.xs[node], at.ys[node]] = [x, y];
  return at;
}
