/**
 * The life of one lock at one node while the lock is wanted here, across epochs.
 *
 * The design is our own; epochs.ts contains its context. In an epoch the lock is requested from the directory that the epoch has for it.
 * When the epoch ends here, the place in its queue is lost, and the lock is requested again in the next one. A holder continues, unless the
 * next epoch does not keep it or does not include this node. With confirmed grants (rule 10) the token alone does not grant the lock:
 * enough other voters for a majority have to confirm, after the token came, that they serve this very epoch.
 *
 * A voter requests locks for its clients as well as for itself (rule 11), one after the other: the others wait in line. If a client that
 * holds the lock is disconnected, or an epoch has begun since, the lock is `unattested` until the client reports that it still holds the
 * lock, or patience ends. A majority of the voters first records each grant to a client and each return: a client outlives its voter,
 * because the next epoch lets another voter use the lock for it.
 *
 * A node that requests the lock as a reader (rule 12) is in the same queue. It receives the token, adds itself to the copyset of the token,
 * and passes the token on: it keeps a share. A writer that receives the token recalls the shares of the copyset, and waits until all have
 * been returned, each after its node has finished reading. Clients do not read.
 *
 * States.
 *    free              not wanted; the role stays until the epoch ends, because the lock may be wanted again
 *    waiting.apart     requested, in no epoch; may be canceled
 *    waiting.queued    requested from the directory of the epoch
 *    waiting.recalling   its token is here, and it waits for readers; passed at once without readers, and by a reader
 *    waiting.confirming  its token is here, and other voters confirm that no later epoch can have begun; passed at once if none has to
 *    using.served      granted; its token is here
 *    using.unattested  granted to a client that has not confirmed, in this attachment or epoch, that it still holds it. Lasts over any
 *                      number of epochs until patience ends, or the transport reports that the client's process has ended
 *    using.unattested.served     its token is here
 *    using.unattested.suspended.patient  the epoch has ended here, and the next may keep the holder
 *    using.unattested.suspended.overdue  the same, and patience is over: if the next epoch keeps it, it is given back
 *    using.shared.open      this node reads, and further readers here may join; its token has gone on
 *    using.shared.recalled  the same, and a writer waits: no further readers may join
 *    using.suspended   granted; its epoch has ended here, and the next may keep the holder
 *    returning         given back by a client; other voters record that, and its token is here
 *    passing           released, and passed at once to the next in line, if there is one
 * Invariants: unless it is free, the epochs next to it have a claim with its fence; `fence` is set exactly in waiting.recalling,
 * waiting.confirming, using and returning, `epoch` exactly in waiting.queued, waiting.recalling, waiting.confirming, using.served,
 * using.shared, using.unattested.served and returning; `confirmed` is not empty only in waiting.confirming and returning, `copyset` only in
 * waiting.recalling, waiting.confirming and returning; `recalledBy` is set only in using.shared.recalled; `line` is empty in free; `user`
 * is `null` only in waiting.queued and returning.
 */
import { and, assign, emit, not, setup } from 'xstate';
import {
  arm,
  chartTypes,
  disarm,
  effects,
  type Message,
  type NodeId,
  open,
  type Received,
  send,
  tell,
  type TimerEvent,
  withEvent,
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
  /** The epoch in which the lock has a directory here; `null` for none. */
  readonly epoch: number | null;
  /** The number of fences of an epoch for each lock. */
  readonly grants: number;
  /** How many other voters have to confirm a grant in this epoch; 0 for plain grants. */
  readonly others: number;
  /** How many other voters have to record a client's grant. */
  readonly recorders: number;
  /** Ticks until a silent client is considered gone. */
  readonly patience: number;
}

export interface LockContext extends LockChartInput {
  /** The user that waits for the lock or uses it: the node, a client, or `null` after that client has gone. */
  readonly user: NodeId | null;
  /** The users that wait here behind `user`, in order of their requests. */
  readonly line: readonly NodeId[];
  /** The mode of the node's own request. Clients' requests are exclusive. */
  readonly mode: LockMode;
  readonly fence: number | null;
  /** The other nodes that may still read. */
  readonly copyset: readonly NodeId[];
  /** The writer that waits for this node's share, with the fence of its grant. */
  readonly recalledBy: { readonly node: NodeId; readonly fence: number } | null;
  /** The voters that have confirmed the pending grant. */
  readonly confirmed: readonly NodeId[];
}

type Granted = { readonly type: 'granted'; readonly fence: number; readonly copyset?: readonly NodeId[] };
type Attested = { readonly type: 'attested'; readonly node: NodeId; readonly holds: readonly Held[] };
type Begun = EpochTurn & { readonly type: 'begun' };

export type LockChartEvent =
  | { readonly type: 'request'; readonly mode?: 'shared' }
  | { readonly type: 'release' | 'cancel' }
  | ((Acquire | GiveBack) & { readonly from: NodeId })
  /** A client is disconnected. */
  | { readonly type: 'gone'; readonly node: NodeId }
  /** The client's process has ended, as its transport reports after that: patience ends at once. */
  | { readonly type: 'ended'; readonly node: NodeId }
  /** A client holds these locks, and no others. */
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
/** Releases the token with this node in the copyset: it reads from now on. */
const shareToken = toDirectory(({ copyset, id }) => ({ type: 'release', copyset: [...copyset, id].sort(byName) }));

/** The user that the event is about: a client, or the node itself. */
const nodeOf = ({ context: { id }, event }: In): NodeId => {
  if ('node' in event) return event.node;
  return 'from' in event ? event.from : id;
};
const isOwn = ({ context: { id, user } }: In): boolean => user === id;
const isToRead = ({ id, user, mode }: LockContext): boolean => user === id && mode === 'shared';
const modeOf = ({ context, event }: In): LockMode => (event.type === 'request' ? (event.mode ?? 'exclusive') : context.mode);
/** The field `mode` of a lock in use, if this node reads. */
const inMode = (c: LockContext): { mode?: 'shared' } => (isToRead(c) && c.fence !== null ? { mode: 'shared' } : {});
/** How many other voters have to confirm the pending grant or return. */
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
/** Rule 8: only after the grant, which the end of the epoch would prevent. */
const spentIfHalf = tell(({ context: { fence, epoch, grants } }: In) => ({
  role: isHalfSpent(fence!, epoch!, grants) ? EPOCHS : [],
  message: { type: 'spent' },
}));
const leaves = (node: (args: In) => NodeId | null) =>
  toEpochs((args) => ({ type: 'left', lock: args.context.lock, node: node(args) }));
const userLeaves = leaves(({ context: { user } }) => user);
const forfeited = toEpochs(({ context: { lock, user, fence } }) => ({ type: 'forfeited', lock, node: user, fence }));

/** The epochs collect confirmations, and record a client's lock even without other voters. */
const confirming = tell(({ context }: In<unknown>) => {
  const { id, lock, fence, user, others } = context;
  const message = { type: 'confirming', lock, fence, user };
  return { role: user === id && others === 0 ? [] : EPOCHS, message };
});

/** Rule 12: `recall` goes to all that may read, `returned` comes from a former reader. */
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
const isGivenBack = { target: '#lock.returning', actions: [userLeaves, 'clearUser', unused] } as const; // 11
const host = [...join, withEvent('hostClient'), claimed] as const; // 11
const nextAsks = ['nextInLine', claimed] as const;

/** The timer of patience with a client that has not confirmed that it still holds the lock. */
export const UNATTESTED = 'unattested';
const patience = arm(({ context }: In) => ({ timer: UNATTESTED, delay: context.patience }));
const patienceEnds = disarm((_: In) => ({ timer: UNATTESTED }));

const asks = [
  { guard: 'isInEpoch', target: 'waiting.queued', actions: ['noteUser', askForToken] },
  { target: 'waiting.apart', actions: 'noteUser' },
] as const;
const asksBehind = [{ guard: 'hasNoUser', actions: ['noteUser', claimed] }, { actions: 'lineUp' }] as const;
const givenBackBetween = { guard: withEvent('isOfThisHold'), target: '#lock.passing', actions: passOn } as const; // 11
/** For a lock of a client that the next epoch does not keep. */
const clientLoses = [
  { guard: withEvent('isToHost'), target: '#using.unattested', reenter: true, actions: [...forfeit, ...host] }, // 11
  { guard: 'isLineEmpty', target: '#lock.passing', actions: forfeit }, // 11
  { target: '#lock.passing', actions: [...forfeit, ...enter] }, // 11
] as const;
const clientMoves = { target: '#lock.passing', actions: [...passOn, 'dropClients'] } as const; // 11: its client finds another voter
const leavesLine = { guard: 'isInLine', actions: [leaves(nodeOf), 'leaveLine'] } as const;

/**
 * One lock at one node: whether it is wanted, the epoch in which it is requested, and the fence with which it is held.
 *
 * @public
 */
export const lockMachine = setup({
  types: chartTypes<{ context: LockContext; events: LockChartEvent; input: LockChartInput; emitted: LocksNotification }>(),
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
    /** A user that waits for the lock moves behind a client that holds it. */
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
    noteRecall: assign({ recalledBy: (_, { from, fence }: Received<Recall>) => ({ node: from, fence }) }),
    noteConfirmed: assign({
      confirmed: ({ context: { confirmed } }, { from }: Received<Confirmed>) =>
        confirmed.includes(from) ? confirmed : [...confirmed, from].sort(byName),
    }),
    forgetConfirmed: assign({ confirmed: [] }),
    noteUser: assign({ user: nodeOf, mode: modeOf }),
    lineUp: assign({ line: (args) => [...args.context.line, nodeOf(args)], mode: modeOf }),
    leaveLine: assign({ line: (args) => args.context.line.filter((node) => node !== nodeOf(args)) }),
    dropClients: assign({ line: ({ context: { id, line } }) => line.filter((node) => node === id) }),
    clearUser: assign({ user: null }),
    forItself: assign({ user: ({ context: { id } }) => id, mode: 'exclusive' }),
    nextInLine: assign(({ context: { line } }) => ({ user: line[0]!, line: line.slice(1) })),
    // The application of this node is only notified of locks that it uses itself.
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
    hasNoUser: ({ context }) => context.user === null,
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
              { guard: 'hasNoUser', target: '#lock.passing', actions: passToken }, // 11
              // The token cannot be granted to any node in this epoch.
              { guard: withEvent('isBeyondNumbers'), actions: spent }, // 8
              { target: 'recalling', actions: withEvent('noteGrant') },
            ],
            over: [
              { guard: 'hasNoUser', target: '#lock.passing', actions: 'forgetEpoch' }, // 11
              { target: 'apart', actions: 'forgetEpoch' },
            ],
            gone: [
              { guard: 'isUserWithOthers', actions: [userLeaves, ...nextAsks] }, // 11
              { guard: 'isOfUser', actions: [userLeaves, 'clearUser', claimed] }, // 11: a queued request cannot be canceled
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
            attested: { guard: 'isOfUser', ...isGivenBack }, // 11: a grant is valid only in its attachment
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
                    begun: { guard: withEvent('isKept'), target: '#lock.returning', actions: [...join, ...isGivenBack.actions] }, // 11
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
