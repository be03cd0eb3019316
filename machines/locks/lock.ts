/**
 * The life of one lock at one node, for as long as the lock is wanted here: it outlives the epochs.
 *
 * Ours; see epochs.ts for what surrounds it. In an epoch the lock is asked for in the directory that the epoch has for it. When the epoch
 * ends here, the place in its queue is worth nothing, and the next epoch is asked anew; a user goes on, unless the next epoch does not
 * keep it, or there is none for this node. Where grants are confirmed (rule 10) the token alone is no grant: others of a majority of the
 * voters have to say that they serve this very epoch, asked after the token came.
 *
 * States.
 *   free              not wanted; the role stays until the epoch ends, for who wants a lock once may want it again
 *   waiting.apart     asked for, in no epoch
 *   waiting.queued    asked for in the directory of the epoch
 *   waiting.confirming  its token is here, and others are asked whether a later epoch can have begun; passed at once where nobody is asked
 *   using.served      granted; its token is here
 *   using.suspended   granted; its epoch has ended here, and the next will keep it or not
 * Invariants: whenever it is not free, the epochs beside it have a claim with its fence; `fence` is set exactly in waiting.confirming and using, `epoch` exactly in waiting.queued,
 * waiting.confirming and using.served; `confirmed` is not empty only in waiting.confirming.
 */
import { assign, emit, setup } from 'xstate';
import { effects, open, tell, type NodeId } from '../effects.js';
import { byName, directoryOf, isBeyond, isHalfSpent, isKeptBy } from './epoch.js';
import { directoryRole, EPOCHS, type Beginning, type Confirmed, type EpochTurn, type LocksNotice } from './messages.js';

export interface LockChartInput {
  readonly id: NodeId;
  readonly lock: string;
  /** The epoch in which there is a directory for the lock here, `null` for none. */
  readonly epoch: number | null;
  /** The numbers that an epoch has for grants. */
  readonly grants: number;
  /** How many other voters have to confirm a grant in this epoch: 0 where grants are plain. */
  readonly others: number;
}

export interface LockContext extends LockChartInput {
  readonly fence: number | null;
  /** Who has confirmed the grant that is under way. */
  readonly confirmed: readonly NodeId[];
}

export type LockChartEvent =
  | { readonly type: 'request' | 'release' }
  | { readonly type: 'granted'; readonly fence: number }
  | (Confirmed & { readonly from: NodeId })
  | EpochTurn;

type In<E = LockChartEvent> = { context: LockContext; event: E };

const beginningOf = (event: LockChartEvent): Beginning => event as Beginning & { type: 'begun' };
const directory = ({ context: { id, lock, grants }, event }: In) => directoryOf(lock, id, beginningOf(event), grants);
const toDirectory =
  (type: 'request' | 'release') =>
  ({ context: { epoch, lock } }: In) => ({ role: directoryRole(epoch!, lock), message: { type } });

const used = tell(({ context: { lock, fence } }: In) => ({ role: EPOCHS, message: { type: 'used', lock, fence } }));
const freed = tell(({ context: { lock } }: In) => ({ role: EPOCHS, message: { type: 'freed', lock } }));
const lost = tell(({ context: { lock } }: In) => ({ role: EPOCHS, message: { type: 'lost', lock } }));
const spent = tell(() => ({ role: EPOCHS, message: { type: 'spent' } }));

/** For the epochs to ask the others. */
const confirming = tell(({ context: { lock, fence, others } }: In) => ({
  role: others === 0 ? [] : EPOCHS,
  message: { type: 'confirming', lock, fence },
}));

const use = [used, 'announceGrant'] as const;
const end = ['announceRelease', freed, 'forgetFence'] as const;
const lose = ['announceLoss', lost, 'forgetFence'] as const;
const join = ['noteEpoch', open(directory), tell(toDirectory('request'))] as const;

/**
 * The chart of one lock at one node: wanted or not, in which epoch it is asked for, and with which fence it is held.
 *
 * @public
 */
export const lockMachine = setup({
  types: { context: {} as LockContext, events: {} as LockChartEvent, input: {} as LockChartInput, emitted: {} as LocksNotice },
  actions: {
    ...effects(),
    noteEpoch: assign({
      epoch: ({ event }) => beginningOf(event).epoch,
      others: ({ event }) => (event as EpochTurn & { type: 'begun' }).others,
    }),
    forgetEpoch: assign({ epoch: null }),
    noteFence: assign({ fence: ({ event }) => (event as { fence: number }).fence }),
    forgetFence: assign({ fence: null }),
    noteConfirmed: assign({
      confirmed: ({ context: { confirmed }, event }) => {
        const { from } = event as { from: NodeId };
        return confirmed.includes(from) ? confirmed : [...confirmed, from].sort(byName);
      },
    }),
    forgetConfirmed: assign({ confirmed: [] }),
    announceGrant: emit(({ context: { lock, fence } }) => ({ type: 'lock.granted' as const, lock, fence: fence! })),
    announceRelease: emit(({ context: { lock } }) => ({ type: 'lock.released' as const, lock })),
    announceLoss: emit(({ context: { lock, fence } }) => ({ type: 'lock.lost' as const, lock, fence: fence! })),
  },
  guards: {
    isInEpoch: ({ context }) => context.epoch !== null,
    isBeyondNumbers: ({ context: { epoch, grants }, event }) => isBeyond((event as { fence: number }).fence, epoch!, grants),
    isHalfSpent: ({ context: { epoch, grants }, event }) => isHalfSpent((event as { fence: number }).fence, epoch!, grants),
    isConfirmed: ({ context: { confirmed, others } }) => confirmed.length >= others,
    isOfThisGrant: ({ context: { epoch, fence }, event }) => {
      const word = event as Confirmed;
      return word.epoch === epoch && word.fence === fence;
    },
    isKept: ({ context: { id, lock, fence }, event }) => isKeptBy(beginningOf(event), id, { lock, fence: fence! }),
  },
}).createMachine({
  id: 'lock',
  context: ({ input }) => ({ ...input, fence: null, confirmed: [] }),
  initial: 'free',
  states: {
    free: {
      on: {
        request: [
          { guard: 'isInEpoch', target: 'waiting.queued', actions: tell(toDirectory('request')) },
          { target: 'waiting.apart' },
        ],
      },
    },
    waiting: {
      initial: 'apart',
      states: {
        apart: { on: { begun: { target: 'queued', actions: join } } },
        queued: {
          on: {
            granted: [
              // Nobody else can have the token in this epoch either.
              { guard: 'isBeyondNumbers', actions: spent }, // 8
              { guard: 'isHalfSpent', target: 'confirming', actions: ['noteFence', spent] }, // 8
              { target: 'confirming', actions: 'noteFence' },
            ],
            over: { target: 'apart', actions: 'forgetEpoch' },
          },
        },
        confirming: {
          entry: confirming,
          always: { guard: 'isConfirmed', target: '#using.served', actions: use }, // 10
          exit: 'forgetConfirmed',
          on: {
            confirmed: { guard: 'isOfThisGrant', actions: 'noteConfirmed' },
            over: { target: 'apart', actions: ['forgetEpoch', 'forgetFence'] },
          },
        },
      },
    },
    using: {
      id: 'using',
      initial: 'served',
      states: {
        served: {
          on: {
            release: { target: '#lock.free', actions: [tell(toDirectory('release')), ...end] },
            over: { target: 'suspended', actions: 'forgetEpoch' },
          },
        },
        suspended: {
          on: {
            release: { target: '#lock.free', actions: end },
            begun: [
              { guard: 'isKept', target: 'served', actions: join },
              { target: '#lock.free', actions: lose },
            ],
            apart: { target: '#lock.free', actions: lose },
          },
        },
      },
    },
  },
});
