/** What the epochs ask of their host: messages to other voters, events for the other roles of the node, those roles, timers, storage. */
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

/** Voters elect the leader among themselves. */
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
  return {
    to: context.promised!.proposer,
    message: { type: 'promise' as const, epoch: promisedEpoch(context), ...report },
  };
};
export const refuseIt = ({ context, event: { from, epoch } }: In<From<Prepare>>) => ({
  to: from,
  message: { type: 'refuse' as const, epoch, promised: promisedEpoch(context), membership: context.membership },
});
/** Rule 1: so the other side can judge, too, how far the two are apart. */
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
/** The word of an epoch that is served. */
export const toldOf = ({ epoch, members, membership }: Beginning) => ({ type: 'told' as const, epoch, members, membership });
/** The same for the application. */
export const notificationOf = ({ epoch, members }: Beginning) => ({ type: 'serving' as const, epoch, members });
/** Whom the epoch leaves out must receive it, perhaps from those who are in it; who has another list as well. */
export const word = ({ context: { links, served, differing } }: In) => ({
  to: [...links, ...differing.map(({ node }) => node)].filter((peer) => !served.members.includes(peer)),
  message: toldOf(served),
});
const toLeader = ({ id, leader, links }: EpochsContext) => (leader !== id && links.includes(leader) ? leader : []);
export const change = ({ context }: In) => ({
  to: toLeader(context),
  message: { type: 'changed' as const, membership: context.membership },
});
/** Of a member who wants the next epoch: who was removed, and is one still, elects nobody, and tells all who vote. */
export const changeOfMember = (args: In) => {
  const { id, links, membership } = args.context;
  if (votesInOneOf(id, membership)) return change(args);
  return { ...change(args), to: links.filter((peer) => votesInOneOf(peer, membership)) };
};
/** The leader may not have heard of it, or may be another one. */
export const reconfiguration = ({ context }: In) => {
  const { id, wanted, membership } = context;
  return {
    to: wanted?.by === id ? toLeader(context) : [],
    message: { type: 'reconfigure' as const, add: wanted?.add ?? null, remove: wanted?.remove ?? null, membership },
  };
};
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

/** Rule 9: who was named by one that has been removed learns who votes, and waits for it no more. */
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

/** Rule 10. */
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

/** Nobody reads here. */
export const nothingToReturn = ({ event: { from, epoch, lock, fence } }: In<From<Recall>>) => ({
  to: from,
  message: { type: 'returned' as const, epoch, lock, fence },
});

/** The locks that are in use are asked for before anybody else is heard. */
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
/** A lock that nobody here wants costs nothing beyond its epoch. */
export const freeLocks = close(({ context: { locks, claims } }: In) => {
  const wanted = new Set(claims.map(({ lock }) => lock));
  return { role: locks.filter((lock) => !wanted.has(lock)).map(lockRole) };
});
export const patience = arm(({ context }: In) => ({ timer: PATIENCE, delay: context.patience }));
export const sayThatCrowded = tell((_: In) => ({ role: EPOCHS, message: { type: 'crowded' } }));
/** Not in this step, in which a grant may still be under way that has to be in this node's own report. */
export const askSoon = arm((_: In) => ({ timer: SPENT, delay: 1 }));
/** Those who have found room are to be served first, clients as well: an epoch that ended before would not bring anybody nearer to a lock. */
export const askLater = arm(({ context: { patience } }: In) => ({ timer: SPENT, delay: Math.ceil(patience / 10) }));
export const askNoMore = disarm((_: In) => ({ timer: SPENT }));
export const patienceEnds = disarm((_: In) => ({ timer: PATIENCE }));
