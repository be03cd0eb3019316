/**
 * Memberships in messages of other voters: a later version is learned (rule 9), and a peer with another list belongs to another cluster
 * (rule 14).
 *
 * Different lists can have majorities without a common voter. Until some peer has served, an epoch begins only if it excludes every
 * majority of each other list. A voter of the other list is excluded if it has promised this epoch or has given way: it has made no
 * promises to others, and ends.
 */
import type { Message, NodeId } from '../effects.js';
import { ELECTION } from '../election/messages.js';
import { electionNews, newestIn, wantedAfter, type Enqueuing, type EpochsContext, type From, type In } from './knowledge.js';
import { isMajorityOf, isOfAnotherCluster, isSameMembership, type Membership } from './membership.js';
import type { EpochMessage, OfMember } from './messages.js';
import { supersedingOf } from './orders.js';

/** A peer with another list of voters, and whether it has given way. */
export interface Differing {
  readonly node: NodeId;
  readonly membership: Membership;
  readonly hasGivenWay: boolean;
}

/** True if the sender's decided membership belongs to another cluster. */
export const isForeign = ({ context }: In<unknown>, { membership }: OfMember): boolean =>
  isOfAnotherCluster(context.membership, membership);

const withSender =
  (hasGivenWay: boolean) =>
  (args: In<unknown>, { from, membership }: From<OfMember>): readonly Differing[] => [
    ...withoutDiffering(args, { from }),
    { node: from, membership, hasGivenWay },
  ];
export const withoutDiffering = ({ context }: In<unknown>, { from }: From<unknown>): readonly Differing[] =>
  context.differing.filter(({ node }) => node !== from);
export const withDiffering = withSender(false);
export const withGivenWay = withSender(true);

export const hasDiffered = ({ differing }: Pick<EpochsContext, 'differing'>, peer: NodeId): boolean =>
  differing.some(({ node }) => node === peer);

/** The peers with whose lists a majority may begin an epoch next to one of these members. */
export function opposedTo(members: readonly NodeId[], { differing }: Pick<EpochsContext, 'differing'>): NodeId[] {
  const bound = [...members, ...differing.filter(({ hasGivenWay }) => hasGivenWay).map(({ node }) => node)];
  const isPossible = ({ membership }: Differing) =>
    isMajorityOf(
      membership.voters.filter((voter) => !bound.includes(voter)),
      membership,
    );
  return differing.filter((other) => !other.hasGivenWay && isPossible(other)).map(({ node }) => node);
}

/** Asks peers to give way if their lists could form another majority, next to the members that this node proposes or promises with. */
export const requestToGiveWay = ({ context, event }: In) => ({
  to: opposedTo(event.type === 'prepare' ? event.members : context.promised!.members, context),
  message: { type: 'giveWay' as const, membership: context.membership },
});
/** Notifies all linked and differing peers that this node gives way, as it ends. */
export const givingWay = ({ context }: In) => ({
  to: isUnbound(context) ? [...new Set([...context.links, ...context.differing.map(({ node }) => node)])] : [],
  message: { type: 'givenWay' as const, membership: context.membership },
});

/** Notifies a peer that greets with another list that an epoch is served here. */
export const replyToDiffering = ({ context: { served }, event: { type, from } }: In<From<Message>>) => ({
  to: type === 'hello' && served.epoch > 0 ? from : [],
  message: supersedingOf(served),
});
/** The notification that a peer has another list of voters, with both lists. */
export const listsOf = ({ context }: In<unknown>, event: From<OfMember>) => ({
  peer: event.from,
  own: context.membership,
  theirs: event.membership,
});

/** True if no epoch of this node's list can begin with its help: it has served none, and has promised none to another proposer. */
export const isUnbound = ({ id, served, promised, pending }: EpochsContext): boolean =>
  served.epoch === 0 && [...(promised ? [promised] : []), ...pending].every(({ proposer }) => proposer === id);

/** True if another list is already in service, or if the peers with other lists leave no majority of this node's list. */
export function isOutvoted(args: In<unknown>, event: From<EpochMessage>): boolean {
  const { context } = args;
  if (!isForeign(args, event) || context.served.epoch > 0) return false;
  const isServed = event.type === 'superseded' || event.membership.version > 1 || (event.type === 'prepare' && event.served > 0);
  const differing = withDiffering(args, event).map(({ node }) => node);
  const left = context.membership.voters.filter((voter) => !differing.includes(voter));
  return isServed || !isMajorityOf(left, context.membership);
}

/**
 * Treats a peer with another list of voters, or with an unreasonable number, as disconnected, so that it does not keep other peers from
 * being served.
 */
export function partWith({ context, enqueue }: Enqueuing, { from: peer }: From<unknown>): void {
  if (context.links.includes(peer)) enqueue.raise({ type: 'link.down', peer });
}

/** Adopts a newer membership, and notifies the election of the voters that it adds and removes. */
export function learn({ context, event, enqueue }: Enqueuing): void {
  const membership = newestIn({ context, event });
  if (isSameMembership(membership, context.membership)) return;
  for (const message of electionNews(context, membership)) enqueue({ type: 'tell', params: { role: ELECTION, message } });
  enqueue.assign({ membership, bound: null, wanted: wantedAfter(context, membership) });
  enqueue.emit({ type: 'members', version: membership.version, voters: membership.voters });
}
