/** The effects of a voter's epochs: messages to other voters, events for other roles of the node, timers and storage. */
import { arm, close, disarm, open, store, tell, type Message, type Open } from '../effects.js';
import { ELECTION } from '../election/messages.js';
import { directoryOf } from './epoch.js';
import { askedIn } from './clients.js';
import {
  confirmersOf,
  largestKnown,
  leavesOutWithRemoved,
  othersNeeded,
  recordersNeeded,
  ownReport,
  promisedEpoch,
  standingOf,
  type EpochsContext,
  type From,
  type In,
  type NamedLinkEvent,
  type OfLock,
} from './knowledge.js';
import type { LockChartInput } from './lock.js';
import { votesInOneOf } from './membership.js';
import {
  directoryRole,
  EPOCHS,
  LOCK,
  lockRole,
  STANDING,
  type Beginning,
  type Confirm,
  type EpochTurn,
  type Prepare,
  type Recall,
} from './messages.js';

export const PATIENCE = 'patience';
const SPENT = 'spent';

/** Passes a change of a link to the election role. Voters elect their leader only among themselves. */
export const passedOn = ({ context: { id, membership }, event }: In<NamedLinkEvent>) => {
  const areVoters = [id, event.peer].every((node) => votesInOneOf(node, membership));
  return { role: areVoters ? ELECTION : [], message: event };
};
export const preparation = ({ context: { promised, served, id, membership } }: In) => {
  const { epoch, members, next } = promised!;
  return {
    to: members.filter((member) => member !== id),
    message: { type: 'prepare' as const, epoch, members, next, served: served.epoch, membership },
  };
};
export const promise = ({ context }: In) => {
  const { node: _, ...report } = ownReport(context);
  return { to: context.promised!.proposer, message: { type: 'promise' as const, epoch: promisedEpoch(context), ...report } };
};
export const refuseIt = ({ context, event: { from, epoch } }: In<From<Prepare>>) => ({
  to: from,
  message: { type: 'refuse' as const, epoch, promised: promisedEpoch(context), membership: context.membership },
});
/** Rule 1. Refuses a proposal whose number is unreasonably large. The proposer receives both numbers and can compare them. */
export const refuseAsBeyondReason = (args: In<From<Prepare>>) => {
  const { to, message } = refuseIt(args);
  return { to, message: { ...message, known: largestKnown(args.context) } };
};
export const waiting = ({ context: { membership }, event: { from, epoch } }: In<From<Prepare>>) => ({
  to: from,
  message: { type: 'wait' as const, epoch, membership },
});
export const installation = ({ context: { id, served } }: In) => ({
  to: served.members.filter((member) => member !== id),
  message: { type: 'install' as const, ...served },
});
/** Notifies other peers of the epoch that this node serves. */
export const supersedingOf = ({ epoch, members, membership }: Beginning) => ({
  type: 'superseded' as const,
  epoch,
  members,
  membership,
});
/** Notifies the application of the epoch that this node serves. */
export const notificationOf = ({ epoch, members }: Beginning) => ({ type: 'serving' as const, epoch, members });
/** Reports the epoch to linked peers outside of it, directly or through other members, and to peers with another list. */
export const word = ({ context: { links, served, differing } }: In) => ({
  to: [...links, ...differing.map(({ node }) => node)].filter((peer) => !served.members.includes(peer)),
  message: supersedingOf(served),
});
const toLeader = ({ id, leader, links }: EpochsContext) => (leader !== id && links.includes(leader) ? leader : []);
export const change = ({ context }: In) => ({
  to: toLeader(context),
  message: { type: 'changed' as const, membership: context.membership },
});
/** A request for the next epoch. A member that was removed takes no part in the election, and sends it to all voters. */
export const changeOfMember = (args: In) => {
  const { id, links, membership } = args.context;
  if (votesInOneOf(id, membership)) return change(args);
  return { ...change(args), to: links.filter((peer) => votesInOneOf(peer, membership)) };
};
/** Sent again in each epoch: the leader may not have received the request, or may be another one. */
export const reconfiguration = ({ context }: In) => {
  const { id, wanted, membership } = context;
  return {
    to: wanted?.by === id ? toLeader(context) : [],
    message: { type: 'reconfigure' as const, add: wanted?.add ?? null, remove: wanted?.remove ?? null, membership },
  };
};
/** To all linked voters: the one that led when the change was requested may lead again. */
export const withdrawal = ({ context: { links, membership } }: In) => ({
  to: links.filter((peer) => votesInOneOf(peer, membership)),
  message: { type: 'withdrawal' as const, membership },
});
export const seek = tell(({ context: c }: In) => ({
  role: c.wanted !== null || leavesOutWithRemoved(c) ? EPOCHS : [],
  message: { type: 'seek' },
}));
export const changeUnlessToLeader = (args: In) => {
  const { promised, leader } = args.context;
  return { ...change(args), to: promised!.proposer === leader ? [] : change(args).to };
};
export const greeting = ({ context: { membership }, event: { peer } }: In<NamedLinkEvent>) => ({
  to: peer,
  message: { type: 'hello' as const, membership },
});

/** Rule 9: peers that a removed proposer has named learn the membership, and stop waiting for it. */
export const wordToNamed = ({ context: { id, promised, links, membership } }: In) => ({
  to: promised!.members.filter((node) => node !== id && links.includes(node)),
  message: { type: 'hello' as const, membership },
});

export const standing = store(({ context }: In) => ({ key: STANDING, value: standingOf(context) }));

export const toLocks = (message: (c: EpochsContext) => EpochTurn) =>
  tell(({ context }: In) => ({ role: context.claims.map(({ lock }) => lockRole(lock)), message: message(context) }));
export const toLock = tell(({ event }: In<OfLock & Message>) => ({ role: lockRole(event.lock), message: event }));
export const toDirectory = tell(({ context: { served }, event }: In<OfLock & Message>) => ({
  role: directoryRole(served.epoch, event.lock),
  message: event,
}));

/** Rule 10. Requests the confirmation of a grant from the other members. */
export const askForConfirmation = ({ context, event: { lock, fence, user } }: In<Omit<Confirm, 'type' | 'epoch'>>) => {
  const { epoch } = context.served;
  return {
    to: confirmersOf(context),
    message: { type: 'confirm' as const, epoch, lock, fence, user, ...askedIn(context, user) },
  };
};
export const confirmation = ({ event: { from, epoch, lock, fence, user } }: In<From<Confirm>>) => ({
  to: from,
  message: { type: 'confirmed' as const, epoch, lock, fence, user },
});

/** The reply to a recall from a node that does not read the lock. */
export const nothingToReturn = ({ event: { from, epoch, lock, fence } }: In<From<Recall>>) => ({
  to: from,
  message: { type: 'returned' as const, epoch, lock, fence },
});

/** Handles the messages that arrived before the epoch began here, after the locks in use were requested. */
export const afterThat = tell((_: In) => ({ role: EPOCHS, message: { type: 'early' } }));

export function lockStartIn(c: EpochsContext, lock: string, epoch: number | null): Open {
  const others = epoch === null ? 0 : othersNeeded(c);
  const recorders = epoch === null ? 0 : recordersNeeded(c);
  const { id, bounds, patience } = c;
  const input: LockChartInput = { id, lock, epoch, grants: bounds.grants, others, recorders, patience };
  return { role: lockRole(lock), chart: LOCK, input };
}
export const lockInNone = open(({ context, event: { lock } }: In<OfLock>) => lockStartIn(context, lock, null));
export const lockInThis = open(({ context, event: { lock } }: In<OfLock>) => lockStartIn(context, lock, context.served.epoch));
export const openDirectory = open(({ context: { id, served, bounds }, event: { lock } }: In<OfLock>) =>
  directoryOf(lock, id, served, bounds.grants),
);
export const ownLock = close(({ event: { lock } }: In<OfLock>) => ({ role: lockRole(lock) }));
export const directories = close(({ context: { served, open: locks } }: In) => ({
  role: locks.map((lock) => directoryRole(served.epoch, lock)),
}));
/** Closes the roles of locks that are not wanted here, which cost nothing beyond their epoch. */
export const freeLocks = close(({ context: { locks, claims } }: In) => {
  const wanted = new Set(claims.map(({ lock }) => lock));
  return { role: locks.filter((lock) => !wanted.has(lock)).map(lockRole) };
});
export const patience = arm(({ context }: In) => ({ timer: PATIENCE, delay: context.patience }));
export const reportCrowded = tell((_: In) => ({ role: EPOCHS, message: { type: 'crowded' } }));
/** Not in this step: a grant may be pending that this node's own report has to contain. */
export const askSoon = arm((_: In) => ({ timer: SPENT, delay: 1 }));
/** Waits, so that requests with room are granted first, also to clients. If the epoch ended earlier, no request would make progress. */
export const askLater = arm(({ context: { patience } }: In) => ({ timer: SPENT, delay: Math.ceil(patience / 10) }));
export const askNoMore = disarm((_: In) => ({ timer: SPENT }));
export const patienceEnds = disarm((_: In) => ({ timer: PATIENCE }));
