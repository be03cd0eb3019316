/**
 * The life of one lock at a client while it is wanted there, across attachments (rule 11).
 *
 * client.ts contains its context. The voter to which the client is attached requests the lock in its name. The client repeats the request
 * in each attachment: the voter recognizes duplicates, and reports at the start which locks the client keeps.
 *
 * States.
 *   free            not wanted
 *   waiting.apart   wanted, without a voter; may be canceled
 *   waiting.asked   requested from the voter to which the client is attached
 *   using.attached  granted; the voter knows
 *   using.detached  granted; the client looks for a voter that keeps it
 *   returning       released by the application while no voter could be notified
 * Invariants: `fence` is set exactly in using and returning, `host` exactly in waiting.asked and using.attached.
 */
import { assign, emit, setup } from 'xstate';
import { chartTypes, effects, type NodeId, send, tell, withEvent } from '../effects.js';
import {
  EPOCHS,
  type Acquire,
  type AttachmentTurn,
  type Full,
  type GiveBack,
  type Held,
  type LocksNotification,
} from './messages.js';

export interface ClientLockInput {
  readonly lock: string;
}

export interface ClientLockContext extends ClientLockInput {
  /** The voter to which the client is attached. */
  readonly host: NodeId | null;
  readonly fence: number | null;
}

export type ClientLockEvent =
  | { readonly type: 'request' | 'release' | 'cancel' }
  | ({ readonly type: 'acquired' | 'forfeited' } & Held)
  | Pick<Full, 'type' | 'others'>
  | AttachmentTurn;

type In = { context: ClientLockContext };
type AttachedTurn = AttachmentTurn & { type: 'attached' };

const toClient = (type: 'used' | 'freed') =>
  tell(({ context: { lock, fence } }: In) => {
    const message = { type, lock, fence };
    return { role: EPOCHS, message };
  });
const acquire = ({ context: { host, lock } }: In) => ({ to: host!, message: { type: 'acquire' as const, lock } });
const giveBack = ({ context: { host, lock, fence } }: In) => ({
  to: host!,
  message: { type: 'giveBack' as const, lock, fence: fence! },
});

const end = [toClient('freed'), 'forgetFence'] as const;
const lose = { target: '#lock.free', actions: ['announceLoss', 'forgetHost', ...end] } as const;

/**
 * One lock at one client: whether it is wanted, the voter from which it is requested, and the fence with which it is held.
 *
 * @public
 */
export const clientLockMachine = setup({
  types: chartTypes<{
    context: ClientLockContext;
    events: ClientLockEvent;
    input: ClientLockInput;
    emitted: LocksNotification;
  }>(),
  actions: {
    ...effects<Acquire | GiveBack>(),
    noteHost: assign({ host: (_, { host }: AttachedTurn) => host }),
    forgetHost: assign({ host: null }),
    noteFence: assign({ fence: (_, { fence }: Held) => fence }),
    forgetFence: assign({ fence: null }),
    announceGrant: emit(({ context: { lock, fence } }) => ({ type: 'lock.granted' as const, lock, fence: fence! })),
    announceRelease: emit(({ context: { lock } }) => ({ type: 'lock.released' as const, lock })),
    announceCanceling: emit(({ context: { lock } }) => ({ type: 'lock.canceled' as const, lock })),
    announceRefusal: emit(({ context: { lock, host } }, { others }: Pick<Full, 'others'>) => {
      return { type: 'lock.refused' as const, lock, peer: host!, others };
    }),
    announceLoss: emit(({ context: { lock, fence } }) => ({ type: 'lock.lost' as const, lock, fence: fence! })),
  },
  guards: {
    isKept: ({ context: { lock, fence } }, { kept }: AttachedTurn) =>
      kept.some((held) => held.lock === lock && held.fence === fence),
    isThisHold: ({ context }, { fence }: Held) => fence === context.fence,
  },
}).createMachine({
  id: 'lock',
  context: ({ input: { lock } }) => ({ lock, host: null, fence: null }),
  initial: 'free',
  states: {
    free: { on: { request: { target: 'waiting' } } },
    waiting: {
      initial: 'apart',
      states: {
        apart: {
          on: {
            attached: { target: 'asked', actions: withEvent('noteHost') },
            cancel: { target: '#lock.free', actions: ['announceCanceling', ...end] },
          },
        },
        asked: {
          entry: send(acquire),
          on: {
            acquired: { target: '#using', actions: [withEvent('noteFence'), toClient('used'), 'announceGrant'] },
            full: { target: '#lock.free', actions: [withEvent('announceRefusal'), 'forgetHost', ...end] },
            detached: { target: 'apart', actions: 'forgetHost' },
          },
        },
      },
    },
    using: {
      id: 'using',
      initial: 'attached',
      states: {
        attached: {
          on: {
            release: { target: '#lock.free', actions: ['announceRelease', send(giveBack), 'forgetHost', ...end] },
            forfeited: { guard: withEvent('isThisHold'), ...lose },
            detached: { target: 'detached', actions: 'forgetHost' },
          },
        },
        detached: {
          on: {
            release: { target: '#lock.returning', actions: 'announceRelease' },
            attached: [{ guard: withEvent('isKept'), target: 'attached', actions: withEvent('noteHost') }, lose],
            apart: lose,
          },
        },
      },
    },
    // Until a voter is notified, the client still holds the lock and does not request it again.
    returning: {
      on: {
        attached: [
          { guard: withEvent('isKept'), target: 'free', actions: [withEvent('noteHost'), send(giveBack), 'forgetHost', ...end] },
          { target: 'free', actions: end },
        ],
        apart: { target: 'free', actions: end },
      },
    },
  },
});
