/**
 * The epochs of a node's locks: what keeps the locks going when nodes fail.
 *
 * Ours, after the papers stop: token directory and leader election both assume nodes that never fail. Their composition does without. In an
 * epoch every lock has a directory of its own among the members, who all reach each other and are a majority of the voters. The leader that the
 * election gives proposes the next epoch, as in Paxos: `prepare` names the members, who promise to serve no earlier one and say where they
 * stand; with the promises of all of them the epoch is installed. Users stay users where nobody else can have the lock; all other tokens begin anew.
 * Grants are numbered by epoch first.
 *
 * The rules, as in docs/locks.md: 1 ballot, 2 promise, 3 taking back, 4 forgetting, 5 who keeps a lock (promises.ts), 6 stickiness, 7 install,
 * 8 bounds (room.ts), 9 who votes (membership.ts), 10 confirmed grants, 12 readers (lock.ts), 11 clients, 14 lists that differ (lists.ts).
 *
 * What must not be forgotten (`Standing`) is stored before anybody can know of it: nothing is proposed, promised, told or served whose
 * `stored` has not come. A node without storage is answered at once, and starts again knowing that it has forgotten.
 *
 * Assumes links that are reliable and first-in first-out while they are up, told to each end when they come and go, by a detector that may
 * be wrong; nodes that stop, and start again knowing that they have forgotten. Clocks matter where a majority has forgotten (rule 4b).
 *
 * States.
 *   apart             in no epoch, and nothing to be done about it here
 *   preparing.saving  proposes, and waits until what it promises itself is stored
 *   preparing.collecting.asking   collects the promises of those whom it has named
 *   preparing.collecting.delayed  the same, and somebody waits, one of them or this node itself: whatever changes there is news
 *   preparing.collecting.opposed  all have promised, and those who have another list of voters have been asked to give way
 *   following.saving  promises, and waits until that is stored
 *   following.waiting has promised, or is overruled, and waits for an epoch to begin
 *   beginning         the epoch has begun, and is stored before it is served
 *   serving.fresh     member of the epoch that it served last; the directories of its locks are roles beside this one
 *   serving.crowded   the same, and the next epoch is asked for after a while: room comes to its end
 *   serving.asked     the same, and it is asked for at once: numbers come to their end
 *   closed            another list of voters has won, and this node takes part in nothing any more
 * Invariants: `promised` is at least `served`; `reports` belong to `promised` and are not empty only while preparing; `open` is not empty
 * only while serving; `early` is of `promised`, and not empty only in
 * following.waiting and beginning; `locks` are the roles of lock.ts that are open, and those of `claims` among them; more than these only while serving.
 */
import { assign, emit, enqueueActions, raise, setup } from 'xstate';
import { effects, send, tell, type Message, type NodeId } from '../effects.js';
import type { LeaderChange } from '../election/messages.js';
import { isAmong, withName, withoutName } from './epoch.js';
import {
  attachment,
  attest,
  disown,
  givingBack,
  gone,
  letGo,
  type Want,
  lettingGo,
  hostedBy,
  questionToClient,
  recordsAfter,
  recordsOf,
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
  firstStanding,
  hearEarly,
  missedBy,
  numbersOf,
  linksKnown,
  withClaim,
  withoutClaim,
  type EpochsContext,
  type EpochsEvent,
  type EpochsInput,
  type In,
  othersNeeded,
  recordersNeeded,
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
  wordToDiffering,
} from './lists.js';
import type { MembershipChange } from './membership.js';
import type { Beginning, EpochMessage, Install, LocksNotice, Refuse, Told } from './messages.js';
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
  fromOf,
  greeting,
  installation,
  lockInNone,
  lockInThis,
  lockStartIn,
  nothingToReturn,
  noticeOf,
  lockOf,
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
  sayThatCrowded,
  seek,
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
const promiseIt = { target: '.following.saving', reenter: true, actions: 'notePromise' } as const;
const opposed = { guard: 'isOpposed', target: 'opposed' } as const;
const isOverruledHere = { target: '#epochs.following.waiting' } as const;
/** Rule 9. */
const foreign = { guard: 'isForeign', actions: send(lettingGo) } as const; // 11: a client hears of the list by it
/** Rule 14. */
const outvoted = { guard: 'isOutvoted', target: '#epochs.closed', actions: 'announceDiffering' } as const;
const differing = [
  outvoted,
  { guard: 'isForeign', actions: ['announceDiffering', 'noteDiffering', send(wordToDiffering), 'partWith'] },
] as const;
const reconciled = { guard: 'isReconciled', actions: ['forgetDiffering', 'hearAgain'] } as const;
/** Rule 1. */
const unreasonable = { guard: 'isBeyondReason', actions: ['announceUnreasonable', 'partWith'] } as const;
const later = { guard: 'isLater', actions: ['learn', 'hearAgain'] } as const;
/** Of members in whose view the epoch has begun already. */
const keptUntilBegun = { guard: 'isForThis', actions: 'keepEarly' } as const;
const early = { find: keptUntilBegun, confirm: keptUntilBegun, recall: keptUntilBegun, disowned: keptUntilBegun } as const;
const fill = ['noteOpened', openDirectory] as const;
const ask = ['want', 'claim', lockInThis, toLock] as const;
const openIt = [...fill, ...ask] as const;
/** Rule 11: of a lock that others want here, too. */
const behind = { guard: 'isTakenByOthers', actions: ['want', toLock] } as const;
const itsTurn = { guard: 'isTaken', actions: ['want', toLock] } as const;
const notHere = { guard: 'isOfNoClient' } as const;
const full = { guard: 'isFull', actions: send(noRoom) } as const; // 8
const due = [
  { guard: 'isDueAndLeads', target: '#epochs.preparing' },
  { guard: 'isDue', actions: send(changeOfMember) },
] as const;
const asks = [
  { guard: 'isFreeHere', actions: ['want', 'claim', toLock] },
  { guard: 'isOpen', actions: ask },
  { guard: 'findsNoRoom', actions: ['want', 'claim', lockInNone, toLock, sayThatCrowded] }, // 8
  { guard: 'findsHalfTheRoom', actions: [...openIt, sayThatCrowded] }, // 8
] as const;

/**
 * The chart of the epochs of a node's locks: who proposes, promises, serves, and which locks are kept when an epoch ends.
 *
 * @public
 */
export const epochsMachine = setup({
  types: {} as { context: EpochsContext; events: EpochsEvent; input: EpochsInput; emitted: LocksNotice },
  actions: {
    ...effects<EpochMessage | Message>(),
    noteLink: assign({ links: linksKnown }),
    noteLinks: assign((args: In) => ({ links: linksKnown(args), missed: null, cutOff: [] })),
    noteLeader: assign({ leader: ({ event }: In) => (event as LeaderChange).leader }),
    found: assign({ memory: 'founding' }),
    propose: assign(({ context }: In) => proposed(context)),
    nameClique: assign({ clique: ({ context }: In) => leftOutByClique(context)!.named }),
    noteFloor: assign({ above: ({ context: { reports } }: In) => floorOf(reports) }),
    noteRefusal: assign({ above: ({ context, event }: In) => Math.max(context.above, (event as Refuse).promised) }),
    noteTold: assign({ above: ({ context, event }: In) => Math.max(context.above, (event as Told).epoch) }),
    notePromise: assign(promisedTo),
    noteReport: assign({ reports: reportsAfter }),
    forgetBallot: assign({ reports: [], early: [] }),
    noteMissed: assign({ missed: missedBy }),
    noteLeftOut: assign({ missed: ({ context }: In) => leftOutByClique(context) }),
    giveUpMissed: assign({ cutOff: ({ context: c }: In) => [...c.cutOff, ...(c.missed?.peers ?? [])], missed: null }),
    conclude: assign({ served: ({ context }: In): Beginning => beginningOf(context) }),
    noteInstall: assign({ served: ({ event }: In): Beginning => installedBy(event as Install) }),
    remember: assign({ memory: 'known', pending: [], reports: [], records: ({ context }: In) => recordsOf(context.served) }),
    settle: assign(({ context }: In) => ({
      missed: null,
      cutOff: [],
      opened: 0,
      ...settled(context),
    })),
    noteRecord: assign({ records: recordsAfter }),
    openHosted: enqueueActions(({ context, event, enqueue }) => {
      for (const { lock } of hostedBy(context.id, context.served))
        if (!isAmong(lock, context.locks)) enqueue({ type: 'open', params: lockStartIn({ context, event }, lock, null) });
    }),
    forgetOpen: assign({ open: [], opened: 0, locks: ({ context }: In) => context.claims.map(({ lock }) => lock) }),
    noteOpened: assign((args: In) => ({
      open: withName(lockOf(args), args.context.open),
      opened: args.context.opened + 1,
    })),
    claim: assign((args: In) => ({
      claims: withClaim({ lock: lockOf(args), fence: null, user: fromOf(args) ?? args.context.id }, args.context.claims),
      locks: withName(lockOf(args), args.context.locks),
    })),
    want: assign((args: In) => ({
      wants: withWant({ node: fromOf(args) ?? args.context.id, lock: lockOf(args) }, args.context.wants),
    })),
    dropWant: assign({ wants: ({ context, event }: In) => withoutWant(event as Want, context.wants) }),
    attach: assign({ clients: withClient }),
    detach: assign({ clients: withoutClient, links: linksKnown }),
    detachAll: enqueueActions(letGo),
    disown: enqueueActions(disown),
    dropClaim: assign({ claims: (args: In) => withoutClaim(lockOf(args), args.context.claims) }),
    dropLock: assign({ locks: (args: In) => withoutName(lockOf(args), args.context.locks) }),
    noteClaim: assign({ claims: ({ context, event }: In) => withClaim(claimIn(event), context.claims) }),
    /** What the leader wants, and whoever was called. */
    noteWanted: assign({
      wanted: ({ context, event }: In) => {
        const { add, remove, from = context.id } = event as MembershipChange & { from?: NodeId };
        return { add, remove, by: from };
      },
    }),
    noteBound: assign({ bound: ({ context: { reports, membership } }: In) => boundOf(reports, membership) }),
    learn: enqueueActions(learn),
    /** What was said is judged by what was learned from it. */
    hearAgain: raise(({ event }) => event),
    partWith: enqueueActions(partWith),
    noteDiffering: assign({ differing: withDiffering }),
    forgetDiffering: assign({ differing: withoutDiffering }),
    noteGivenWay: assign({ differing: withGivenWay }),
    keepEarly: assign({ early: earlyAfter }),
    hearEarly: enqueueActions(hearEarly),
    announceEpoch: emit(({ context }: In) => noticeOf(context.served)),
    announceDiffering: emit((args: In) => ({ type: 'differs' as const, ...listsOf(args) })),
    announceOutvoted: emit((args: In) => ({ type: 'outvoted' as const, ...listsOf(args) })),
    announceApart: emit({ type: 'apart' }),
    announceUnreasonable: emit((args: In) => ({ type: 'unreasonable' as const, ...numbersOf(args) })),
  },
  guards: epochsGuards,
}).createMachine({
  id: 'epochs',
  context: ({ input: { members, memory, membership, stored, ...input } }) => ({
    ...input,
    ...(stored ?? firstStanding({ members, memory, membership })),
    above: 0,
    reports: [],
    clique: null,
    wanted: null,
    bound: null,
    missed: null,
    cutOff: [],
    differing: [],
    claims: [],
    clients: [],
    wants: [],
    records: recordsOf(stored?.served ?? { kept: [] }),
    locks: [],
    open: [],
    opened: 0,
    early: [],
  }),
  initial: 'starting',
  on: {
    'link.up': [
      { guard: 'isOfNoConcern', actions: ['noteLink', send(greeting)] },
      { guard: 'leads', ...prepareAgain, actions: ['noteLinks', patienceEnds, tell(passedOn), send(greeting)] },
      { actions: ['noteLinks', patienceEnds, tell(passedOn), send(change), send(greeting)] },
    ],
    'link.down': [
      { guard: 'isClientGone', actions: [tell(gone), 'detach'] }, // 11
      { guard: 'isOfNoConcern', actions: 'noteLink' },
      { guard: 'losesMajority', target: '.apart', actions: ['noteLinks', patienceEnds, tell(passedOn)] },
      { guard: 'leads', ...prepareAgain, actions: ['noteLinks', patienceEnds, tell(passedOn)] },
      { actions: ['noteLinks', patienceEnds, tell(passedOn), send(change)] },
    ],
    leader: [
      { guard: 'isElected', ...prepareAgain, actions: 'noteLeader' },
      { guard: 'isAnother', actions: ['noteLeader', send(change)] },
    ],
    hello: [...differing, reconciled, later, { guard: 'hearsAndLeads', ...prepareAgain }],
    changed: [...differing, later, { guard: 'hearsAndLeads', ...prepareAgain }],
    reconfigure: [
      { guard: 'mayWantNow', ...prepareAgain, actions: 'noteWanted' }, // 9
      { guard: 'mayWant', actions: 'noteWanted' },
    ],
    change: [
      { guard: 'mayChangeNow', ...prepareAgain, actions: 'noteWanted' }, // 9
      { guard: 'mayChange', actions: ['noteWanted', send(reconfiguration)] },
    ],
    // Soon, and not at once: where not all who are linked reach each other, it may be impossible for as long.
    seek: { guard: 'maySeek', actions: sayThatCrowded },
    bootstrap: [
      { guard: 'hasForgottenAndLeads', ...prepareAgain, actions: 'found' },
      { guard: 'hasForgotten', actions: ['found', send(change)] },
    ],
    prepare: [
      { guard: 'isOutvoted', target: '#epochs.closed', actions: [send(refuseIt), 'announceDiffering'] }, // 14
      { guard: 'isForeign', actions: [send(refuseIt), 'announceDiffering', 'noteDiffering', 'partWith'] }, // 14
      { guard: 'isFromStranger' },
      later, // 9
      { guard: 'isBeyondReason', actions: [send(refuseAsBeyondReason), 'announceUnreasonable', 'partWith'] }, // 1
      { guard: 'isOutdated', actions: send(refuseIt) }, // 9
      { guard: 'isPast', actions: send(refuseIt) }, // 2
      { guard: 'isOpposedHere', actions: [send(waiting), send(requestToGiveWay)] }, // 14
      { guard: 'leavesOutMembersNewly', actions: [send(waiting), 'noteMissed', patience] }, // 6
      { guard: 'leavesOutMembers', actions: send(waiting) },
      promiseIt, // 2, 3
    ],
    refuse: [
      ...differing,
      later,
      unreasonable,
      { guard: 'outbids', ...prepareAgain, actions: 'noteRefusal' },
      { guard: 'isOverruled', actions: ['noteRefusal', send(change)] },
    ],
    told: [
      ...differing,
      reconciled,
      later,
      unreasonable,
      { guard: 'leavesLeaderOut', ...prepareAgain, actions: 'noteTold' }, // 7: nobody will call it again
      { guard: 'leavesUsOut', target: '.apart', actions: 'noteTold' }, // 7
    ],
    install: later, // 9: of an epoch that this node has promised away meanwhile
    giveWay: [{ guard: 'mayGiveWay', target: '.closed', actions: 'announceDiffering' }, ...differing], // 14
    givenWay: { guard: 'isForeign', actions: ['noteGivenWay', send(change)] }, // 14
    timer: [{ guard: 'leads', ...prepareAgain, actions: 'giveUpMissed' }, { actions: ['giveUpMissed', send(change)] }],
    request: [behind, { guard: 'isFree', actions: ['want', 'claim', lockInNone, toLock] }],
    acquire: [notHere, full, itsTurn, { actions: ['want', 'claim', lockInNone, toLock] }], // 11
    attach: [foreign, later, { actions: 'attach' }], // 11: answered by the word of the epoch that begins, or of none
    used: { actions: ['noteClaim', send(wordTo('acquired'))] },
    left: { actions: 'dropWant' },
    forfeited: { actions: send(wordTo('forfeited')) },
    stored: { actions: 'learn' }, // 9: of an epoch that this node was about to begin, and has left meanwhile
    freed: { actions: ['dropClaim', 'dropLock', ownLock] },
    lost: { actions: ['dropClaim', 'dropLock', ownLock] },
  },
  states: {
    starting: {
      always: [{ guard: 'startsInEpoch', target: 'serving' }, { guard: 'leads', target: 'preparing' }, { target: 'apart' }],
    },
    apart: {
      entry: ['forgetBallot', toLocks(() => ({ type: 'apart' })), 'detachAll', 'announceApart'],
      always: { guard: 'isOnlyVoter', target: 'preparing' }, // 9: told so by those who do not vote
      on: { attach: [foreign, later, { actions: send(lettingGo) }] }, // 11
    },
    preparing: {
      entry: 'propose',
      initial: 'saving',
      states: {
        // Nobody has heard of the proposal: what comes meanwhile is no reason for another one.
        saving: {
          entry: standing,
          on: {
            stored: { target: 'collecting', actions: ['learn', send(preparation)] },
            hello: [...differing, { guard: 'isReconciled', actions: 'forgetDiffering' }, {}],
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
            asking: { always: opposed, on: { changed: { guard: 'isAwaited' } } }, // 2
            delayed: { always: opposed },
            opposed: { entry: send(requestToGiveWay) }, // 14
          },
          on: {
            promise: [later, { guard: 'isAnswer', actions: 'noteReport' }],
            wait: [
              { guard: 'isOnesOwnToDrop', ...isOverruledHere, actions: send(change) },
              { guard: 'isAnswer', target: '.delayed' },
            ],
          },
        },
      },
      on: {
        refuse: [
          ...differing,
          later,
          unreasonable,
          { guard: 'outbids', target: 'preparing', reenter: true, actions: 'noteRefusal' },
          { guard: 'isOverruled', ...isOverruledHere, actions: ['noteRefusal', send(change)] },
        ],
        'link.down': {
          guard: 'losesOneNamed',
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
              { guard: 'leads', target: '#epochs.preparing', actions: ['learn', send(promise)] }, // 2: to somebody else
              { target: 'waiting', actions: ['learn', send(promise), send(changeUnlessToLeader)] }, // 2
            ],
          },
        },
        waiting: {
          always: { guard: 'isOverruledAndRemoved', target: '#epochs.apart', actions: send(wordToNamed) }, // 9: nobody will tell it of an epoch
          on: { ...early, install: [later, { guard: 'isInstalled', target: '#epochs.beginning', actions: 'noteInstall' }] }, // 7
        },
      },
      on: {
        prepare: [
          { guard: 'leavesOutNamedNewly', actions: [send(waiting), 'noteMissed', patience] }, // 6
          { guard: 'leavesOutNamed', actions: send(waiting) },
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
        request: [behind, ...asks, { guard: 'isFree', actions: openIt }],
        acquire: [notHere, full, itsTurn, ...asks, { actions: openIt }], // 11
        attach: [
          foreign,
          later,
          { guard: 'isStrandedAtLeader', target: '#epochs.preparing', actions: ['attach', tell(attest)] }, // 11
          { guard: 'isStranded', actions: ['attach', tell(attest), send(changeOfMember)] }, // 11
          { actions: ['attach', tell(attest), 'disown', send(attachment)] }, // 11
        ],
        early: { actions: 'hearEarly' },
        confirming: { actions: ['noteRecord', send(askForConfirmation)] }, // 10, 11
        confirm: { guard: 'isQuestion', actions: ['noteRecord', send(confirmation), send(questionToClient)] }, // 10, 11
        disowned: { guard: 'isDisownedHere', actions: tell(givingBack) }, // 11
        recall: [
          { guard: 'isReadHere', actions: toLock }, // 12
          { guard: 'isQuestion', actions: send(nothingToReturn) }, // 12
        ],
        freed: { actions: 'dropClaim' },
        find: [
          { guard: 'isFindForOpen', actions: toDirectory },
          { guard: 'isFindWithoutRoom', actions: sayThatCrowded },
          { guard: 'isFindInHalfTheRoom', actions: [...fill, toDirectory, sayThatCrowded] },
          { guard: 'isFind', actions: [...fill, toDirectory] },
        ],
      },
    },
    closed: { entry: [send(givingWay), 'announceOutvoted'], on: { '*': {} } }, // 14: its application ends it
  },
});
