/** Computes a node's parent and distance in the breadth-first tree from the last heartbeats of its neighbors (spec part 3). */
import type { NodeId } from '../effects.js';

/** Heartbeat of a node: the smallest identity it knows of, its distance, and the next node on the way. */
export interface Heartbeat {
  readonly type: 'heartbeat';
  readonly id: number;
  readonly root: number;
  readonly dist: number;
  /** The identity of its parent, `null` at a root. */
  readonly par: number | null;
}

export type TreeEntry = Omit<Heartbeat, 'type'>;

/** Stored data of a node: the last heartbeat of each neighbor. */
export interface TreeKnowledge {
  readonly identity: number;
  /** At least the number of nodes. All distances are smaller, so an invented root disappears. */
  readonly limit: number;
  readonly received: Readonly<Record<NodeId, TreeEntry | null>>;
}

export interface Own extends TreeEntry {
  readonly via: NodeId | null;
}

/** The least (root, dist, via) of the node itself as a root and of each neighbor's offer. */
export function ownEntry({ identity, limit, received }: TreeKnowledge): Own {
  let own: Own = { id: identity, root: identity, dist: 0, par: null, via: null };
  for (const [via, entry] of Object.entries(received)) {
    if (!entry || !isDistance(entry.dist) || entry.root >= identity || entry.dist + 1 >= limit) continue;
    const offer: Own = { id: identity, root: entry.root, dist: entry.dist + 1, par: entry.id, via };
    if (comesBefore(offer, own)) own = offer;
  }
  return own;
}

/** The neighbors that report this node as parent, in the order of their identities. */
export function childrenOf(knowledge: TreeKnowledge): NodeId[] {
  const { root, dist } = ownEntry(knowledge);
  return Object.entries(knowledge.received)
    .filter((peer): peer is [NodeId, TreeEntry] => {
      const entry = peer[1];
      return entry !== null && entry.par === knowledge.identity && entry.root === root && entry.dist === dist + 1;
    })
    .sort(([, a], [, b]) => a.id - b.id)
    .map(([child]) => child);
}

const isDistance = (dist: number): boolean => Number.isInteger(dist) && dist >= 0;

const comesBefore = (a: Own, b: Own): boolean =>
  a.root - b.root < 0 || (a.root === b.root && (a.dist < b.dist || (a.dist === b.dist && (a.par ?? -1) < (b.par ?? -1))));
