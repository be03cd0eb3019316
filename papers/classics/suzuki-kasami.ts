/**
 * Mutual exclusion by a token that is requested by broadcast: no message or N per entry.
 *
 * Paper: Suzuki, Kasami, "A Distributed Mutual Exclusion Algorithm" (ACM TOCS 3(4), 1985). Assumes reliable channels in any order, every
 * node in reach of every other, and nodes that do not fail. States. absent: without the token. requesting: has requested it from all nodes.
 * inside: in the critical section, with the token. leaving: adds the waiting nodes to the token's queue, within the step. holding: has the
 * token, and no node requests it. Invariants: `token` is set exactly in inside, leaving and holding; one token is held or in flight.
 */
import { assign, emit, setup } from 'xstate';
import { effects, send, withEvent, type NodeId, defineProtocol, shapes, type Property } from '../../index.js';
import { costPer, inFlight, leaves, mutualExclusion, others, classicRoles } from './common.js';

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

/** The description of Suzuki and Kasami's mutual exclusion; the first node begins with the token. */
const oneToken: Property = {
  name: 'one token',
  description: 'One token is held or in flight.',
  kind: 'always',
  holds: (c) =>
    classicRoles<SuzukiKasamiInput>(c).filter(({ context }) => context.token !== null).length + inFlight(c, 'token') === 1,
};
const isCounts: shapes.FieldCheck = (value, instance) =>
  shapes.recordOf(Object.fromEntries(instance.topology.nodes.map((node) => [node, shapes.isCount])))(value, instance);

export const suzukiKasami = defineProtocol(
  {
    name: 'suzuki-kasami',
    charts: { 'suzuki-kasami': suzukiKasamiMachine },
    network: { reach: 'routed' },
    input: (id, graph): SuzukiKasamiInput => {
      const none = Object.fromEntries(graph.topology.nodes.map((node) => [node, 0]));
      const token = graph.rank(id) === 0 ? { type: 'token' as const, served: none, queue: [] } : null;
      return { id, others: others(id, graph), requested: none, token };
    },
    messages: {
      request: { number: shapes.isCount },
      token: { served: isCounts, queue: shapes.listOf(shapes.isNode) },
    },
    commands: { enter: { waits: true, completedBy: ['entered'] }, leave: { waits: true } },
    reactions: leaves,
  },
  { properties: () => [...mutualExclusion, oneToken] },
  {
    paper: 'Suzuki, Kasami: A Distributed Mutual Exclusion Algorithm (ACM TOCS 3(4), 1985)',
    observe: costPer('entered', ({ topology }) => topology.nodes.length),
  },
);
