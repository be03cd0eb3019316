/**
 * Mutual exclusion by a token that is requested by broadcast: no message or N per entry.
 *
 * Paper: Suzuki, Kasami, "A Distributed Mutual Exclusion Algorithm" (ACM TOCS 3(4), 1985). Assumes reliable channels in any order, every
 * node in reach of every other, and nodes that do not fail. States. absent: without the token. requesting: has requested it from all nodes.
 * inside: in the critical section, with the token. leaving: adds the waiting nodes to the token's queue, within the step. holding: has the
 * token, and no node requests it. Invariants: `token` is set exactly in inside, leaving and holding; one token is held or in flight.
 */
import { assign, emit, setup } from 'xstate';
import { effects, send, withEvent, type NodeId } from '../../index.js';

type Counts = Readonly<Record<NodeId, number>>;
export interface QueueToken {
  readonly type: 'token';
  /** LN: number of each node's last served request. */
  readonly served: Counts;
  readonly queue: readonly NodeId[];
}
interface Request {
  readonly type: 'request';
  readonly number: number;
}
export interface SuzukiKasamiInput {
  readonly id: NodeId;
  readonly others: readonly NodeId[];
  /** RN: the largest request number received from each node. */
  readonly requested: Counts;
  readonly token: QueueToken | null;
}
type Event = (QueueToken & { from: NodeId }) | (Request & { from: NodeId }) | { type: 'enter' } | { type: 'leave' };
type In<E = unknown> = { context: SuzukiKasamiInput; event: E };

const ownRequest = ({ context: { id, others, requested } }: In) => ({
  to: others,
  message: { type: 'request' as const, number: requested[id]! },
});
const tokenToAsker = ({ context, event }: In<{ from: NodeId }>) => ({ to: event.from, message: context.token! });
const tokenToFirst = ({ context: { token } }: In) => ({
  to: token!.queue[0]!,
  message: { ...token!, queue: token!.queue.slice(1) },
});

/** RN[me] is served, and all nodes with an unserved request are in the queue. */
function queued({ id, others, requested, token }: SuzukiKasamiInput): QueueToken {
  const served = { ...token!.served, [id]: requested[id]! };
  const waiting = others.filter((node) => requested[node] === served[node]! + 1 && !token!.queue.includes(node));
  return { type: 'token', served, queue: [...token!.queue, ...waiting] };
}

export const suzukiKasamiMachine = setup({
  types: {} as { context: SuzukiKasamiInput; events: Event; input: SuzukiKasamiInput; emitted: { type: 'entered' } },
  actions: {
    ...effects<QueueToken | Request>(),
    countOwn: assign(({ context: { id, requested } }) => ({ requested: { ...requested, [id]: requested[id]! + 1 } })),
    note: assign(({ context: { requested } }, { from, number }: Request & { from: NodeId }) => ({
      requested: { ...requested, [from]: Math.max(requested[from]!, number) },
    })),
    take: assign((_, { served, queue }: QueueToken) => ({ token: { type: 'token' as const, served, queue } })),
    giveUp: assign({ token: null }),
    fillQueue: assign(({ context }) => ({ token: queued(context) })),
    announce: emit({ type: 'entered' }),
  },
  guards: {
    isNext: ({ context }, { from, number }: Request & { from: NodeId }) => number === context.token!.served[from]! + 1,
    hasToken: ({ context }) => context.token !== null,
    hasWaiters: ({ context }) => context.token!.queue.length > 0,
  },
}).createMachine({
  id: 'suzuki-kasami',
  context: ({ input }) => input,
  initial: 'beginning',
  on: { request: { actions: withEvent('note') } },
  states: {
    beginning: { always: [{ guard: 'hasToken', target: 'holding' }, { target: 'absent' }] },
    absent: { on: { enter: { target: 'requesting', actions: ['countOwn', send(ownRequest)] } } },
    requesting: { on: { token: { target: 'inside', actions: [withEvent('take'), 'announce'] } } },
    inside: { on: { leave: { target: 'leaving', actions: 'fillQueue' } } },
    leaving: {
      always: [{ guard: 'hasWaiters', target: 'absent', actions: [send(tokenToFirst), 'giveUp'] }, { target: 'holding' }],
    },
    holding: {
      on: {
        enter: { target: 'inside', actions: ['countOwn', 'announce'] },
        request: [
          { guard: withEvent('isNext'), target: 'absent', actions: [withEvent('note'), send(tokenToAsker), 'giveUp'] },
          { actions: withEvent('note') },
        ],
      },
    },
  },
});
