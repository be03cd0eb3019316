/** Properties of the users of locks, for systems without failures, with present nodes only, or with a holder that does not release. */
import type { NodeId } from '../effects.js';
import type { Property } from '../protocol.js';
import type { LocksProtocolOptions } from './options.js';
import { usesOf } from './view.js';

/** A property for systems in which no node stops and no link fails. */
export const oneUser: Property<LocksProtocolOptions> = {
  name: 'one user',
  description: 'If no node stops and no link fails, a lock never has two users at once, unless all of them read.',
  kind: 'always',
  holds: (c) => isOneUserOf(usesOf(c)),
};

/** True if each lock has one user, unless all of its users read. */
function isOneUserOf(uses: ReturnType<typeof usesOf>): boolean {
  const writes = uses.filter(({ mode }) => mode !== 'shared');
  return writes.every(({ lock }) => uses.filter((use) => use.lock === lock).length === 1);
}

/** Rule 13. A property for nodes that are present and that no other node suspects. */
export const oneUserPresent: Property<LocksProtocolOptions> = {
  name: 'one user present',
  description: 'No two nodes that run and are not suspected by a present node hold a lock at once, unless all of them read.',
  kind: 'always',
  holds: (c) => {
    const isThere = (node: NodeId) => !c.crashed?.includes(node);
    const isTrusted = (node: NodeId) =>
      isThere(node) && [...c.nodes.keys()].every((other) => other === node || !isThere(other) || c.links.up(other, node));
    return isOneUserOf(usesOf(c).filter(({ node }) => isTrusted(node)));
  },
};

/** A property about a holder that does not release: other nodes cannot take its lock, whatever they do. */
export const undisturbedUser = (user: NodeId): Property<LocksProtocolOptions> => ({
  name: 'undisturbed',
  description: `${user} keeps its lock while it and a majority neither stop nor lose links to each other, and no node is half disconnected.`,
  kind: 'closed',
  holds: (c) => usesOf(c).some(({ node }) => node === user),
});
