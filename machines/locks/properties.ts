/** Properties of locks that survive failures, about all grants ever, in all components. */
import type { NodeId } from '../effects.js';
import { always } from '../folded.js';
import type { Configuration, NodeView, Property } from '../protocol.js';
import { isMajority } from './epoch.js';
import type { EpochsContext } from './knowledge.js';
import { UNATTESTED, type LockContext } from './lock.js';
import { votesInOneOf, type Membership } from './membership.js';
import type { LocksProtocolOptions } from './options.js';
import { EPOCHS } from './messages.js';
import { PATIENCE } from './orders.js';
import { locksFold } from './totals.js';
import { epochsOf, isAttached, isClient, isServing, servingOf } from './view.js';

/**
 * True if the component of this node contains all linked voters, present or future, and all of them are connected with each other. The node
 * has to be one of the voters, and a majority of them, with enough memory to begin, is in the component.
 */
function isSettled(c: Configuration, node: NodeId): boolean {
  const about = [node, ...c.links.neighbors(node)].filter((id) => !isClient(c.nodes.get(id)!));
  const known = about.map((id) => epochsOf(c.nodes.get(id)!).context);
  const decided = known.map(({ membership }) => membership).reduce((a, b) => (b.version > a.version ? b : a));
  const promised = known.flatMap(({ pending, promised }) => [...pending, ...(promised ? [promised] : [])]);
  const later = promised.map(({ next }) => next).filter(({ version }) => version > decided.version);
  const lists = [decided, ...later];
  const votersAmong = (nodes: readonly NodeId[]) =>
    nodes.filter((id) => !isClient(c.nodes.get(id)!) && votesInOneOf(id, ...lists));
  const reached = votersAmong(about);
  if (reached.some((id) => c.crashed?.includes(id))) return false;
  const areLinked = (u: NodeId, v: NodeId) => u === v || (c.links.up(u, v) && c.links.up(v, u));
  const isClosed = reached.every((u) => votersAmong(c.links.neighbors(u)).every((v) => reached.includes(v)));
  if (!isClosed || !reached.every((u) => reached.every((v) => areLinked(u, v)))) return false;
  return votesInOneOf(node, decided) && lists.every((membership) => canBegin(known, membership));
}

/** Rules 4 and 13: true for a majority that remembers, for all voters, or if an application has declared that the cluster is new. */
function canBegin(reached: readonly EpochsContext[], membership: Membership): boolean {
  const { voters } = membership;
  const votes = reached.filter(({ id }) => votesInOneOf(id, membership));
  const known = votes.filter(({ memory }) => memory === 'known' || memory === 'new').length;
  return (
    isMajority(known, voters) ||
    votes.length === voters.length ||
    (votes.some(({ memory }) => memory === 'founding') && isMajority(votes.length, voters))
  );
}

const description = always(locksFold);

export const locksProperties = (): readonly Property<LocksProtocolOptions>[] => [
  description(
    'one fence, one holder',
    'No two applications hold a lock with the same fence, however the network is divided.',
    (t) => t.grants.repeated === 0,
  ),
  description('one token an epoch', 'Each lock has at most one token in each epoch.', (t) => t.tokens.repeated === 0),
  description(
    'one beginning an epoch',
    'All nodes that serve an epoch know the same members, and the same kept locks.',
    (t) => t.disputed === 0,
  ),
  description(
    'one list a version',
    'All nodes that know a version of the list of voters know the same list.',
    (t) => t.differing === 0,
  ),
  description(
    'more than half',
    'A node that serves is a member of an epoch with a majority of its voters.',
    (t) => t.alone === 0,
  ),
  description('two majorities never', 'At most one epoch is served by a majority of its voters.', (t) => t.majorities < 2),
  description(
    'bounds',
    'A granted fence belongs to an epoch that its user has served. No epoch opens more locks than it has room for. For each lock and member, a node keeps one early message of each type.',
    (t) => t.outOfBounds === 0,
  ),
  {
    name: 'service',
    description: 'A node that waits for a lock in a settled majority is eventually granted it.',
    kind: 'eventually',
    when: (c, node) => isWaiting(c, node),
    holds: (c, node) => !isWaiting(c, node) || !isWithinSettled(c, node),
  },
  {
    name: 'return',
    description: 'A settled majority is served again.',
    kind: 'eventually',
    when: (c, node) => !isServed(c.nodes.get(node)!),
    holds: (c, node) => isServed(c.nodes.get(node)!) || !isWithinSettled(c, node),
  },
  {
    name: 'notification',
    description: 'A node that an epoch leaves out does not keep serving an earlier epoch while the members serve the later one.',
    kind: 'eventually',
    when: (c, node) => isLeftOut(c, node),
    holds: (c, node) => !isLeftOut(c, node),
  },
];

const isServed = (view: NodeView): boolean => isServing(view) || isAttached(view);

/** True if the node is in a settled majority. A running client is in that of a voter with which it is linked. */
function isWithinSettled(c: Configuration, node: NodeId): boolean {
  if (!isClient(c.nodes.get(node)!)) return isSettled(c, node);
  const isLinked = (peer: NodeId) => c.links.up(node, peer) && c.links.up(peer, node);
  return !c.crashed?.includes(node) && c.links.neighbors(node).some((peer) => isLinked(peer) && isSettled(c, peer));
}

/** True if the node serves an epoch, and is linked with a node that serves a later one without it. */
function isLeftOut(c: Configuration, node: NodeId): boolean {
  const served = servingOf(c.nodes.get(node)!);
  if (served === null) return false;
  const linksOf = (id: NodeId) => epochsOf(c.nodes.get(id)!).context.links;
  return c.links.neighbors(node).some((peer) => {
    const other = servingOf(c.nodes.get(peer)!);
    const receivesEachOther = c.links.up(peer, node) && linksOf(peer).includes(node) && linksOf(node).includes(peer);
    return receivesEachOther && other !== null && other.epoch > served.epoch && !other.members.includes(node);
  });
}

/** True if the application of this node waits, perhaps in line behind a client that has the lock here. */
function isWaiting(c: Configuration, node: NodeId): boolean {
  // A client is in the line of its voter and has no line itself.
  const { claims = [], wants = [] }: Partial<EpochsContext> = c.nodes.get(node)![EPOCHS]!.context;
  const isBehind = (lock: string) => claims.some((claim) => claim.lock === lock && claim.user !== node);
  // A place in the queue for a user that has gone is not a pending request.
  const isWanted = claims.some(({ fence, user }) => fence === null && user !== null);
  return isWanted || wants.some((want) => want.node === node && isBehind(want.lock));
}

/** True if the client has stopped, or is not linked with a running voter. */
function isOutOfReach(c: Configuration, client: NodeId): boolean {
  const isThere = (voter: NodeId) =>
    !isClient(c.nodes.get(voter)!) && !c.crashed?.includes(voter) && c.links.up(client, voter) && c.links.up(voter, client);
  return c.crashed?.includes(client) || !c.links.neighbors(client).some(isThere);
}

/** Lets patience last longer than the notifications of links: it ends only for a peer that is really cut off from a named member. */
export function locksMayFire(c: Configuration, node: NodeId, role: string, timer: string): boolean {
  const view = c.nodes.get(node)!;
  if (timer === UNATTESTED) {
    const { user }: LockContext = view[role]!.context;
    return isOutOfReach(c, user!);
  }
  if (isClient(view)) return isOutOfReach(c, node);
  const { missed } = epochsOf(view).context;
  if (timer !== PATIENCE || missed === null) return true;
  const areLinked = (u: NodeId, v: NodeId) => c.links.up(u, v) && c.links.up(v, u);
  return missed.peers.some((peer) => missed.named.some((other) => other !== peer && !areLinked(peer, other)));
}
