/**
 * A replica: the copy of one actor at one member.
 *
 * Ours, after Attiya, Bar-Noy and Dolev (Sharing Memory Robustly), with the fence of the actor's lock as the timestamp.
 *
 * Rules.
 *  1. A replica promises every fence that it reads or writes for, and refuses a smaller one. So after a majority has answered an
 *     activation, no earlier activation commits anything.
 *  2. Promise and copy are stored before the reply is sent. Replies of several requests share one write to the storage.
 *  3. A version that is not later than the copy changes nothing, and is confirmed: a later version contains it.
 *  4. A replica that has started again without storage, or with an emptied one, has forgotten its copy. It promises the first fence of the
 *     epoch in which it came back, and states that fence as `since`: its missing copy proves nothing about earlier fences. Once it knows
 *     that all members came in the same epoch, it states their fence as `genesis`: before it, there was nothing to forget.
 *
 * States.
 *   ready     takes requests; `replies` is empty except while the storage writes
 *   replying  the storage has written: replies are sent, and it is ready again
 * Invariants: `promised` never decreases; `copy.fence <= promised`.
 */
import { assign, setup } from 'xstate';
import { chartTypes, effects, type NodeId, type Received, send, store, type StoredEvent, tell, withEvent } from '../effects.js';
import { HOST, type ActorCopy, type ClusterMessage, type ReceivedOf } from './messages.js';
import { fieldsOf } from '../checks.js';

/** The key under which a replica stores its state. */
export const KEPT = 'kept';

export interface ReplicaState {
  readonly promised: number;
  readonly copy: ActorCopy | null;
  /** 0 for a replica that has forgotten nothing, and keeps all that it receives. */
  readonly since: number;
  /** The first fence of the epoch in which all members came together, once the replica knows that they did; otherwise 0. */
  readonly genesis: number;
}

export interface ReplicaInput extends ReplicaState {
  /** True if its node may host the actor. */
  readonly isMember: boolean;
}

export interface ReplicaContext extends ReplicaInput {
  /** Replies that are sent once the storage has written. */
  readonly replies: readonly { readonly to: NodeId; readonly message: ClusterMessage }[];
}

export type ReplicaEvent = ReceivedOf<'read'> | ReceivedOf<'write'> | StoredEvent | { readonly type: 'genesis' };
type In<E = unknown> = { context: ReplicaContext; event: E };

export const isLaterVersion = (one: Pick<ActorCopy, 'fence' | 'seq'>, other: Pick<ActorCopy, 'fence' | 'seq'> | null): boolean =>
  other === null || one.fence > other.fence || (one.fence === other.fence && one.seq > other.seq);

const refusal = ({ context, event: { from } }: In<Received<object>>) => ({
  to: from,
  message: { type: 'late' as const, fence: context.promised },
});
const everything = ({ context: { promised, copy } }: In) => ({ key: KEPT, value: { promised, copy } });
/**
 * The host role of this node wakes an actor whose host is gone, if it has work without an event. The writer of the copy is the host: it may
 * crash before it has announced that.
 */
const wakefulness = ({ context: { copy, isMember }, event }: In) => ({
  role: isMember ? [HOST] : [],
  message: {
    type: 'awake' as const,
    isAwake: copy !== null && copy.isAwake,
    writer: copy && isWrite(event) ? { host: event.from, fence: copy.fence } : null,
  },
});
const isWrite = (event: unknown): event is ReceivedOf<'write'> => fieldsOf(event)['type'] === 'write';

const firstReply = ({ context: { replies } }: In) => replies[0]!;

const keep = [withEvent('keep'), withEvent('oweKept'), store(everything)] as const;

/**
 * The chart of a replica: the copy of one actor at one member.
 *
 * @public
 */
export const replicaMachine = setup({
  types: chartTypes<{ context: ReplicaContext; events: ReplicaEvent; input: ReplicaInput }>(),
  actions: {
    ...effects<ClusterMessage>(),
    promise: assign({ promised: (_, { fence }: ReceivedOf<'read'>) => fence }),
    keep: assign((_, { copy }: ReceivedOf<'write'>) => ({ promised: copy.fence, copy })),
    oweCopy: assign({
      replies: ({ context: { replies, copy, since, genesis } }, { from, fence }: ReceivedOf<'read'>) => [
        ...replies,
        { to: from, message: { type: 'copy' as const, fence, copy, since, genesis } },
      ],
    }),
    oweKept: assign({
      replies: ({ context: { replies } }, { from, copy: { fence, seq } }: ReceivedOf<'write'>) => [
        ...replies,
        { to: from, message: { type: 'kept' as const, fence, seq } },
      ],
    }),
    noteGenesis: assign({ genesis: ({ context }) => Math.max(context.genesis, context.since) }),
    clear: assign({ replies: ({ context }) => context.replies.slice(1) }),
  },
  guards: {
    isLateRead: ({ context }, { fence }: ReceivedOf<'read'>) => fence < context.promised,
    isLateWrite: ({ context }, { copy }: ReceivedOf<'write'>) => copy.fence < context.promised,
    isKnown: ({ context }, { copy }: ReceivedOf<'write'>) => !isLaterVersion(copy, context.copy),
    wakes: ({ context }, { copy }: ReceivedOf<'write'>) =>
      copy.isAwake !== (context.copy?.isAwake ?? false) || (copy.isAwake && copy.fence !== context.copy?.fence),
    hasReplies: ({ context }) => context.replies.length > 0,
  },
}).createMachine({
  id: 'replica',
  context: ({ input }) => ({ ...input, replies: [] }),
  entry: tell(wakefulness),
  initial: 'ready',
  states: {
    ready: {
      on: {
        read: [
          { guard: withEvent('isLateRead'), actions: send(refusal) }, // 1
          { actions: [withEvent('promise'), withEvent('oweCopy'), store(everything)] }, // 2
        ],
        write: [
          { guard: withEvent('isLateWrite'), actions: send(refusal) }, // 1
          { guard: withEvent('isKnown'), actions: [withEvent('oweKept'), store(everything)] }, // 3
          { guard: withEvent('wakes'), actions: [...keep, tell(wakefulness)] },
          { actions: keep }, // 2
        ],
        stored: 'replying',
        genesis: { actions: 'noteGenesis' }, // 4
      },
    },
    replying: {
      always: [
        { guard: 'hasReplies', target: 'replying', reenter: true, actions: [send(firstReply), 'clear'] },
        { target: 'ready' },
      ],
    },
  },
});
