/** What the epochs of a node ask before they act, by the rules of docs/locks.md: of what the node knows and of the event that has come. */
import type { LeaderChange } from '../election/messages.js';
import type { NodeId } from '../effects.js';
import { attachmentOf, isStranded, isWantedBy, wantedBy } from './clients.js';
import { isAmong, isBeyondReason } from './epoch.js';
import {
  claimOf,
  largestKnown,
  leads,
  leavesOutWithRemoved,
  leftOutBy,
  linksKnown,
  numberSaid,
  promisedEpoch,
  reachesMajority,
  type In,
  type NamedLinkEvent,
} from './knowledge.js';
import { hasDiffered, isForeign, isOutvoted, isUnbound, opposedTo, theirs } from './lists.js';
import { areMajoritiesOf, isSameMembership, membershipAfter, votesInOneOf, type MembershipChange } from './membership.js';
import type { Prepare, Refuse, Told } from './messages.js';
import { epochOf, fromOf, lockOf, PATIENCE } from './orders.js';
import { hasRoomForClient, isGivenBackFull } from './room.js';
import { boundOf, floorOf, isClique, isWithinLists, leftOutByClique, recallOf } from './promises.js';

const isNoStranger = (args: In): boolean => args.context.links.includes(fromOf(args));
const isNews = (args: In): boolean => epochOf(args) > promisedEpoch(args.context);

/** The first list that a client knows is the one that it was given: that says whom it asks, and not who votes. */
const isLater = (args: In): boolean =>
  !isForeign(args) && theirs(args).version > Math.max(args.context.membership.version, args.event.type === 'attach' ? 1 : 0);
const isOutdated = ({ context: { membership }, event }: In): boolean => (event as Prepare).next.version < membership.version;

const leavesOut = (args: In, isFollowing: boolean): boolean =>
  !isForeign(args) &&
  !isLater(args) &&
  !isOutdated(args) &&
  isNoStranger(args) &&
  isNews(args) &&
  leftOutBy(args.event as Prepare, args.context, isFollowing).length > 0;
/** Rule 6: whom it would rob, if this proposer names fewer, as it must; `undefined` where it must not, or cannot. */
function leavesOutUsers(args: In): readonly NodeId[] | undefined {
  const { context } = args;
  return hasAllAnswers(args) && !isClique(context.reports) && leads(args) ? leftOutByClique(context)?.peers : undefined;
}
const isOverruled = ({ context, event }: In): boolean => (event as Refuse).promised >= promisedEpoch(context);
const isForThis = (args: In): boolean => epochOf(args) === promisedEpoch(args.context);

/** Others have begun an epoch without this node, later than all that it has promised. */
function leavesUsOut(args: In): boolean {
  const { id, served } = args.context;
  const epoch = epochOf(args);
  return epoch >= promisedEpoch(args.context) && epoch > served.epoch && !(args.event as Told).members.includes(id);
}

/** Whose links and word matter here: voters, members of the epoch, whoever is to vote. Others may come and go. */
function concerns(node: NodeId, { membership, promised, served, wanted }: In['context']): boolean {
  const votes = votesInOneOf(node, membership, ...(promised === null ? [] : [promised.next]));
  return votes || served.members.includes(node) || wanted?.add === node;
}

const hasAllAnswers = ({ context: { reports, promised } }: In): boolean => reports.length === promised!.members.length;
const areAllLinked = (args: In): boolean => hasAllAnswers(args) && isClique(args.context.reports);
const recall = ({ context: { reports, membership } }: In) => recallOf(reports, membership);

/** All have promised, and each list of voters has its majority. */
function hasPromises(args: In): boolean {
  const { reports } = args.context;
  return areAllLinked(args) && recall(args) !== 'too little' && isWithinLists(reports, args.context);
}
/** Rule 14: nobody has served, and others may begin by another list. */
const isOpposed = ({ context }: In): boolean =>
  context.reports.every(({ served }) => served === 0) && opposedTo(context.promised!.members, context).length > 0;

/** Rule 9: the list is neither that which is decided nor the one after it. */
function isPassed({ context: { promised, membership } }: In): boolean {
  const { next } = promised!;
  return !isSameMembership(next, membership) && next.version !== membership.version + 1;
}

/** Rule 9: a later list may have been decided, another than the one proposed, and majorities of both are within reach. */
function isBound(args: In): boolean {
  const { id, membership, promised, reports } = args.context;
  const bound = areAllLinked(args) ? boundOf(reports, membership) : null;
  const isNew = bound !== null && !isSameMembership(bound, promised!.next);
  return isNew && areMajoritiesOf([...linksKnown(args), id], membership, bound);
}

const isPossible = (args: In, change: MembershipChange): boolean => {
  const { id, membership, bounds } = args.context;
  const next = membershipAfter(membership, change, bounds.bytes);
  return next !== null && areMajoritiesOf([...linksKnown(args), id], membership, next);
};
const changeOf = ({ event }: In) => event as unknown as MembershipChange;
/** Of a member who knows what this node knows, while nothing else is wanted. */
const mayWant = (args: In): boolean => {
  const { wanted, membership, bounds } = args.context;
  const isOfThisList = isSameMembership(membership, theirs(args));
  return wanted === null && isOfThisList && leads(args) && membershipAfter(membership, changeOf(args), bounds.bytes) !== null;
};
/** Called here: a change that was called here before and is not decided makes way. */
const mayChange = (args: In): boolean => {
  const { wanted, membership, id, bounds } = args.context;
  const votes = votesInOneOf(id, membership);
  return (wanted === null || wanted.by === id) && votes && membershipAfter(membership, changeOf(args), bounds.bytes) !== null;
};

const isPatience = ({ event }: In): boolean => (event as { timer: string }).timer === PATIENCE;
const isFree = (args: In): boolean => claimOf(args.context, lockOf(args)) === undefined;
const isTaken = (args: In): boolean => !isFree(args);
const isForOpen = (args: In): boolean => isAmong(lockOf(args), args.context.open);
const isOfThisEpoch = (args: In): boolean => epochOf(args) === args.context.served.epoch;
const isRoomSpent = ({ context: c }: In, part: number): boolean => c.opened >= c.bounds.locks * part || isGivenBackFull(c, part);

export const epochsGuards = {
  leads,
  isElected: (args: In) => leads(args) && args.context.leader !== args.context.id,
  isAnother: ({ context, event }: In) => (event as LeaderChange).leader !== context.leader,
  isOfNoConcern: ({ context, event }: In) => !concerns((event as NamedLinkEvent).peer, context),
  hearsAndLeads: (args: In) => leads(args) && concerns(fromOf(args), args.context),
  /** It needs nobody, and nobody whose word matters will speak to it. */
  isOnlyVoter: ({ context: { id, membership } }: In) => membership.voters.length === 1 && membership.voters[0] === id,
  isOverruledAndRemoved: ({ context: { id, membership, promised } }: In) =>
    promised!.proposer === id && !votesInOneOf(id, membership),
  losesMajority: (args: In) => !reachesMajority(args),
  /** Who starts again is linked to nobody yet. */
  startsInEpoch: ({ context: { served, links } }: In) => served.members.some((member) => links.includes(member)),
  isOwn: ({ context: { promised, id } }: In) => promised!.proposer === id,
  isOwnForOthers: ({ context: { promised, served, id } }: In) => promised!.proposer === id && !served.members.includes(id),
  isFromStranger: (args: In) => !isNoStranger(args),
  isBeyondReason: ({ context, event }: In) => {
    const [said, known] = [numberSaid(event), largestKnown(context)];
    const isRefusedSo = event.type === 'refuse' && event.known !== undefined;
    return isBeyondReason(said, known) || (isRefusedSo && isBeyondReason(known, said));
  },
  isForeign,
  isLater,
  isOutdated,
  isPassed,
  isPassedAndLeads: (args: In) => isPassed(args) && leads(args),
  isPast: (args: In) => !isNews(args),
  leavesOutMembers: (args: In) => leavesOut(args, false),
  leavesOutMembersNewly: (args: In) => args.context.missed === null && leavesOut(args, false),
  leavesOutNamed: (args: In) => leavesOut(args, true),
  leavesOutNamedNewly: (args: In) => args.context.missed === null && leavesOut(args, true),
  isAnswer: (args: In) => isForThis(args) && args.context.promised!.members.includes(fromOf(args)),
  isOverruled,
  outbids: (args: In) => isOverruled(args) && leads(args),
  isOnesOwnToDrop: (args: In) => isForThis(args) && !leads(args),
  losesOneNamed: (args: In) => {
    const { peer } = args.event as NamedLinkEvent;
    return reachesMajority(args) && !leads(args) && args.context.promised!.members.includes(peer);
  },
  mustNameFewer: (args: In) => leavesOutUsers(args)?.length === 0,
  leavesOutUsersNewly: (args: In) => args.context.missed === null && (leavesOutUsers(args)?.length ?? 0) > 0,
  isBelowFloor: (args: In) =>
    areAllLinked(args) && recall(args) === 'nobody is missing' && promisedEpoch(args.context) <= floorOf(args.context.reports),
  isBound: (args: In) => isBound(args) && leads(args),
  mayBegin: (args: In) => hasPromises(args) && !isOpposed(args),
  isOpposed: (args: In) => hasPromises(args) && isOpposed(args),
  isOpposedHere: (args: In) => {
    const { members, served } = args.event as Prepare;
    return served === 0 && args.context.served.epoch === 0 && opposedTo(members, args.context).length > 0;
  },
  isOutvoted,
  isReconciled: (args: In) => !isForeign(args) && hasDiffered(args),
  mayGiveWay: (args: In) => isForeign(args) && isUnbound(args.context),
  /** What the promise of the teller will say is no news. */
  isAwaited: (args: In) => {
    const { promised, reports, links, membership } = args.context;
    const { members, next } = promised!;
    const isMissing = reports.every(({ node }) => node !== fromOf(args)) && members.includes(fromOf(args));
    return isMissing && links.every((peer) => members.includes(peer) || !votesInOneOf(peer, membership, next));
  },
  isInstalled: (args: In) => isForThis(args) && fromOf(args) === args.context.promised!.proposer,
  leavesUsOut,
  leavesLeaderOut: (args: In) => leads(args) && leavesUsOut(args),
  mayWant,
  mayWantNow: (args: In) => mayWant(args) && isPossible(args, changeOf(args)),
  mayChange,
  mayChangeNow: (args: In) => mayChange(args) && leads(args) && isPossible(args, changeOf(args)),
  maySeek: (args: In) => leads(args) && (leavesOutWithRemoved(args.context) || isPossible(args, args.context.wanted!)),
  isDue: (args: In) => !isPatience(args),
  isDueAndLeads: (args: In) => !isPatience(args) && leads(args),
  hasForgotten: ({ context }: In) => context.memory === 'forgotten',
  hasForgottenAndLeads: (args: In) => args.context.memory === 'forgotten' && leads(args),
  isFree,
  isTaken,
  isClientGone: ({ context, event }: In) => {
    const { type, peer } = event as NamedLinkEvent;
    return type === 'link.down' && (attachmentOf(context, peer) !== undefined || wantedBy(peer, context.wants).length > 0);
  },
  /** Of a client that is not attached here, or has asked already. */
  isOfNoClient: (args: In) =>
    attachmentOf(args.context, fromOf(args)) === undefined || isWantedBy(args.context, fromOf(args), lockOf(args)),
  /** Rule 8: of a client that is attached here. */
  isFull: (args: In) => !hasRoomForClient(args.context, lockOf(args), fromOf(args)),
  isDisownedHere: (args: In) => isOfThisEpoch(args) && isTaken(args),
  isStranded,
  isStrandedAtLeader: (args: In) => leads(args) && isStranded(args),
  isTakenByOthers: (args: In) => isTaken(args) && !isWantedBy(args.context, args.context.id, lockOf(args)),
  isFreeHere: (args: In) => isFree(args) && isAmong(lockOf(args), args.context.locks),
  isOpen: (args: In) => isFree(args) && isForOpen(args),
  findsNoRoom: (args: In) => isFree(args) && isRoomSpent(args, 1),
  findsHalfTheRoom: (args: In) => isFree(args) && isRoomSpent(args, 1 / 2),
  isFind: isOfThisEpoch,
  isQuestion: isOfThisEpoch,
  isReadHere: (args: In) => isOfThisEpoch(args) && claimOf(args.context, lockOf(args))?.mode === 'shared',
  isFindForOpen: (args: In) => isOfThisEpoch(args) && isForOpen(args),
  isFindWithoutRoom: (args: In) => isOfThisEpoch(args) && isRoomSpent(args, 1),
  isFindInHalfTheRoom: (args: In) => isOfThisEpoch(args) && isRoomSpent(args, 1 / 2),
  isForThis,
};
