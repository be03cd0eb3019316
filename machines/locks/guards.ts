/** What the epochs of a node ask before they act, by the rules of SPEC.md: of what the node knows and of the event that has come. */
import type { LeaderChange } from '../election/messages.js';
import type { NodeId, TimerEvent } from '../effects.js';
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
  type From,
  type In,
  type NamedLinkEvent,
  type Numbered,
  type OfEpoch,
  type OfLock,
  type ReportedEnd,
} from './knowledge.js';
import { hasDiffered, isForeign, isOutvoted, isUnbound, opposedTo } from './lists.js';
import { areMajoritiesOf, isSameMembership, membershipAfter, votesInOneOf, type MembershipChange } from './membership.js';
import type {
  Acquire,
  AttachRequest,
  Disowned,
  EpochMessage,
  GiveWay,
  Install,
  LockLabel,
  OfMember,
  Prepare,
  Reconfigure,
  Refuse,
  Superseding,
  Wait,
} from './messages.js';
import { PATIENCE } from './orders.js';
import { hasRoomForClient, isGivenBackFull } from './room.js';
import { boundOf, floorOf, isClique, isWithinLists, leftOutByClique, recallOf } from './promises.js';

const isNoStranger = ({ context }: In, { from }: From<unknown>): boolean => context.links.includes(from);
const isNews = ({ context }: In, { epoch }: OfEpoch): boolean => epoch > promisedEpoch(context);

/** The first list that a client knows is the one that it was given: that says whom it asks, and not who votes. */
const isLater = (args: In, event: EpochMessage): boolean =>
  !isForeign(args, event) &&
  event.membership.version > Math.max(args.context.membership.version, event.type === 'attach' ? 1 : 0);
const isOutdated = ({ context: { membership } }: In, { next }: Prepare): boolean => next.version < membership.version;

const leavesOut = (args: In, event: From<Prepare>, isFollowing: boolean): boolean =>
  !isForeign(args, event) &&
  !isLater(args, event) &&
  !isOutdated(args, event) &&
  isNoStranger(args, event) &&
  isNews(args, event) &&
  leftOutBy(event, args.context, isFollowing).length > 0;
const leavesOutNewly = (args: In, event: From<Prepare>, isFollowing: boolean): boolean =>
  args.context.missed === null && leavesOut(args, event, isFollowing);
/** Rule 6: whom it would rob, if this proposer names fewer, as it must; `undefined` where it must not, or cannot. */
function leavesOutUsers(args: In): readonly NodeId[] | undefined {
  const { context } = args;
  return hasAllAnswers(args) && !isClique(context.reports) && leads(args) ? leftOutByClique(context)?.peers : undefined;
}
const isOverruled = ({ context }: In, { promised }: Refuse): boolean => promised >= promisedEpoch(context);
const isForThis = ({ context }: In, { epoch }: OfEpoch): boolean => epoch === promisedEpoch(context);

/** Others have begun an epoch without this node, later than all that it has promised. */
const leavesUsOut = ({ context }: In, { epoch, members }: Superseding): boolean =>
  epoch >= promisedEpoch(context) && epoch > context.served.epoch && !members.includes(context.id);

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
/** Of a member who knows what this node knows, while nothing else is wanted. */
const mayWant = (args: In, change: Reconfigure): boolean => {
  const { wanted, membership, bounds } = args.context;
  const isOfThisList = isSameMembership(membership, change.membership);
  return wanted === null && isOfThisList && leads(args) && membershipAfter(membership, change, bounds.bytes) !== null;
};
/** Called here: a change that was called here before and is not decided makes way. */
const mayChange = ({ context }: In, change: MembershipChange): boolean => {
  const { wanted, membership, id, bounds } = context;
  const votes = votesInOneOf(id, membership);
  return (wanted === null || wanted.by === id) && votes && membershipAfter(membership, change, bounds.bytes) !== null;
};

const isDue = (_: In, { timer }: TimerEvent): boolean => timer !== PATIENCE;
const isFree = ({ context }: In, { lock }: OfLock): boolean => claimOf(context, lock) === undefined;
const isTaken = (args: In, event: OfLock): boolean => !isFree(args, event);
const isForOpen = ({ context }: In, { lock }: OfLock): boolean => isAmong(lock, context.open);
const isOfThisEpoch = ({ context }: In, { epoch }: OfEpoch): boolean => epoch === context.served.epoch;
const isRoomSpent = ({ context: c }: In, part: number): boolean => c.opened >= c.bounds.locks * part || isGivenBackFull(c, part);

export const epochsGuards = {
  leads,
  isElected: (args: In) => leads(args) && args.context.leader !== args.context.id,
  isAnother: ({ context }: In, { leader }: LeaderChange) => leader !== context.leader,
  isIrrelevant: ({ context }: In, { peer }: NamedLinkEvent) => !concerns(peer, context),
  hearsAndLeads: (args: In, { from }: From<unknown>) => leads(args) && concerns(from, args.context),
  /** It needs nobody, and nobody whose word matters will speak to it. */
  isOnlyVoter: ({ context: { id, membership } }: In) => membership.voters.length === 1 && membership.voters[0] === id,
  isOverruledAndRemoved: ({ context: { id, membership, promised } }: In) =>
    promised!.proposer === id && !votesInOneOf(id, membership),
  losesMajority: (args: In) => !reachesMajority(args),
  /** Who starts again is linked to nobody yet. */
  startsInEpoch: ({ context: { served, links } }: In) => served.members.some((member) => links.includes(member)),
  isOwn: ({ context: { promised, id } }: In) => promised!.proposer === id,
  isOwnForOthers: ({ context: { promised, served, id } }: In) => promised!.proposer === id && !served.members.includes(id),
  isFromStranger: (args: In, event: From<unknown>) => !isNoStranger(args, event),
  isBeyondReason: ({ context }: In, event: Numbered) => {
    const [said, known] = [numberSaid(event), largestKnown(context)];
    const isRefusedSo = event.type === 'refuse' && event.known !== undefined;
    return isBeyondReason(said, known) || (isRefusedSo && isBeyondReason(known, said));
  },
  isForeign,
  isLater,
  isOutdated,
  isPassed,
  isPassedAndLeads: (args: In) => isPassed(args) && leads(args),
  isPast: (args: In, event: Prepare) => !isNews(args, event),
  leavesOutMembers: (args: In, event: From<Prepare>) => leavesOut(args, event, false),
  leavesOutMembersNewly: (args: In, event: From<Prepare>) => leavesOutNewly(args, event, false),
  leavesOutNamed: (args: In, event: From<Prepare>) => leavesOut(args, event, true),
  leavesOutNamedNewly: (args: In, event: From<Prepare>) => leavesOutNewly(args, event, true),
  isAnswer: (args: In, event: From<OfEpoch>) => isForThis(args, event) && args.context.promised!.members.includes(event.from),
  isOverruled,
  outbids: (args: In, event: Refuse) => isOverruled(args, event) && leads(args),
  isOnesOwnToDrop: (args: In, event: Wait) => isForThis(args, event) && !leads(args),
  losesOneNamed: (args: In, { peer }: NamedLinkEvent) =>
    reachesMajority(args) && !leads(args) && args.context.promised!.members.includes(peer),
  mustNameFewer: (args: In) => leavesOutUsers(args)?.length === 0,
  leavesOutUsersNewly: (args: In) => args.context.missed === null && (leavesOutUsers(args)?.length ?? 0) > 0,
  isBelowFloor: (args: In) =>
    areAllLinked(args) && recall(args) === 'nobody is missing' && promisedEpoch(args.context) <= floorOf(args.context.reports),
  isBound: (args: In) => isBound(args) && leads(args),
  mayBegin: (args: In) => hasPromises(args) && !isOpposed(args),
  isOpposed: (args: In) => hasPromises(args) && isOpposed(args),
  isOpposedHere: ({ context }: In, { members, served }: Prepare) =>
    served === 0 && context.served.epoch === 0 && opposedTo(members, context).length > 0,
  isOutvoted,
  isReconciled: (args: In, event: From<OfMember>) => !isForeign(args, event) && hasDiffered(args.context, event.from),
  mayGiveWay: (args: In, event: GiveWay) => isForeign(args, event) && isUnbound(args.context),
  /** What the promise of the teller will say is no news. */
  isAwaited: ({ context }: In, { from }: From<unknown>) => {
    const { promised, reports, links, membership } = context;
    const { members, next } = promised!;
    const isMissing = reports.every(({ node }) => node !== from) && members.includes(from);
    return isMissing && links.every((peer) => members.includes(peer) || !votesInOneOf(peer, membership, next));
  },
  isInstalled: (args: In, event: From<Install>) => isForThis(args, event) && event.from === args.context.promised!.proposer,
  leavesUsOut,
  leavesLeaderOut: (args: In, event: Superseding) => leads(args) && leavesUsOut(args, event),
  mayWant,
  mayWantNow: (args: In, event: Reconfigure) => mayWant(args, event) && isPossible(args, event),
  mayChange,
  mayChangeNow: (args: In, event: MembershipChange) => mayChange(args, event) && leads(args) && isPossible(args, event),
  maySeek: (args: In) => leads(args) && (leavesOutWithRemoved(args.context) || isPossible(args, args.context.wanted!)),
  isDue,
  isDueAndLeads: (args: In, event: TimerEvent) => isDue(args, event) && leads(args),
  hasForgotten: ({ context }: In) => context.memory === 'forgotten',
  hasForgottenAndLeads: (args: In) => args.context.memory === 'forgotten' && leads(args),
  isFree,
  isTaken,
  isClientGone: ({ context }: In, { peer }: NamedLinkEvent) =>
    attachmentOf(context, peer) !== undefined || wantedBy(peer, context.wants).length > 0,
  /** Of a client whose link is down; a peer that is linked again has not ended. */
  isReportedEnd: ({ context: { links, wants } }: In, { peer }: ReportedEnd) =>
    !links.includes(peer) && wantedBy(peer, wants).length > 0,
  /** Of a client that is not attached here, or has asked already. */
  isOfNoClient: ({ context }: In, { from, lock }: From<Acquire>) =>
    attachmentOf(context, from) === undefined || isWantedBy(context, from, lock),
  /** Rule 8: of a client that is attached here. */
  isFull: ({ context }: In, { from, lock }: From<Acquire>) => !hasRoomForClient(context, lock, from),
  isDisownedHere: (args: In, event: Disowned) => isOfThisEpoch(args, event) && isTaken(args, event),
  isStranded,
  isStrandedAtLeader: (args: In, event: From<AttachRequest>) => leads(args) && isStranded(args, event),
  isTakenByOthers: (args: In, event: OfLock) => isTaken(args, event) && !isWantedBy(args.context, args.context.id, event.lock),
  isFreeHere: (args: In, event: OfLock) => isFree(args, event) && isAmong(event.lock, args.context.locks),
  isOpen: (args: In, event: OfLock) => isFree(args, event) && isForOpen(args, event),
  findsNoRoom: (args: In, event: OfLock) => isFree(args, event) && isRoomSpent(args, 1),
  findsHalfTheRoom: (args: In, event: OfLock) => isFree(args, event) && isRoomSpent(args, 1 / 2),
  isFind: isOfThisEpoch,
  isQuestion: isOfThisEpoch,
  isReadHere: (args: In, event: LockLabel) => isOfThisEpoch(args, event) && claimOf(args.context, event.lock)?.mode === 'shared',
  isFindForOpen: (args: In, event: LockLabel) => isOfThisEpoch(args, event) && isForOpen(args, event),
  isFindWithoutRoom: (args: In, event: OfEpoch) => isOfThisEpoch(args, event) && isRoomSpent(args, 1),
  isFindInHalfTheRoom: (args: In, event: OfEpoch) => isOfThisEpoch(args, event) && isRoomSpent(args, 1 / 2),
  isForThis,
};
