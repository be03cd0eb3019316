/**
 * The token directory as one chart: Arrow, Ivy and every other Arvy policy.
 *
 * Paper: Khanchandani, Wattenhofer, "The Arvy Distributed Directory Protocol", Algorithm 1 (Arvy) and Algorithm 2 (ring bridge). Assumes
 * point-to-point messages between any two nodes, reliable, of finite but unbounded delay and in any order; one token; nodes that do not
 * fail; at most one outstanding request a node.
 *
 * States. A node's pointer and its service state move together, so one region shows both (spec 1.7, six reachable combinations):
 *
 *   idle              no request, no token; points to another node
 *   waiting.last      its request is pending and is the end of the queue: points to itself
 *   waiting.followed  its request is pending and `next` waits behind it; points to another node
 *   holding.idle      has the token unused; points to itself
 *   holding.using.*   the application uses the token; `last` and `followed` as above
 * Invariants: `parent === id` exactly in waiting.last, holding.idle and holding.using.last; `next` set exactly in the followed states.
 *
 * Departures. T2: a request by the holder is granted immediately, which the pseudocode omits (erratum A2). A busy holder keeps the token
 * until `release` (A3). The bridge flag travels with the pointer (A8). It is stored next to the pointer as `edge`, because it is copied
 * into messages, and a third region could not be read where a find is written. `fence` counts grants if the application requests it, and is
 * `null` otherwise, so that the state space remains finite. For readers, the token carries the copyset of Li and Hudak's Ivy: the nodes
 * that may still read. Each user updates it with its `release`; without readers it is empty and absent from messages. Requests of a waiting
 * node may join its pending request, up to `together` of them: the token then satisfies all at once (section 3). A request during the use
 * of the token waits for its release, so that other nodes get the token in between.
 */
import { assign, emit, raise, setup } from 'xstate';
import { chartTypes, draw, type DrawnEvent, effects, type NodeId, type Received, send, withEvent } from '../effects.js';
import { extendVisited, newParent, type EdgeKind, type Find, type Policy, type ReceivedFind } from './policies.js';

export interface Token {
  readonly type: 'token';
  readonly fence: number | null;
  /** Nodes that may still read. @defaultValue none */
  readonly copyset?: readonly NodeId[];
}

export type DirectoryMessage = Find | Token;

export interface DirectoryInput {
  readonly id: NodeId;
  /** The node itself at the root, which holds the token at the start. */
  readonly parent: NodeId;
  readonly edge: EdgeKind;
  readonly policy: Policy;
  /** 0 to number the grants, `null` for no numbers. */
  readonly fence: number | null;
  /** Nodes that read when the directory opens. @defaultValue none */
  readonly copyset?: readonly NodeId[];
  /** Maximum number of requests of the node that one token satisfies. @defaultValue 1 */
  readonly together?: number;
}

export interface DirectoryContext extends DirectoryInput {
  /** Next holder of the token. */
  readonly next: NodeId | null;
  /** The find whose new parent is being drawn, within one step of the node. */
  readonly held: ReceivedFind | null;
  /** Nodes that may still read, if the token is here. */
  readonly copyset: readonly NodeId[];
  readonly together: number;
  /** Number of requests that wait with the pending one. */
  readonly joined: number;
}

/** The user has finished. Contains the nodes that may read from now on, if they changed. */
interface DirectoryRelease {
  readonly type: 'release';
  readonly copyset?: readonly NodeId[];
}

export type DirectoryEvent = ReceivedFind | Received<Token> | { type: 'request' } | DirectoryRelease | DrawnEvent;

export interface Granted {
  readonly type: 'granted';
  readonly fence: number | null;
  /** Nodes that may still read. @defaultValue none */
  readonly copyset?: readonly NodeId[];
  /** Number of requests that it satisfies. @defaultValue 1 */
  readonly requests?: number;
}

export type DirectoryNotification = Granted | { readonly type: 'released' };

type In<E> = { context: DirectoryContext; event: E };

const ownFind = ({ context }: In<unknown>) => ({
  to: context.parent,
  message: { type: 'find' as const, producer: context.id, visited: [context.id], edge: context.edge },
});

const forwardedFind = ({ context, event }: In<ReceivedFind>) => ({
  to: context.parent,
  message: {
    type: 'find' as const,
    producer: event.producer,
    visited: extendVisited(context.policy, event.visited, context.id),
    edge: context.edge,
  },
});

const withReaders = ({ copyset }: DirectoryContext) => (copyset.length > 0 ? { copyset } : {});
const withRequests = ({ joined }: DirectoryContext) => (joined > 0 ? { requests: joined + 1 } : {});
const token = (context: DirectoryContext): Token => ({ type: 'token', fence: context.fence, ...withReaders(context) });

const tokenToProducer = ({ context, event }: In<ReceivedFind>) => ({ to: event.producer, message: token(context) });
const tokenToNext = ({ context }: In<unknown>) => ({ to: context.next ?? [], message: token(context) });

const indexOfParent = ({ event }: In<ReceivedFind>) => ({ bound: event.visited.length });

/** Under the random policy a find first waits for its draw, and returns with the drawn index. */
const drawParent = { guard: 'parentIsToBeDrawn', actions: [withEvent('holdFind'), draw(indexOfParent)] } as const;

const forward = [send(forwardedFind), withEvent('adoptParent')] as const;
const received = ['countGrant', withEvent('noteReaders'), 'announceGrant', 'forgetJoined'] as const;
const queueBehind = [withEvent('adoptParent'), withEvent('queueNext')] as const;

/**
 * Chart of one node of the token directory (Khanchandani, Wattenhofer: Arvy), with every NewParent policy. `directory` runs it.
 *
 * @public
 */
export const directoryMachine = setup({
  types: chartTypes<{
    context: DirectoryContext;
    events: DirectoryEvent;
    input: DirectoryInput;
    emitted: DirectoryNotification;
  }>(),
  actions: {
    ...effects<DirectoryMessage>(),
    pointToSelf: assign(({ context }) => ({ parent: context.id, edge: 'tree' as const })),
    adoptParent: assign(({ context }, find: ReceivedFind) => ({ parent: newParent(context.policy, find), edge: find.edge })),
    queueNext: assign({ next: (_, find: ReceivedFind) => find.producer }),
    forgetNext: assign({ next: null }),
    holdFind: assign({ held: (_, find: ReceivedFind) => find }),
    takeUpFind: raise(({ context }, { value }: DrawnEvent) => ({ ...context.held!, index: value })),
    forgetFind: assign({ held: null }),
    countGrant: assign({ fence: ({ context, event }) => nextFence(event.type === 'token' ? event.fence : context.fence) }),
    noteReaders: assign({ copyset: (_, { copyset = [] }: Token) => copyset }),
    leaveReaders: assign({ copyset: ({ context }, { copyset = context.copyset }: DirectoryRelease) => copyset }),
    announceGrant: emit(({ context }) => ({
      type: 'granted' as const,
      fence: context.fence,
      ...withReaders(context),
      ...withRequests(context),
    })),
    joinRequest: assign({ joined: ({ context }) => context.joined + 1 }),
    forgetJoined: assign({ joined: 0 }),
    announceRelease: emit({ type: 'released' }),
  },
  guards: {
    holdsToken: ({ context }) => context.parent === context.id,
    mayJoin: ({ context }) => context.joined + 1 < context.together,
    parentIsToBeDrawn: ({ context, event }) => context.policy === 'random' && event.type === 'find' && event.index === undefined,
  },
}).createMachine({
  id: 'directory',
  context: ({ input: { id, parent, edge, policy, fence, copyset = [], together = 1 } }) => ({
    id,
    parent,
    edge,
    policy,
    fence,
    next: null,
    held: null,
    copyset,
    together,
    joined: 0,
  }),
  initial: 'starting',
  on: { drawn: { actions: [withEvent('takeUpFind'), 'forgetFind'] } },
  states: {
    starting: { always: [{ guard: 'holdsToken', target: 'holding' }, { target: 'idle' }] },
    idle: {
      on: {
        request: { target: 'waiting', actions: [send(ownFind), 'pointToSelf'] }, // T3
        find: [drawParent, { actions: forward }], // T4
      },
    },
    waiting: {
      initial: 'last',
      on: { request: { guard: 'mayJoin', actions: 'joinRequest' } },
      states: {
        last: {
          on: {
            find: [drawParent, { target: 'followed', actions: queueBehind }], // T6
            token: { target: '#using.last', actions: received }, // T7
          },
        },
        followed: {
          on: {
            find: [drawParent, { actions: forward }], // T4
            token: { target: '#using.followed', actions: received }, // T7
          },
        },
      },
    },
    holding: {
      initial: 'idle',
      states: {
        idle: {
          on: {
            request: { target: 'using', actions: ['countGrant', 'announceGrant'] }, // T2
            find: [drawParent, { target: '#directory.idle', actions: [withEvent('adoptParent'), send(tokenToProducer)] }], // T5
          },
        },
        using: {
          id: 'using',
          initial: 'last',
          states: {
            last: {
              on: {
                find: [drawParent, { target: 'followed', actions: queueBehind }], // T6
                release: { target: '#directory.holding.idle', actions: [withEvent('leaveReaders'), 'announceRelease'] }, // T8
              },
            },
            followed: {
              on: {
                find: [drawParent, { actions: forward }], // T4
                release: {
                  target: '#directory.idle',
                  actions: [withEvent('leaveReaders'), send(tokenToNext), 'forgetNext', 'announceRelease'],
                }, // T8
              },
            },
          },
        },
      },
    },
  },
});

function nextFence(fence: number | null): number | null {
  return fence === null ? null : fence + 1;
}
