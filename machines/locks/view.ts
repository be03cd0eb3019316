/** Reads the state of a node with locks, for properties and reports. */
import type { NodeId } from '../effects.js';
import type { Configuration, NodeView, RoleView } from '../protocol.js';
import { EPOCHS, type Beginning, type Kept } from './messages.js';
import type { EpochsContext } from './knowledge.js';

export const epochsOf = (node: NodeView): RoleView<EpochsContext> => node[EPOCHS]!;

export const servingOf = (node: NodeView): Beginning | null => {
  const { value, context } = epochsOf(node);
  return typeof value === 'object' && 'serving' in value ? context.served : null;
};
export const isServing = (node: NodeView): boolean => servingOf(node) !== null;

/** True if the node is a client, which is `attached` to a voter or looks for one. */
export const isClient = (node: NodeView): boolean => 'host' in node[EPOCHS]!.context;
export const isAttached = (node: NodeView): boolean => epochsOf(node).value === 'attached';

/** True if a directory has the token. */
export const isHolding = (value: unknown): boolean => typeof value === 'object' && value !== null && 'holding' in value;

/** The locks that the application of a node holds, with their fences. A lock that a voter uses for a client counts for the client. */
export const usesAt = (roles: NodeView, node: NodeId): Kept[] =>
  epochsOf(roles).context.claims.flatMap(({ lock, fence, user, mode }) =>
    fence === null || user !== node ? [] : [{ node, lock, fence, ...(mode && { mode }) }],
  );

export const usesOf = (c: Configuration): Kept[] => [...c.nodes].flatMap(([node, roles]) => usesAt(roles, node));
