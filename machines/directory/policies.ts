/**
 * NewParent: the choice in which Arrow, Ivy and the other members of the Arvy family differ (Arvy paper, Algorithm 1; spec 1.3).
 * Every policy picks from the nodes that a find has visited; any pick is safe, only the cost differs.
 */
import type { NodeId, Received } from '../effects.js';

export const policies = ['arrow', 'ivy', 'bridge', 'second', 'middle', 'random'] as const;
/**
 * The name of a NewParent policy: which of the nodes that a request has visited the pointers turn to.
 *
 * @public
 */
export type Policy = (typeof policies)[number];

/** A request in flight to the end of the queue. */
export interface Find {
  readonly type: 'find';
  /** The node whose request this is. */
  readonly producer: NodeId;
  /**
   * The producer and the nodes that forwarded the find, in order, if the policy may pick them. Under `random`, which needs no order, an
   * ordered set. Only the producer, if the only other choice is the last sender, which the receiver knows.
   */
  readonly visited: readonly NodeId[];
  /** The pointer that it followed: an edge of the tree, or the bridge between the two sides of a ring. */
  readonly edge: EdgeKind;
}

export type EdgeKind = 'tree' | 'bridge';

/** A find as received: the host adds the last sender, a draw adds the index under `random`. */
export type ReceivedFind = Received<Find> & { readonly index?: number };

/** Returns the node that the receiver of `find` points to from now on. */
export function newParent(policy: Policy, find: ReceivedFind): NodeId {
  const { producer, from, visited } = find;
  switch (policy) {
    case 'arrow':
      return from;
    case 'ivy':
      return producer;
    case 'bridge':
      return find.edge === 'bridge' ? producer : from;
    case 'second':
      return visited[Math.min(1, visited.length - 1)]!;
    case 'middle':
      return visited[Math.floor((visited.length - 1) / 2)]!;
    case 'random':
      return visited[find.index ?? 0]!;
  }
}

/** Nodes that a find carries on from `node`: at most those that its policy may pick. */
export function extendVisited(policy: Policy, visited: readonly NodeId[], node: NodeId): readonly NodeId[] {
  switch (policy) {
    case 'arrow':
    case 'ivy':
    case 'bridge':
      return visited;
    case 'second':
      return [...visited, node].slice(0, 2);
    case 'random':
      return [...visited, node].sort();
    case 'middle':
    default:
      // A custom policy may pick any of them.
      return [...visited, node];
  }
}
