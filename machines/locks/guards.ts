/** Guards of the epochs, by the rules of SPEC.md. They depend on the state of the node and on the event. */
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
  numberIn,
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

/** A client's first list contains the peers that it contacts, and is not a membership. */
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
/**
 * Rule 6: the holders that would lose their locks if this proposer named fewer members, as it must; `undefined` if it must not or cannot.
 */
function leavesOutUsers(args: In): readonly NodeId[] | undefined {
  const { context } = args;
  return hasAllAnswers(args) && !isClique(context.reports) && leads(args) ? leftOutByClique(context)?.peers : undefined;
}
const isOverruled = ({ context }: In, { promised }: Refuse): boolean => promised >= promisedEpoch(context);
const isForThis = ({ context }: In, { epoch }: OfEpoch): boolean => epoch === promisedEpoch(context);

/** True if other peers have begun an epoch without this node, later than all that it has promised. */
const leavesUsOut = ({ context }: In, { epoch, members }: Superseding): boolean =>
  epoch >= promisedEpoch(context) && epoch > context.served.epoch && !members.includes(context.id);

/** True for nodes whose links and messages matter here: voters, members of the epoch, and the node that is to be added. */
function concerns(node: NodeId, { membership, promised, served, wanted }: In['context']): boolean {
  const votes = votesInOneOf(node, membership, ...(promised === null ? [] : [promised.next]));
  return votes || served.members.includes(node) || wanted?.add === node;
}

const hasAllAnswers = ({ context: { reports, promised } }: In): boolean => reports.length === promised!.members.length;
const areAllLinked = (args: In): boolean => hasAllAnswers(args) && isClique(args.context.reports);
const recall = ({ context: { reports, membership } }: In) => recallOf(reports, membership);

/** True if all members have promised, and each list of voters has its majority. */
function hasPromises(args: In): boolean {
  const { reports } = args.context;
  return areAllLinked(args) && recall(args) !== 'too little' && isWithinLists(reports, args.context);
}
/** Rule 14: true if no member has served, and a majority of another list may begin an epoch. */
const isOpposed = ({ context }: In): boolean =>
  context.reports.every(({ served }) => served === 0) && opposedTo(context.promised!.members, context).length > 0;

/** Rule 9: true if the proposed list is neither the decided one nor its successor. */
function isPassed({ context: { promised, membership } }: In): boolean {
  const { next } = promised!;
  return !isSameMembership(next, membership) && next.version !== membership.version + 1;
}

/** Rule 9: true if a later list than the proposed one may have been decided, and majorities of both are linked. */
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
/** For a request of a member with the same membership, while no other change is pending. */
const mayWant = (args: In, change: Reconfigure): boolean => {
  const { wanted, membership, bounds } = args.context;
  const isOfThisList = isSameMembership(membership, change.membership);
  return wanted === null && isOfThisList && leads(args) && membershipAfter(membership, change, bounds.bytes) !== null;
};
/** For a request here: it replaces an earlier one from here that is not decided. */
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
  receivesAndLeads: (args: In, { from }: From<unknown>) => leads(args) && concerns(from, args.context),
  /** True if this node is the only voter: it needs no other peer, and relevant peers will not send messages to it. */
  isOnlyVoter: ({ context: { id, membership } }: In) => membership.voters.length === 1 && membership.voters[0] === id,
  isOverruledAndRemoved: ({ context: { id, membership, promised } }: In) =>
    promised!.proposer === id && !votesInOneOf(id, membership),
  losesMajority: (args: In) => !reachesMajority(args),
  /** A node that restarts has no links yet. */
  startsInEpoch: ({ context: { served, links } }: In) => served.members.some((member) => links.includes(member)),
  isOwn: ({ context: { promised, id } }: In) => promised!.proposer === id,
  isOwnForOthers: ({ context: { promised, served, id } }: In) => promised!.proposer === id && !served.members.includes(id),
  isFromStranger: (args: In, event: From<unknown>) => !isNoStranger(args, event),
  isBeyondReason: ({ context }: In, event: Numbered) => {
    const [number, known] = [numberIn(event), largestKnown(context)];
    const isRefusedSo = event.type === 'refuse' && event.known !== undefined;
    return isBeyondReason(number, known) || (isRefusedSo && isBeyondReason(known, number));
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
    areAllLinked(args) && recall(args) === 'none is missing' && promisedEpoch(args.context) <= floorOf(args.context.reports),
  isBound: (args: In) => isBound(args) && leads(args),
  mayBegin: (args: In) => hasPromises(args) && !isOpposed(args),
  isOpposed: (args: In) => hasPromises(args) && isOpposed(args),
  isOpposedHere: ({ context }: In, { members, served }: Prepare) =>
    served === 0 && context.served.epoch === 0 && opposedTo(members, context).length > 0,
  isOutvoted,
  isReconciled: (args: In, event: From<OfMember>) => !isForeign(args, event) && hasDiffered(args.context, event.from),
  mayGiveWay: (args: In, event: GiveWay) => isForeign(args, event) && isUnbound(args.context),
  /** True if the sender's promise is still awaited and will report its change. */
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
  /** True for a client whose link is down. A peer that is linked again has not ended. */
  isReportedEnd: ({ context: { links, wants } }: In, { peer }: ReportedEnd) =>
    !links.includes(peer) && wantedBy(peer, wants).length > 0,
  /** True if the client is not attached here, or has requested the lock already. */
  isOfNoClient: ({ context }: In, { from, lock }: From<Acquire>) =>
    attachmentOf(context, from) === undefined || isWantedBy(context, from, lock),
  /** Rule 8: true if the lock of a client that is attached here does not fit. */
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
