/**
 * The epochs of a node's locks keep the locks working when nodes fail.
 *
 * The design is our own and begins where the papers stop: token directory and leader election assume nodes that never fail. Their
 * composition does not. In an epoch every lock has its own directory among the members, which all reach each other and are a majority of
 * the voters. The elected leader proposes the next epoch, as in Paxos: `prepare` names the members, which promise to serve no earlier one
 * and report their state. With the promises of all of them the epoch is installed. Holders keep locks that no other node can hold; all
 * other tokens start again. The epoch is the leading part of the number of a grant.
 *
 * The rules, as in SPEC.md: 1 ballot, 2 promise, 3 withdrawal, 4 forgetting, 5 keeping a lock (promises.ts), 6 stickiness, 7 install, 8
 * bounds (room.ts), 9 membership (membership.ts), 10 confirmed grants, 11 clients, 12 readers (lock.ts), 14 different lists (lists.ts), 15 forced recovery
 * (recovery.ts).
 *
 * The persistent state (`Standing`) is stored before other nodes can learn of it: no proposal, promise or notification is sent, and no
 * epoch served, before its `stored` has come. A node without storage is answered at once, and restarts knowing that it has forgotten.
 *
 * Assumptions: links are reliable and first-in first-out while they are up. A failure detector, which may be wrong, reports their changes
 * to each end. Nodes stop, and restart knowing that they have forgotten. Clocks matter only if a majority has forgotten (rule 4b).
 *
 * States.
 *    apart             in no epoch, and cannot propose one
 *    preparing.saving  proposes, and waits until its own promise is stored
 *    preparing.collecting.asking   collects the promises of the members that it has named
 *    preparing.collecting.delayed  the same, and a member or this node itself waits: any change at a member is relevant
 *    preparing.collecting.opposed  all have promised, and peers with another list of voters were asked to give way
 *    following.saving  promises, and waits until that is stored
 *    following.waiting has promised, or is overruled, and waits for an epoch to begin
 *    beginning         the epoch has begun, and is stored before it is served
 *    serving.fresh     member of the epoch that it served last; the directories of its locks are roles next to this one
 *    serving.crowded   the same, and requests the next epoch after a while: room is running out
 *    serving.asked     the same, and requests it at once: fences are running out
 *    closed            another list of voters has won, and this node has stopped participating
 * Invariants: `promised` is at least `served`; `reports` belong to `promised` and are not empty only while preparing; `open` is not empty
 * only while serving; `early` belongs to `promised` and is not empty only in following.waiting and beginning. `locks` are the open roles of
 * lock.ts, and include those of `claims`; others only while serving.
 */
import { assign, emit, enqueueActions, raise, setup } from 'xstate';
import { chartTypes, effects, type Message, send, tell, withEvent } from '../effects.js';
import type { LeaderChange } from '../election/messages.js';
import { isAmong, withName, withoutName } from './epoch.js';
import {
  attachment,
  attest,
  disown,
  ended,
  givingBack,
  gone,
  letGo,
  type Want,
  lettingGo,
  hostedBy,
  questionToClient,
  recordsAfter,
  noRoom,
  settled,
  withClient,
  withoutClient,
  withoutWant,
  withWant,
  wordTo,
} from './clients.js';
import { epochsGuards } from './guards.js';
import {
  claimIn,
  earlyAfter,
  receiveEarly,
  knownAtStart,
  missedBy,
  recordsOf,
  numbersOf,
  linksKnown,
  withClaim,
  withoutClaim,
  withoutWanted,
  othersNeeded,
  recordersNeeded,
  type OfRequest,
  type Claim,
  type Enqueuing,
  type EpochsContext,
  type EpochsEvent,
  type EpochsInput,
  type From,
  type In,
  type Numbered,
  type OfLock,
} from './knowledge.js';
import {
  givingWay,
  learn,
  listsOf,
  partWith,
  requestToGiveWay,
  withDiffering,
  withGivenWay,
  withoutDiffering,
  replyToDiffering,
} from './lists.js';
import type { MembershipChange } from './membership.js';
import type { Beginning, EpochMessage, Install, LocksNotification, OfMember, Refuse, Superseding } from './messages.js';
import {
  afterThat,
  askLater,
  askNoMore,
  askSoon,
  change,
  changeOfMember,
  changeUnlessToLeader,
  confirmation,
  directories,
  openDirectory,
  freeLocks,
  greeting,
  installation,
  lockInNone,
  lockInThis,
  lockStartIn,
  nothingToReturn,
  notificationOf,
  ownLock,
  passedOn,
  patience,
  patienceEnds,
  preparation,
  promise,
  askForConfirmation,
  reconfiguration,
  refuseAsBeyondReason,
  refuseIt,
  reportCrowded,
  seek,
  withdrawal,
  standing,
  toDirectory,
  toLock,
  toLocks,
  waiting,
  word,
  wordToNamed,
} from './orders.js';
import { beginningOf, boundOf, floorOf, installedBy, leftOutByClique, promisedTo, proposed, reportsAfter } from './promises.js';

const prepareAgain = { target: '.preparing', reenter: true } as const;
const promiseIt = { target: '.following.saving', reenter: true, actions: withEvent('notePromise') } as const;
const opposed = { guard: 'isOpposed', target: 'opposed' } as const;
const isOverruledHere = { target: '#epochs.following.waiting' } as const;
/** Rule 9. */
const foreign = { guard: withEvent('isForeign'), actions: send(lettingGo) } as const; // 11: it also notifies a client of the list
/** Rule 14. */
const outvoted = { guard: withEvent('isOutvoted'), target: '#epochs.closed', actions: withEvent('announceDiffering') } as const;
const differing = [
  outvoted,
  {
    guard: withEvent('isForeign'),
    actions: [withEvent('announceDiffering'), withEvent('noteDiffering'), send(replyToDiffering), withEvent('partWith')],
  },
] as const;
const reconciled = { guard: withEvent('isReconciled'), actions: [withEvent('forgetDiffering'), 'receiveAgain'] } as const;
/** Rule 1. */
const unreasonable = {
  guard: withEvent('isBeyondReason'),
  actions: [withEvent('announceUnreasonable'), withEvent('partWith')],
} as const;
const later = { guard: withEvent('isLater'), actions: ['learn', 'receiveAgain'] } as const;
/** From members that have begun the epoch already. */
const keptUntilBegun = { guard: withEvent('isForThis'), actions: withEvent('keepEarly') } as const;
const early = { find: keptUntilBegun, confirm: keptUntilBegun, recall: keptUntilBegun, disowned: keptUntilBegun } as const;
const fill = [withEvent('noteOpened'), openDirectory] as const;
const ask = [withEvent('want'), withEvent('claim'), lockInThis, toLock] as const;
const openIt = [...fill, ...ask] as const;
/** Rule 11: for a lock that is also wanted here by another user. */
const behind = { guard: withEvent('isTakenByOthers'), actions: [withEvent('want'), toLock] } as const;
const itsTurn = { guard: withEvent('isTaken'), actions: [withEvent('want'), toLock] } as const;
const notHere = { guard: withEvent('isOfNoClient') } as const;
const full = { guard: withEvent('isFull'), actions: send(noRoom) } as const; // 8
const due = [
  { guard: withEvent('isDueAndLeads'), target: '#epochs.preparing' },
  { guard: withEvent('isDue'), actions: send(changeOfMember) },
] as const;
const asks = [
  { guard: withEvent('isFreeHere'), actions: [withEvent('want'), withEvent('claim'), toLock] },
  { guard: withEvent('isOpen'), actions: ask },
  { guard: withEvent('findsNoRoom'), actions: [withEvent('want'), withEvent('claim'), lockInNone, toLock, reportCrowded] }, // 8
  { guard: withEvent('findsHalfTheRoom'), actions: [...openIt, reportCrowded] }, // 8
] as const;

/**
 * The epochs of a node's locks: proposals, promises and service, and which locks are kept when an epoch ends.
 *
 * @public
 */
export const epochsMachine = setup({
  types: chartTypes<{ context: EpochsContext; events: EpochsEvent; input: EpochsInput; emitted: LocksNotification }>(),
  actions: {
    ...effects<EpochMessage | Message>(),
    noteLink: assign({ links: linksKnown }),
    noteLinks: assign((args: In) => ({ links: linksKnown(args), missed: null, cutOff: [] })),
    noteLeader: assign({ leader: (_, { leader }: LeaderChange) => leader }),
    found: assign({ memory: 'founding' }),
    propose: assign(({ context }: In) => proposed(context)),
    nameClique: assign({ clique: ({ context }: In) => leftOutByClique(context)!.named }),
    noteFloor: assign({ above: ({ context: { reports } }: In) => floorOf(reports) }),
    noteRefusal: assign({ above: ({ context }, { promised }: Refuse) => Math.max(context.above, promised) }),
    noteSuperseding: assign({ above: ({ context }, { epoch }: Superseding) => Math.max(context.above, epoch) }),
    notePromise: assign(promisedTo),
    noteReport: assign(reportsAfter),
    forgetBallot: assign({ reports: [], early: [] }),
    noteMissed: assign(missedBy),
    noteLeftOut: assign({ missed: ({ context }: In) => leftOutByClique(context) }),
    giveUpMissed: assign({ cutOff: ({ context: c }: In) => [...c.cutOff, ...(c.missed?.peers ?? [])], missed: null }),
    conclude: assign({ served: ({ context }: In): Beginning => beginningOf(context) }),
    noteInstall: assign({ served: (_, event: Install): Beginning => installedBy(event) }),
    remember: assign({ memory: 'known', pending: [], reports: [], records: ({ context }: In) => recordsOf(context.served) }),
    settle: assign(({ context }: In) => ({ missed: null, cutOff: [], opened: 0, ...settled(context) })),
    noteRecord: assign(recordsAfter),
    openHosted: enqueueActions(({ context, enqueue }: Enqueuing) => {
      for (const { lock } of hostedBy(context.id, context.served))
        if (!isAmong(lock, context.locks)) enqueue({ type: 'open', params: lockStartIn(context, lock, null) });
    }),
    forgetOpen: assign({ open: [], opened: 0, locks: ({ context }: In) => context.claims.map(({ lock }) => lock) }),
    noteOpened: assign(({ context: { open, opened } }, { lock }: OfLock) => ({ open: withName(lock, open), opened: opened + 1 })),
    claim: assign(({ context }, { lock, from: user = context.id }: OfRequest) => ({
      claims: withClaim({ lock, fence: null, user }, context.claims),
      locks: withName(lock, context.locks),
    })),
    want: assign(({ context }, { lock, from: node = context.id }: OfRequest) => ({
      wants: withWant({ node, lock }, context.wants),
    })),
    dropWant: assign({ wants: ({ context }, want: Want) => withoutWant(want, context.wants) }),
    attach: assign(withClient),
    detach: assign(withoutClient),
    detachAll: enqueueActions(letGo),
    disown: enqueueActions(disown),
    dropClaim: assign({ claims: ({ context }, { lock }: OfLock) => withoutClaim(lock, context.claims) }),
    dropLock: assign({ locks: ({ context }, { lock }: OfLock) => withoutName(lock, context.locks) }),
    noteClaim: assign({ claims: ({ context }, event: Claim & Message) => withClaim(claimIn(event), context.claims) }),
    /** A pending change: at the leader, or at the node that was called for it. */
    noteWanted: assign(({ context }, { add, remove, from = context.id }: MembershipChange & Partial<From<unknown>>) => ({
      wanted: { add, remove, by: from },
    })),
    dropWanted: assign(({ context }, event: Partial<From<unknown>>) => withoutWanted(context, event)),
    noteBound: assign({ bound: ({ context: { reports, membership } }: In) => boundOf(reports, membership) }),
    learn: enqueueActions(learn),
    /** Judges the message again after its membership was learned. */
    receiveAgain: raise(({ event }) => event),
    partWith: enqueueActions(partWith),
    noteDiffering: assign({ differing: (args, event: From<OfMember>) => withDiffering(args, event) }),
    forgetDiffering: assign({ differing: (args, event: From<OfMember>) => withoutDiffering(args, event) }),
    noteGivenWay: assign({ differing: (args, event: From<OfMember>) => withGivenWay(args, event) }),
    keepEarly: assign(earlyAfter),
    receiveEarly: enqueueActions(receiveEarly),
    announceEpoch: emit(({ context }: In) => notificationOf(context.served)),
    announceDiffering: emit((args: In, event: From<OfMember>) => ({ type: 'differs' as const, ...listsOf(args, event) })),
    // XState does not pass the event to an entry action as a parameter: here it is the message of a peer.
    announceOutvoted: emit((args: In) => ({ type: 'outvoted' as const, ...listsOf(args, args.event as From<OfMember>) })),
    announceApart: emit({ type: 'apart' }),
    announceWithdrawn: emit({ type: 'withdrawn' }),
    announceUnreasonable: emit((args: In, event: Numbered) => ({ type: 'unreasonable' as const, ...numbersOf(args, event) })),
  },
  guards: epochsGuards,
}).createMachine({
  id: 'epochs',
  context: ({ input }) => knownAtStart(input),
  initial: 'starting',
  on: {
    'link.up': [
      { guard: withEvent('isIrrelevant'), actions: ['noteLink', send(greeting)] },
      { guard: 'leads', ...prepareAgain, actions: ['noteLinks', patienceEnds, tell(passedOn), send(greeting)] },
      { actions: ['noteLinks', patienceEnds, tell(passedOn), send(change), send(greeting)] },
    ],
    'link.down': [
      { guard: withEvent('isClientGone'), actions: [tell(gone), withEvent('detach')] }, // 11
      { guard: withEvent('isIrrelevant'), actions: 'noteLink' },
      { guard: 'losesMajority', target: '.apart', actions: ['noteLinks', patienceEnds, tell(passedOn)] },
      { guard: 'leads', ...prepareAgain, actions: ['noteLinks', patienceEnds, tell(passedOn)] },
      { actions: ['noteLinks', patienceEnds, tell(passedOn), send(change)] },
    ],
    ended: { guard: withEvent('isReportedEnd'), actions: tell(ended) }, // 11
    leader: [
      { guard: 'isElected', ...prepareAgain, actions: withEvent('noteLeader') },
      { guard: withEvent('isAnother'), actions: [withEvent('noteLeader'), send(change)] },
    ],
    hello: [...differing, reconciled, later, { guard: withEvent('receivesAndLeads'), ...prepareAgain }],
    changed: [...differing, later, { guard: withEvent('receivesAndLeads'), ...prepareAgain }],
    reconfigure: [
      { guard: withEvent('mayWantNow'), ...prepareAgain, actions: withEvent('noteWanted') }, // 9
      { guard: withEvent('mayWant'), actions: withEvent('noteWanted') },
    ],
    change: [
      { guard: withEvent('mayChangeNow'), ...prepareAgain, actions: withEvent('noteWanted') }, // 9
      { guard: withEvent('mayChange'), actions: [withEvent('noteWanted'), send(reconfiguration)] },
    ],
    withdraw: { actions: [send(withdrawal), withEvent('dropWanted'), 'announceWithdrawn'] }, // 9
    withdrawal: { actions: withEvent('dropWanted') },
    // Soon, and not at once: while not all linked nodes reach each other, the change may remain impossible.
    seek: { guard: 'maySeek', actions: reportCrowded },
    bootstrap: [
      { guard: 'hasForgottenAndLeads', ...prepareAgain, actions: 'found' },
      { guard: 'hasForgotten', actions: ['found', send(change)] },
    ],
    prepare: [
      { guard: withEvent('isOutvoted'), target: '#epochs.closed', actions: [send(refuseIt), withEvent('announceDiffering')] }, // 14
      {
        guard: withEvent('isForeign'),
        actions: [send(refuseIt), withEvent('announceDiffering'), withEvent('noteDiffering'), withEvent('partWith')],
      }, // 14
      { guard: withEvent('isFromStranger') },
      later, // 9
      {
        guard: withEvent('isBeyondReason'),
        actions: [send(refuseAsBeyondReason), withEvent('announceUnreasonable'), withEvent('partWith')],
      }, // 1
      { guard: withEvent('isOutdated'), actions: send(refuseIt) }, // 9
      { guard: withEvent('isPast'), actions: send(refuseIt) }, // 2
      { guard: withEvent('isOpposedHere'), actions: [send(waiting), send(requestToGiveWay)] }, // 14
      { guard: withEvent('leavesOutMembersNewly'), actions: [send(waiting), withEvent('noteMissed'), patience] }, // 6
      { guard: withEvent('leavesOutMembers'), actions: send(waiting) },
      promiseIt, // 2, 3
    ],
    refuse: [
      ...differing,
      later,
      unreasonable,
      { guard: withEvent('outbids'), ...prepareAgain, actions: withEvent('noteRefusal') },
      { guard: withEvent('isOverruled'), actions: [withEvent('noteRefusal'), send(change)] },
    ],
    superseded: [
      ...differing,
      reconciled,
      later,
      unreasonable,
      { guard: withEvent('leavesLeaderOut'), ...prepareAgain, actions: withEvent('noteSuperseding') }, // 7: no other node will remind it
      { guard: withEvent('leavesUsOut'), target: '.apart', actions: withEvent('noteSuperseding') }, // 7
    ],
    install: later, // 9: for an epoch that a later promise of this node excludes
    giveWay: [{ guard: withEvent('mayGiveWay'), target: '.closed', actions: withEvent('announceDiffering') }, ...differing], // 14
    givenWay: { guard: withEvent('isForeign'), actions: [withEvent('noteGivenWay'), send(change)] }, // 14
    timer: [{ guard: 'leads', ...prepareAgain, actions: 'giveUpMissed' }, { actions: ['giveUpMissed', send(change)] }],
    request: [behind, { guard: withEvent('isFree'), actions: [withEvent('want'), withEvent('claim'), lockInNone, toLock] }],
    acquire: [notHere, full, itsTurn, { actions: [withEvent('want'), withEvent('claim'), lockInNone, toLock] }], // 11
    attach: [foreign, later, { actions: withEvent('attach') }], // 11: the next epoch replies, or `detached` does
    used: { actions: [withEvent('noteClaim'), send(wordTo('acquired'))] },
    left: { actions: withEvent('dropWant') },
    forfeited: { actions: send(wordTo('forfeited')) },
    stored: { actions: 'learn' }, // 9: for an epoch that this node was about to begin, and has left since
    freed: { actions: [withEvent('dropClaim'), withEvent('dropLock'), ownLock] },
    lost: { actions: [withEvent('dropClaim'), withEvent('dropLock'), ownLock] },
  },
  states: {
    starting: {
      always: [{ guard: 'startsInEpoch', target: 'serving' }, { guard: 'leads', target: 'preparing' }, { target: 'apart' }],
    },
    apart: {
      entry: ['forgetBallot', toLocks(() => ({ type: 'apart' })), 'detachAll', 'announceApart'],
      always: { guard: 'isOnlyVoter', target: 'preparing' }, // 9: nodes that do not vote have reported this
      on: { attach: [foreign, later, { actions: send(lettingGo) }] }, // 11
    },
    preparing: {
      entry: 'propose',
      initial: 'saving',
      states: {
        // No other node knows of the proposal: an event before `stored` does not require another one.
        saving: {
          entry: standing,
          on: {
            stored: { target: 'collecting', actions: ['learn', send(preparation)] },
            hello: [...differing, { guard: withEvent('isReconciled'), actions: withEvent('forgetDiffering') }, {}],
            changed: [...differing, {}],
          },
        },
        collecting: {
          always: [
            { guard: 'isPassedAndLeads', target: '#epochs.preparing', reenter: true }, // 9
            { guard: 'isPassed', ...isOverruledHere, actions: send(change) }, // 9
            { guard: 'leavesOutUsersNewly', target: '.delayed', actions: ['noteLeftOut', patience] }, // 6
            { guard: 'mustNameFewer', target: '#epochs.preparing', reenter: true, actions: 'nameClique' }, // 1
            { guard: 'isBelowFloor', target: '#epochs.preparing', reenter: true, actions: 'noteFloor' }, // 4b
            { guard: 'isBound', target: '#epochs.preparing', reenter: true, actions: 'noteBound' }, // 9
            { guard: 'mayBegin', target: '#epochs.beginning', actions: 'conclude' }, // 4, 5, 9
          ],
          initial: 'asking',
          states: {
            asking: { always: opposed, on: { changed: { guard: withEvent('isAwaited') } } }, // 2
            delayed: { always: opposed },
            opposed: { entry: send(requestToGiveWay) }, // 14
          },
          on: {
            promise: [later, { guard: withEvent('isAnswer'), actions: withEvent('noteReport') }],
            wait: [
              { guard: withEvent('isOnesOwnToDrop'), ...isOverruledHere, actions: send(change) },
              { guard: withEvent('isAnswer'), target: '.delayed' },
            ],
          },
        },
      },
      on: {
        refuse: [
          ...differing,
          later,
          unreasonable,
          { guard: withEvent('outbids'), target: 'preparing', reenter: true, actions: withEvent('noteRefusal') },
          { guard: withEvent('isOverruled'), ...isOverruledHere, actions: [withEvent('noteRefusal'), send(change)] },
        ],
        'link.down': {
          guard: withEvent('losesOneNamed'),
          ...isOverruledHere,
          actions: ['noteLinks', patienceEnds, tell(passedOn), send(change)],
        },
      },
    },
    following: {
      entry: 'forgetBallot',
      initial: 'waiting',
      states: {
        saving: {
          entry: standing,
          on: {
            stored: [
              { guard: 'leads', target: '#epochs.preparing', actions: ['learn', send(promise)] }, // 2: to another node
              { target: 'waiting', actions: ['learn', send(promise), send(changeUnlessToLeader)] }, // 2
            ],
          },
        },
        waiting: {
          always: { guard: 'isOverruledAndRemoved', target: '#epochs.apart', actions: send(wordToNamed) }, // 9: no node will notify it
          on: {
            ...early,
            install: [later, { guard: withEvent('isInstalled'), target: '#epochs.beginning', actions: withEvent('noteInstall') }],
          }, // 7
        },
      },
      on: {
        prepare: [
          { guard: withEvent('leavesOutNamedNewly'), actions: [send(waiting), withEvent('noteMissed'), patience] }, // 6
          { guard: withEvent('leavesOutNamed'), actions: send(waiting) },
        ],
      },
    },
    beginning: {
      entry: ['remember', standing],
      on: {
        stored: [
          { guard: 'isOwnForOthers', target: 'apart', actions: ['learn', send(installation), send(word)] }, // 9
          { guard: 'isOwn', target: 'serving', actions: ['learn', send(installation), send(word)] }, // 7
          { target: 'serving', actions: send(word) }, // 7
        ],
        ...early,
      },
    },
    serving: {
      entry: [
        'openHosted', // 11
        'settle',
        patienceEnds,
        toLocks((c) => ({ type: 'begun', ...c.served, others: othersNeeded(c), recorders: recordersNeeded(c) })),
        afterThat,
        'announceEpoch',
        seek,
        send(reconfiguration),
      ],
      exit: [toLocks(() => ({ type: 'over' })), directories, freeLocks, 'forgetOpen', askNoMore],
      initial: 'fresh',
      states: {
        fresh: { on: { spent: 'asked', crowded: 'crowded' } }, // 8
        crowded: { entry: askLater, on: { timer: due, spent: 'asked' } }, // 8,
        asked: { entry: askSoon, on: { timer: due } },
      },
      on: {
        request: [behind, ...asks, { guard: withEvent('isFree'), actions: openIt }],
        acquire: [notHere, full, itsTurn, ...asks, { actions: openIt }], // 11
        attach: [
          foreign,
          later,
          { guard: withEvent('isStrandedAtLeader'), target: '#epochs.preparing', actions: [withEvent('attach'), tell(attest)] }, // 11
          { guard: withEvent('isStranded'), actions: [withEvent('attach'), tell(attest), send(changeOfMember)] }, // 11
          { actions: [withEvent('attach'), tell(attest), withEvent('disown'), send(attachment)] }, // 11
        ],
        early: { actions: 'receiveEarly' },
        confirming: { actions: [withEvent('noteRecord'), send(askForConfirmation)] }, // 10, 11
        confirm: {
          guard: withEvent('isQuestion'),
          actions: [withEvent('noteRecord'), send(confirmation), send(questionToClient)],
        }, // 10, 11
        disowned: { guard: withEvent('isDisownedHere'), actions: tell(givingBack) }, // 11
        recall: [
          { guard: withEvent('isReadHere'), actions: toLock }, // 12
          { guard: withEvent('isQuestion'), actions: send(nothingToReturn) }, // 12
        ],
        freed: { actions: withEvent('dropClaim') },
        find: [
          { guard: withEvent('isFindForOpen'), actions: toDirectory },
          { guard: withEvent('isFindWithoutRoom'), actions: reportCrowded },
          { guard: withEvent('isFindInHalfTheRoom'), actions: [...fill, toDirectory, reportCrowded] },
          { guard: withEvent('isFind'), actions: [...fill, toDirectory] },
        ],
      },
    },
    closed: { entry: [send(givingWay), 'announceOutvoted'], on: { '*': {} } }, // 14: its application ends it
  },
});
