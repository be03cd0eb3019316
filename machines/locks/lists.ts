/**
 * What other voters say of the list of voters: a later one is learned (rule 9); who has another one is of another cluster (rule 14).
 *
 * Lists that differ can make two majorities that share nobody. Until somebody has served, an epoch begins only where those
 * who promise it leave no majority of a list that was heard of, or all who were heard with it have given way: they have promised nothing to
 * others, and end.
 */
import type { Message, NodeId } from '../effects.js';
import { ELECTION } from '../election/messages.js';
import { electionNews, newestIn, wantedAfter, type Enqueuing, type EpochsContext, type From, type In } from './knowledge.js';
import { isMajorityOf, isOfAnotherCluster, isSameMembership, type Membership } from './membership.js';
import type { EpochMessage, OfMember } from './messages.js';
import { toldOf } from './orders.js';

/** A peer that was given another list, and whether it has said that it will promise nothing by it. */
export interface Differing {
  readonly node: NodeId;
  readonly membership: Membership;
  readonly hasGivenWay: boolean;
}

/** The sender of a message says which list it knows as decided. */
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

/** With whose lists a majority may begin next to an epoch of these members. */
export function opposedTo(members: readonly NodeId[], { differing }: Pick<EpochsContext, 'differing'>): NodeId[] {
  const bound = [...members, ...differing.filter(({ hasGivenWay }) => hasGivenWay).map(({ node }) => node)];
  const isPossible = ({ membership }: Differing) =>
    isMajorityOf(
      membership.voters.filter((voter) => !bound.includes(voter)),
      membership,
    );
  return differing.filter((other) => !other.hasGivenWay && isPossible(other)).map(({ node }) => node);
}

/** To those with whose lists another majority may begin, of the members that this node proposes or is to promise with. */
export const requestToGiveWay = ({ context, event }: In) => ({
  to: opposedTo(event.type === 'prepare' ? event.members : context.promised!.members, context),
  message: { type: 'giveWay' as const, membership: context.membership },
});
/** To everybody who may count on it, as this node ends. */
export const givingWay = ({ context }: In) => ({
  to: isUnbound(context) ? [...new Set([...context.links, ...context.differing.map(({ node }) => node)])] : [],
  message: { type: 'givenWay' as const, membership: context.membership },
});

/** Who comes with another list while an epoch is served here is notified of it at once. */
export const wordToDiffering = ({ context: { served }, event: { type, from } }: In<From<Message>>) => ({
  to: type === 'hello' && served.epoch > 0 ? from : [],
  message: toldOf(served),
});
/** For the application. */
export const listsOf = ({ context }: In<unknown>, event: From<OfMember>) => ({
  peer: event.from,
  own: context.membership,
  theirs: event.membership,
});

/** Nobody can begin by this node's list with its help: it has served none of its epochs, nor promised one to somebody else. */
export const isUnbound = ({ id, served, promised, pending }: EpochsContext): boolean =>
  served.epoch === 0 && [...(promised ? [promised] : []), ...pending].every(({ proposer }) => proposer === id);

/** A cluster with another list is there already, or those who differ leave no majority of this node's own one. */
export function isOutvoted(args: In<unknown>, event: From<EpochMessage>): boolean {
  const { context } = args;
  if (!isForeign(args, event) || context.served.epoch > 0) return false;
  const isServed = event.type === 'told' || event.membership.version > 1 || (event.type === 'prepare' && event.served > 0);
  const differing = withDiffering(args, event).map(({ node }) => node);
  const left = context.membership.voters.filter((voter) => !differing.includes(voter));
  return isServed || !isMajorityOf(left, context.membership);
}

/** Who has another list of voters, or a number beyond reason, is not a peer: it keeps nobody else from being served. */
export function partWith({ context, enqueue }: Enqueuing, { from: peer }: From<unknown>): void {
  if (context.links.includes(peer)) enqueue.raise({ type: 'link.down', peer });
}

/** Who elects with this node changes with the list. */
export function learn({ context, event, enqueue }: Enqueuing): void {
  const membership = newestIn({ context, event });
  if (isSameMembership(membership, context.membership)) return;
  for (const message of electionNews(context, membership)) enqueue({ type: 'tell', params: { role: ELECTION, message } });
  enqueue.assign({ membership, bound: null, wanted: wantedAfter(context, membership) });
  enqueue.emit({ type: 'members', version: membership.version, voters: membership.voters });
}
