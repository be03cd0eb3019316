/**
 * The life of one lock at one node, for as long as the lock is wanted here: it outlives the epochs.
 *
 * Ours; see epochs.ts for what surrounds it. In an epoch the lock is asked for in the directory that the epoch has for it. When the epoch
 * ends here, the place in its queue is worth nothing, and the next epoch is asked again; a user goes on, unless the next epoch does not
 * keep it, or there is none for this node. Where grants are confirmed (rule 10) the token alone is not a grant: others of a majority of the
 * voters have to say that they serve this very epoch, asked after the token came.
 *
 * A voter asks for its clients as well as for itself (rule 11), for one after the other: the others are in line. A client that holds the
 * lock and is not reached, or an epoch that has begun since, leaves the lock `unattested` until the client says that it holds it still, or
 * patience is over. A client's grant, and that it gave the lock back, is recorded by a majority of the voters first: a client outlives its
 * voter, as the next epoch lets another one use the lock for it.
 *
 * A node that wants the lock to read (rule 12) is in the same queue. It has the token for a moment, adds itself to the copyset that the
 * token carries, and lets it go on: what it keeps is a share. A writer that gets the token recalls the shares of the copyset, and waits until all
 * of them have been returned, each when its node has read. Clients do not read.
 *
 * States.
 *   free              not wanted; the role stays until the epoch ends, for who wants a lock once may want it again
 *   waiting.apart     asked for, in no epoch; may be canceled
 *   waiting.queued    asked for in the directory of the epoch
 *   waiting.recalling   its token is here, and those who read are waited for; passed at once where nobody does, and by who wants to read
 *   waiting.confirming  its token is here, and others are asked whether a later epoch can have begun; passed at once where nobody is asked
 *   using.served      granted; its token is here
 *   using.unattested  granted to a client that has yet to say, in this attachment or this epoch, that it is still there: for as long as patience lasts,
 *                     however many epochs begin meanwhile, unless its transport reports that its process has ended
 *   using.unattested.served     its token is here
 *   using.unattested.suspended.patient  the epoch has ended here, and the next will keep it or not
 *   using.unattested.suspended.overdue  the same, and patience is over: if the next epoch keeps it, it is given back
 *   using.shared.open      this node reads, and whoever wants to read here comes in; its token has gone on
 *   using.shared.recalled  the same, and somebody waits until nobody reads here: nobody comes in
 *   using.suspended   granted; its epoch has ended here, and the next will keep it or not
 *   returning         given back by a client; others are asked to record that, and its token is here
 *   passing           done with, and at once the next in line's, if there is one
 * Invariants: whenever it is not free, the epochs next to it have a claim with its fence; `fence` is set exactly in waiting.recalling,
 * waiting.confirming, using and returning, `epoch` exactly in waiting.queued, waiting.recalling, waiting.confirming, using.served,
 * using.shared, using.unattested.served and returning; `confirmed` is not empty only in waiting.confirming and returning, `copyset` only in
 * waiting.recalling, waiting.confirming and returning; `recalledBy` is set only in using.shared.recalled; `line` is empty in free, and `user`
 * nobody only in waiting.queued and returning.
 */
import { and, assign, emit, not, setup } from 'xstate';
import {
  arm,
  disarm,
  effects,
  open,
  send,
  tell,
  withEvent,
  type Message,
  type NodeId,
  type Received,
  type TimerEvent,
} from '../effects.js';
import { byName, directoryOf, isBeyond, isHalfSpent, isKeptBy } from './epoch.js';
import {
  directoryRole,
  EPOCHS,
  type Acquire,
  type Beginning,
  type Confirmed,
  type EpochTurn,
  type GiveBack,
  type Held,
  type Kept,
  type LockMode,
  type LocksNotification,
  type Recall,
  type Returned,
} from './messages.js';

export interface LockChartInput {
  readonly id: NodeId;
  readonly lock: string;
  /** The epoch in which there is a directory for the lock here, `null` for none. */
  readonly epoch: number | null;
  /** The numbers that an epoch has for grants. */
  readonly grants: number;
  /** How many other voters have to confirm a grant in this epoch: 0 where grants are plain. */
  readonly others: number;
  /** The same for a client's grant, which they record. */
  readonly recorders: number;
  /** Ticks until a client that says nothing is taken to be gone. */
  readonly patience: number;
}

export interface LockContext extends LockChartInput {
  /** For whom the lock is asked for or in use: the node itself, a client, or nobody, where that one has gone. */
  readonly user: NodeId | null;
  /** Who wants it here after that, in the order in which they came. */
  readonly line: readonly NodeId[];
  /** How the node wants the lock for itself; its clients want it for themselves alone. */
  readonly mode: LockMode;
  readonly fence: number | null;
  /** Who else may read still. */
  readonly copyset: readonly NodeId[];
  /** The writer that waits for this node's share, with the number of its grant. */
  readonly recalledBy: { readonly node: NodeId; readonly fence: number } | null;
  /** Who has confirmed the grant that is under way. */
  readonly confirmed: readonly NodeId[];
}

type Granted = { readonly type: 'granted'; readonly fence: number; readonly copyset?: readonly NodeId[] };
type Attested = { readonly type: 'attested'; readonly node: NodeId; readonly holds: readonly Held[] };
type Begun = EpochTurn & { readonly type: 'begun' };

export type LockChartEvent =
  | { readonly type: 'request'; readonly mode?: 'shared' }
  | { readonly type: 'release' | 'cancel' }
  | ((Acquire | GiveBack) & { readonly from: NodeId })
  /** Of a client: it is not reached any more; */
  | { readonly type: 'gone'; readonly node: NodeId }
  /** its process has ended, as its transport reports after that: no patience is needed; */
  | { readonly type: 'ended'; readonly node: NodeId }
  /** it holds these locks, and no others. */
  | Attested
  | TimerEvent
  | Granted
  | (Confirmed & { readonly from: NodeId })
  | (Recall & { readonly from: NodeId })
  | (Returned & { readonly from: NodeId })
  | EpochTurn;

type In<E = LockChartEvent> = { context: LockContext; event: E };

const directory = ({ context: { id, lock, grants }, event }: In<Begun>) => directoryOf(lock, id, event, grants);
const toDirectory = <M extends Message>(message: (c: LockContext) => M) =>
  tell(({ context }: In<unknown>) => ({ role: directoryRole(context.epoch!, context.lock), message: message(context) }));
const askForToken = toDirectory(() => ({ type: 'request' }));
const passToken = toDirectory(() => ({ type: 'release' }));
const releaseToken = toDirectory(({ copyset }) => ({ type: 'release', copyset }));
/** This node reads from now on. */
const shareToken = toDirectory(({ copyset, id }) => ({ type: 'release', copyset: [...copyset, id].sort(byName) }));

/** Who is meant: the client that speaks or is spoken of, or the node itself. */
const nodeOf = ({ context: { id }, event }: In): NodeId => {
  if ('node' in event) return event.node;
  return 'from' in event ? event.from : id;
};
const isOwn = ({ context: { id, user } }: In): boolean => user === id;
const isToRead = ({ id, user, mode }: LockContext): boolean => user === id && mode === 'shared';
const modeOf = ({ context, event }: In): LockMode => (event.type === 'request' ? (event.mode ?? 'exclusive') : context.mode);
/** As it is said of a lock that is in use here, if this node reads. */
const inMode = (c: LockContext): { mode?: 'shared' } => (isToRead(c) && c.fence !== null ? { mode: 'shared' } : {});
/** How many others have to confirm what is under way. */
const needed = (c: LockContext): number => (c.user === c.id ? c.others : c.recorders);
const keptFor = ({ lock, id }: LockContext, { kept }: Beginning): Kept | undefined =>
  kept.find((held) => held.lock === lock && held.node === id && held.client !== undefined);
const isToHost = ({ context }: In<unknown>, begun: Begun): boolean => keptFor(context, begun) !== undefined;
const isKept = ({ context: { id, lock, fence } }: In<unknown>, begun: Begun): boolean =>
  isKeptBy(begun, id, { lock, fence: fence! });
const isKeptForItself = (args: In, begun: Begun): boolean => isOwn(args) && isKept(args, begun);
const isOfUser = (args: In): boolean => nodeOf(args) === args.context.user;

const toEpochs = <M extends Message>(message: (args: In) => M) => tell((args: In) => ({ role: EPOCHS, message: message(args) }));
const claimed = toEpochs(({ context }) => {
  const { lock, fence, user } = context;
  return { type: 'used', lock, fence, user, ...inMode(context) };
});
const unused = toEpochs(({ context: { lock } }) => ({ type: 'used', lock, fence: null, user: null }));
const freed = toEpochs(({ context: { lock } }) => ({ type: 'freed', lock }));
const ended = toEpochs(({ context: { lock } }) => ({ type: 'lost', lock }));
const spent = toEpochs(() => ({ type: 'spent' }));
/** Rule 8: not before the grant, which the end of the epoch would prevent. */
const spentIfHalf = tell(({ context: { fence, epoch, grants } }: In) => ({
  role: isHalfSpent(fence!, epoch!, grants) ? EPOCHS : [],
  message: { type: 'spent' },
}));
const leaves = (node: (args: In) => NodeId | null) =>
  toEpochs((args) => ({ type: 'left', lock: args.context.lock, node: node(args) }));
const userLeaves = leaves(({ context: { user } }) => user);
const forfeited = toEpochs(({ context: { lock, user, fence } }) => ({ type: 'forfeited', lock, node: user, fence }));

/** For the epochs to ask the others, and to record of a client's lock even where there are none. */
const confirming = tell(({ context }: In<unknown>) => {
  const { id, lock, fence, user, others } = context;
  const message = { type: 'confirming', lock, fence, user };
  return { role: user === id && others === 0 ? [] : EPOCHS, message };
});

/** Rule 12: to those who may read, and from one who did. */
const recall = ({ context: { id, user, mode, epoch, lock, fence, copyset } }: In) => ({
  to: user === id && mode === 'shared' ? [] : copyset,
  message: { type: 'recall' as const, epoch: epoch!, lock, fence: fence! },
});
const returned = ({ context: { epoch, lock, recalledBy } }: In) => ({
  to: recalledBy?.node ?? [],
  message: { type: 'returned' as const, epoch: epoch!, lock, fence: recalledBy?.fence ?? 0 },
});

const passOn = [userLeaves, 'forgetFence'] as const;
const use = [claimed, spentIfHalf, 'announceGrant'] as const;
const share = [...use, shareToken, 'forgetReaders'] as const; // 12
const end = ['announceRelease', ...passOn] as const;
const forfeit = [forfeited, ...passOn] as const;
const lose = ['announceLoss', ...forfeit] as const;
const enter = [withEvent('noteEpoch'), open(directory)] as const;
const join = [...enter, askForToken] as const;
const giveBack = [releaseToken, ...end] as const;
const isGivenBack = { target: '#lock.returning', actions: [userLeaves, 'forNobody', unused] } as const; // 11
const host = [...join, withEvent('hostClient'), claimed] as const; // 11
const nextAsks = ['nextInLine', claimed] as const;

/** Patience with a client that has not said that it is there. */
export const UNATTESTED = 'unattested';
const patience = arm(({ context }: In) => ({ timer: UNATTESTED, delay: context.patience }));
const patienceEnds = disarm((_: In) => ({ timer: UNATTESTED }));

const asks = [
  { guard: 'isInEpoch', target: 'waiting.queued', actions: ['noteUser', askForToken] },
  { target: 'waiting.apart', actions: 'noteUser' },
] as const;
const asksBehind = [{ guard: 'isForNobody', actions: ['noteUser', claimed] }, { actions: 'lineUp' }] as const;
const givenBackBetween = { guard: withEvent('isOfThisHold'), target: '#lock.passing', actions: passOn } as const; // 11
/** The next epoch does not keep what a client used. */
const clientLoses = [
  { guard: withEvent('isToHost'), target: '#using.unattested', reenter: true, actions: [...forfeit, ...host] }, // 11
  { guard: 'isLineEmpty', target: '#lock.passing', actions: forfeit }, // 11
  { target: '#lock.passing', actions: [...forfeit, ...enter] }, // 11
] as const;
const clientMoves = { target: '#lock.passing', actions: [...passOn, 'dropClients'] } as const; // 11: its client finds another voter
const leavesLine = { guard: 'isInLine', actions: [leaves(nodeOf), 'leaveLine'] } as const;

/**
 * The chart of one lock at one node: wanted or not, in which epoch it is asked for, and with which fence it is held.
 *
 * @public
 */
export const lockMachine = setup({
  types: {} as { context: LockContext; events: LockChartEvent; input: LockChartInput; emitted: LocksNotification },
  actions: {
    ...effects<Recall | Returned>(),
    noteEpoch: assign({
      epoch: (_, { epoch }: Begun) => epoch,
      others: (_, { others }: Begun) => others,
      recorders: (_, { recorders }: Begun) => recorders,
    }),
    forgetEpoch: assign({ epoch: null, recorders: 0, copyset: [], recalledBy: null }),
    hostClient: assign(({ context }, begun: Begun) => {
      const { client, fence } = keptFor(context, begun)!;
      return { user: client!, fence, line: context.line.filter((node) => node !== client) };
    }),
    /** Who was to have the lock waits behind a client that has it. */
    stepBack: assign({ line: ({ context: { user, line } }) => (user === null ? line : [user, ...line]) }),
    noteGrant: assign(({ context: { id } }, { fence, copyset = [] }: Granted) => ({
      fence,
      copyset: copyset.filter((reader) => reader !== id),
    })),
    forgetFence: assign({ fence: null, copyset: [], recalledBy: null }),
    dropReader: assign({
      copyset: ({ context: { copyset } }, { from }: Received<Returned>) => copyset.filter((reader) => reader !== from),
    }),
    forgetReaders: assign({ copyset: [] }),
    noteRecall: assign({
      recalledBy: (_, { from, fence }: Received<Recall>) => ({ node: from, fence }),
    }),
    noteConfirmed: assign({
      confirmed: ({ context: { confirmed } }, { from }: Received<Confirmed>) =>
        confirmed.includes(from) ? confirmed : [...confirmed, from].sort(byName),
    }),
    forgetConfirmed: assign({ confirmed: [] }),
    noteUser: assign({ user: nodeOf, mode: modeOf }),
    lineUp: assign({ line: (args) => [...args.context.line, nodeOf(args)], mode: modeOf }),
    leaveLine: assign({ line: (args) => args.context.line.filter((node) => node !== nodeOf(args)) }),
    dropClients: assign({ line: ({ context: { id, line } }) => line.filter((node) => node === id) }),
    forNobody: assign({ user: null }),
    forItself: assign({ user: ({ context: { id } }) => id, mode: 'exclusive' }),
    nextInLine: assign(({ context: { line } }) => ({ user: line[0]!, line: line.slice(1) })),
    // The application of this node is notified of its own use, and of no client's.
    announceGrant: emit(({ context }) => {
      const { lock, fence } = context;
      return { type: 'lock.granted' as const, lock, fence: fence!, ...inMode(context) };
    }),
    announceRelease: emit(({ context: { lock } }) => ({ type: 'lock.released' as const, lock })),
    announceCanceling: emit(({ context: { lock } }) => ({ type: 'lock.canceled' as const, lock })),
    announceLoss: emit(({ context: { lock, fence } }) => ({ type: 'lock.lost' as const, lock, fence: fence! })),
  },
  guards: {
    isOwn,
    isToRead: ({ context }) => isToRead(context),
    needsNoReturn: ({ context }) => isToRead(context) || context.copyset.length === 0,
    isOfThisRecall: ({ context: { epoch, fence } }, word: Returned) => word.epoch === epoch && word.fence === fence,
    isOfUser,
    isUserWithOthers: (args) => isOfUser(args) && args.context.line.length > 0,
    isForNobody: ({ context }) => context.user === null,
    isInLine: (args) => args.context.line.includes(nodeOf(args)),
    isLineEmpty: ({ context }) => context.line.length === 0,
    isLineEmptyInEpoch: ({ context }) => context.line.length === 0 && context.epoch !== null,
    isOfThisHold: (args, { fence }: GiveBack) => isOfUser(args) && fence === args.context.fence,
    isStillHeld: (args, { holds }: Attested) => {
      const { lock, fence } = args.context;
      return isOfUser(args) && holds.some((held) => held.lock === lock && held.fence === fence);
    },
    isInEpoch: ({ context }) => context.epoch !== null,
    isBeyondNumbers: ({ context: { epoch, grants } }, { fence }: Granted) => isBeyond(fence, epoch!, grants),
    isConfirmed: ({ context }) => context.confirmed.length >= needed(context),
    isToHost,
    // XState's types do not know the parameters of guards that `and` joins.
    isOwnToHost: (args, begun: Begun) => isOwn(args) && isToHost(args, begun),
    isOfThisGrant: ({ context: { epoch, fence, user } }, word: Confirmed) =>
      word.epoch === epoch && word.fence === fence && word.user === user,
    isKept,
    isKeptForItself,
    isKeptToRead: (args, begun: Begun) => isToRead(args.context) && isKeptForItself(args, begun),
  },
}).createMachine({
  id: 'lock',
  context: ({ input }) => ({
    ...input,
    user: input.id,
    line: [],
    mode: 'exclusive',
    fence: null,
    copyset: [],
    recalledBy: null,
    confirmed: [],
  }),
  initial: 'free',
  states: {
    free: {
      on: { request: asks, acquire: asks, begun: { guard: withEvent('isToHost'), target: '#using.unattested', actions: host } },
    }, // 11
    waiting: {
      initial: 'apart',
      on: { request: asksBehind, acquire: asksBehind },
      states: {
        apart: {
          on: {
            begun: [
              { guard: withEvent('isToHost'), target: '#using.unattested', actions: ['stepBack', ...host] }, // 11
              { target: 'queued', actions: join },
            ],
            gone: [{ guard: 'isOfUser', target: '#lock.passing', actions: userLeaves }, leavesLine], // 11
            cancel: [
              { guard: 'isOwn', target: '#lock.passing', actions: [userLeaves, 'announceCanceling'] },
              { guard: 'isInLine', actions: [leaves(nodeOf), 'leaveLine', 'announceCanceling'] }, // 11
            ],
            apart: [
              { guard: 'isOwn', actions: 'dropClients' },
              { target: '#lock.passing', actions: 'dropClients' },
            ], // 11
          },
        },
        queued: {
          on: {
            granted: [
              { guard: 'isForNobody', target: '#lock.passing', actions: passToken }, // 11
              // Nobody else can have the token in this epoch either.
              { guard: withEvent('isBeyondNumbers'), actions: spent }, // 8
              { target: 'recalling', actions: withEvent('noteGrant') },
            ],
            over: [
              { guard: 'isForNobody', target: '#lock.passing', actions: 'forgetEpoch' }, // 11
              { target: 'apart', actions: 'forgetEpoch' },
            ],
            gone: [
              { guard: 'isUserWithOthers', actions: [userLeaves, ...nextAsks] }, // 11
              { guard: 'isOfUser', actions: [userLeaves, 'forNobody', claimed] }, // 11: what is asked for is not called back
              leavesLine,
            ],
          },
        },
        recalling: {
          entry: send(recall), // 12
          always: { guard: 'needsNoReturn', target: 'confirming' }, // 12
          on: {
            returned: { guard: withEvent('isOfThisRecall'), actions: withEvent('dropReader') }, // 12
            over: { target: 'apart', actions: ['forgetEpoch', 'forgetFence'] },
            gone: [{ guard: 'isOfUser', ...isGivenBack }, leavesLine], // 11
          },
        },
        confirming: {
          entry: confirming,
          always: [
            { guard: and(['isToRead', 'isConfirmed']), target: '#using.shared', actions: share }, // 12
            { guard: and(['isOwn', 'isConfirmed']), target: '#using.served', actions: use }, // 10
            { guard: 'isConfirmed', target: '#using.served', actions: [claimed, spentIfHalf] }, // 8, 11
          ],
          exit: 'forgetConfirmed',
          on: {
            confirmed: { guard: withEvent('isOfThisGrant'), actions: withEvent('noteConfirmed') },
            giveBack: { guard: withEvent('isOfThisHold'), ...isGivenBack }, // 11
            attested: { guard: 'isOfUser', ...isGivenBack }, // 11: a grant is for the attachment in which it was asked for
            over: { target: 'apart', actions: ['forgetEpoch', 'forgetFence'] },
            gone: [{ guard: 'isOfUser', ...isGivenBack }, leavesLine], // 11
          },
        },
      },
    },
    using: {
      id: 'using',
      initial: 'served',
      on: { request: { actions: 'lineUp' }, acquire: { actions: 'lineUp' }, gone: leavesLine },
      states: {
        served: {
          on: {
            release: { guard: 'isOwn', target: '#lock.passing', actions: giveBack },
            giveBack: { guard: withEvent('isOfThisHold'), ...isGivenBack }, // 11
            attested: [{ guard: withEvent('isStillHeld') }, { guard: 'isOfUser', ...isGivenBack }], // 11
            gone: [{ guard: 'isOfUser', target: 'unattested' }, leavesLine], // 11
            over: { target: 'suspended', actions: 'forgetEpoch' },
          },
        },
        shared: {
          initial: 'open',
          states: {
            open: {
              always: { guard: not('isLineEmpty'), target: 'recalled' }, // 11, 12
              on: { recall: { target: 'recalled', actions: withEvent('noteRecall') } }, // 12
            },
            recalled: { on: { recall: { actions: withEvent('noteRecall') } } }, // 12
          },
          on: {
            release: { target: '#lock.passing', actions: [send(returned), ...end] }, // 12
            over: { target: 'suspended', actions: 'forgetEpoch' },
          },
        },
        unattested: {
          id: 'unattested',
          initial: 'served',
          entry: patience,
          exit: patienceEnds,
          states: {
            served: {
              on: {
                giveBack: { guard: withEvent('isOfThisHold'), ...isGivenBack }, // 11
                attested: [
                  { guard: withEvent('isStillHeld'), target: '#using.served' }, // 11
                  { guard: 'isOfUser', ...isGivenBack }, // 11
                ],
                timer: isGivenBack, // 11
                ended: { guard: 'isOfUser', ...isGivenBack }, // 11
                over: { target: 'suspended', actions: 'forgetEpoch' },
              },
            },
            suspended: {
              initial: 'patient',
              on: { giveBack: givenBackBetween, begun: clientLoses, apart: clientMoves },
              states: {
                patient: {
                  on: {
                    timer: 'overdue', // 11
                    ended: { guard: 'isOfUser', target: 'overdue' }, // 11
                    begun: { guard: withEvent('isKept'), target: '#unattested.served', actions: join }, // 11
                  },
                },
                overdue: {
                  on: {
                    begun: {
                      guard: withEvent('isKept'),
                      target: '#lock.returning',
                      actions: [...join, ...isGivenBack.actions],
                    }, // 11
                  },
                },
              },
            },
          },
        },
        suspended: {
          on: {
            release: { guard: 'isOwn', target: '#lock.passing', actions: end },
            giveBack: givenBackBetween,
            begun: [
              { guard: withEvent('isKeptToRead'), target: 'shared', actions: enter }, // 12
              { guard: withEvent('isKeptForItself'), target: 'served', actions: join },
              { guard: withEvent('isKept'), target: 'unattested', actions: join }, // 11
              { guard: withEvent('isOwnToHost'), target: 'unattested', actions: [...lose, ...host] }, // 11
              { guard: and(['isOwn', 'isLineEmpty']), target: '#lock.passing', actions: lose },
              { guard: 'isOwn', target: '#lock.passing', actions: [...lose, ...enter] }, // 11
              ...clientLoses,
            ],
            apart: [{ guard: 'isOwn', target: '#lock.passing', actions: [...lose, 'dropClients'] }, clientMoves],
          },
        },
      },
    },
    returning: {
      entry: confirming,
      always: { guard: 'isConfirmed', target: 'passing', actions: [releaseToken, 'forgetFence'] }, // 11
      exit: 'forgetConfirmed',
      on: {
        confirmed: { guard: withEvent('isOfThisGrant'), actions: withEvent('noteConfirmed') },
        request: { actions: 'lineUp' },
        acquire: { actions: 'lineUp' },
        gone: leavesLine,
        over: { target: 'passing', actions: ['forgetEpoch', 'forgetFence'] },
      },
    },
    passing: {
      always: [
        { guard: 'isLineEmptyInEpoch', target: 'free', actions: ['forItself', freed] },
        { guard: 'isLineEmpty', target: 'free', actions: ['forItself', ended] },
        { guard: 'isInEpoch', target: 'waiting.queued', actions: [...nextAsks, askForToken] }, // 11
        { target: 'waiting.apart', actions: nextAsks }, // 11
      ],
    },
  },
});
