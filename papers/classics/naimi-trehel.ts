/**
 * Mutual exclusion by a token and pointers that turn to the last requester: O(log N) messages per entry on average.
 *
 * Paper: Naimi, Trehel, Arnold, "A log(N) Distributed Mutual Exclusion Algorithm Based on Path Reversal" (JPDC 34(1), 1996). Assumes
 * reliable channels in any order, every node in reach of every other, and nodes that do not fail. States. outside.absent: without the
 * token, `last` is the probable owner. outside.holding: with it, without requests. requesting.last, inside.last: the end of the queue.
 * requesting.followed, inside.followed: `next` gets the token. Invariant: `last` is null, which means the node itself, exactly in
 * outside.holding, requesting.last and inside.last.
 */
import { assign, emit, setup } from 'xstate';
import { effects, send, withEvent, type NodeId, defineProtocol, shapes, type Property } from '../../index.js';
import { costPer, inFlight, isIn, leaves, mutualExclusion, nodesIn, classicRole } from './common.js';

export interface NaimiTrehelContext {
  readonly id: NodeId;
  /** The probable owner, which receives requests; null at the end of the queue. */
  readonly last: NodeId | null;
  readonly next: NodeId | null;
}
type Request = { readonly type: 'request'; readonly requester: NodeId };
type Token = { readonly type: 'token' };
type Event = (Request & { from: NodeId }) | (Token & { from: NodeId }) | { type: 'enter' } | { type: 'leave' };
type In<E = unknown> = { context: NaimiTrehelContext; event: E };

const token = { type: 'token' as const };
const ownRequest = ({ context: { id, last } }: In) => ({ to: last!, message: { type: 'request' as const, requester: id } });
const forwarded = ({ context: { last }, event: { requester } }: In<Request>) => ({
  to: last!,
  message: { type: 'request' as const, requester },
});
const tokenToRequester = ({ event: { requester } }: In<Request>) => ({ to: requester, message: token });
const tokenToNext = ({ context: { next } }: In) => ({ to: next!, message: token });

const turnLast = withEvent('turnLast');
const passOn = { actions: [send(forwarded), turnLast] };

export const naimiTrehelMachine = setup({
  types: {} as {
    context: NaimiTrehelContext;
    events: Event;
    input: Omit<NaimiTrehelContext, 'next'>;
    emitted: { type: 'entered' };
  },
  actions: {
    ...effects<Request | Token>(),
    turnLast: assign((_, { requester }: Request) => ({ last: requester })),
    turnToSelf: assign({ last: null }),
    queueNext: assign((_, { requester }: Request) => ({ next: requester })),
    forgetNext: assign({ next: null }),
    announce: emit({ type: 'entered' }),
  },
  guards: { isOwner: ({ context }) => context.last === null },
}).createMachine({
  id: 'naimi-trehel',
  context: ({ input }) => ({ ...input, next: null }),
  initial: 'outside',
  states: {
    outside: {
      initial: 'beginning',
      states: {
        beginning: { always: [{ guard: 'isOwner', target: 'holding' }, { target: 'absent' }] },
        absent: {
          on: { enter: { target: '#naimi-trehel.requesting', actions: [send(ownRequest), 'turnToSelf'] }, request: passOn },
        },
        holding: {
          on: {
            enter: { target: '#naimi-trehel.inside', actions: 'announce' },
            request: { target: 'absent', actions: [send(tokenToRequester), turnLast] },
          },
        },
      },
    },
    requesting: {
      initial: 'last',
      states: {
        last: {
          on: {
            request: { target: 'followed', actions: [withEvent('queueNext'), turnLast] },
            token: { target: '#naimi-trehel.inside.last', actions: 'announce' },
          },
        },
        followed: { on: { request: passOn, token: { target: '#naimi-trehel.inside.followed', actions: 'announce' } } },
      },
    },
    inside: {
      initial: 'last',
      states: {
        last: {
          on: {
            request: { target: 'followed', actions: [withEvent('queueNext'), turnLast] },
            leave: '#naimi-trehel.outside.holding',
          },
        },
        followed: {
          on: { request: passOn, leave: { target: '#naimi-trehel.outside.absent', actions: [send(tokenToNext), 'forgetNext'] } },
        },
      },
    },
  },
});

/** The description of Naimi and Trehel's mutual exclusion. The first node begins with the token, and all nodes know it. */
const oneToken: Property = {
  name: 'one token',
  description: 'One token is held or in flight.',
  kind: 'always',
  holds: (c) => nodesIn(c, 'inside').length + nodesIn(c, 'outside.holding').length + inFlight(c, 'token') === 1,
};

export const naimiTrehel = defineProtocol(
  {
    name: 'naimi-trehel',
    charts: { 'naimi-trehel': naimiTrehelMachine },
    network: { reach: 'routed' },
    input: (id, { topology: { nodes } }) => ({ id, last: id === nodes[0] ? null : nodes[0]! }),
    messages: { request: { requester: shapes.isNode }, token: {} },
    commands: { enter: { waits: true, completedBy: ['entered'] }, leave: { waits: true } },
    reactions: leaves,
  },
  { properties: () => [...mutualExclusion, oneToken] },
  {
    paper: 'Naimi, Trehel, Arnold: A log(N) Distributed Mutual Exclusion Algorithm Based on Path Reversal (JPDC 34(1), 1996)',
    observe: costPer('entered', ({ topology }) => topology.nodes.length),
    overlay: (_, id, __, c) => {
      const { last } = classicRole<NaimiTrehelContext>(c, id).context;
      return {
        badge: isIn(c, id, 'inside') ? 'inside' : isIn(c, id, 'requesting') ? 'asks' : '',
        ...(last !== null && { pointers: [{ to: last }] }),
      };
    },
  },
);
