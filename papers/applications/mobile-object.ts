/**
 * A mobile object on the queue, and a counter: the object goes from user to user in the order of the queue, straight from one to the next,
 * and counts its users. A user whose work takes no time has its own number, so the same chart is distributed counting.
 *
 * These are the first applications of the arrow protocol (section 1 of the paper). The queue repairs itself after faults; an object that
 * was lost or doubled does not return, because the queue has no token.
 *
 * States of the application's role:
 *
 *   away      the object is elsewhere, and the node has not requested it
 *   waiting   the node has requested the object; `next` follows it, if any
 *   using     the object is here and in use; `next` follows it, if any
 *   holding   the object is here, unused: the node is the end of the queue
 *   claiming  the object is here, unused, and the node has requested it: after a fault, the request of another node may be ahead
 */
import { assign, emit, setup } from 'xstate';
import { effects, send, tell, type NodeId, type Received } from '../../machines/effects.js';
import type { Configuration, Property } from '../../machines/protocol.js';
import { fixedQueueOptions, stackedOn } from '../../machines/queue/applications/core.js';
import { queueCore } from '../../machines/queue/core.js';
import { POINTER, type Queued } from '../../machines/queue/messages.js';
import type { QueueOptions } from '../../machines/queue/options.js';
import { isCount } from '../../machines/shapes.js';
import { APPLICATION } from './layer.js';
import { contextsOf, inFlight, onQueue } from './on-queue.js';

interface MovingObject {
  readonly type: 'object';
  readonly uses: number;
}

export interface UserContext {
  readonly node: NodeId;
  readonly next: NodeId | null;
  /** Number of uses of the object when it was last here. */
  readonly uses: number;
  /** Numbers that this node has received, in order. */
  readonly numbers: readonly number[];
}

type Event = { type: 'use' | 'release' } | Queued | Received<MovingObject>;
type In<E = unknown> = { context: UserContext; event: E };

const request = tell(() => ({ role: POINTER, message: { type: 'request' } }));
const toRequester = ({ context, event }: In<Queued>) => ({
  to: event.requester!,
  message: { type: 'object' as const, uses: context.uses },
});
const toNext = ({ context }: In) => ({ to: context.next!, message: { type: 'object' as const, uses: context.uses } });

export const userMachine = setup({
  types: {} as { context: UserContext; events: Event; input: Pick<UserContext, 'node'> & { readonly isRoot: boolean } },
  actions: {
    ...effects<MovingObject>(),
    receive: assign(({ context, event }) => {
      const uses = (event.type === 'object' ? event.uses : context.uses) + 1;
      return { uses, numbers: [...context.numbers, uses] };
    }),
    keep: assign({ uses: ({ event }) => (event as MovingObject).uses }),
    noteNext: assign({ next: ({ event }) => (event as Queued).requester }),
    forgetNext: assign({ next: null }),
    announceUse: emit(({ context }) => ({ type: 'used' as const, number: context.uses })),
    announceRelease: emit({ type: 'released' as const }),
  },
  guards: {
    isOfOthers: ({ context, event }) => (event as Queued).requester !== null && (event as Queued).requester !== context.node,
    isOwn: ({ context, event }) => (event as Queued).requester === context.node,
    hasNext: ({ context }) => context.next !== null,
  },
}).createMachine({
  id: 'user',
  context: ({ input: { node, isRoot } }) => ({ node, next: isRoot ? node : null, uses: 0, numbers: [] }),
  initial: 'starting',
  states: {
    // At the start the root has the object: it is marked by its own name in `next`.
    starting: { always: [{ guard: 'hasNext', target: 'holding', actions: 'forgetNext' }, { target: 'away' }] },
    away: {
      on: {
        use: { target: 'waiting', actions: request },
        // Only after a fault: the node keeps what no other node has any more.
        object: { target: 'holding', actions: 'keep' },
      },
    },
    waiting: {
      on: {
        queued: { guard: 'isOfOthers', actions: 'noteNext' },
        object: { target: 'using', actions: ['receive', 'announceUse'] },
      },
    },
    using: {
      on: {
        queued: { guard: 'isOfOthers', actions: 'noteNext' },
        release: [
          { guard: 'hasNext', target: 'away', actions: [send(toNext), 'forgetNext', 'announceRelease'] },
          { target: 'holding', actions: 'announceRelease' },
        ],
      },
    },
    holding: {
      on: {
        use: { target: 'claiming', actions: request },
        queued: { guard: 'isOfOthers', target: 'away', actions: send(toRequester) },
      },
    },
    claiming: {
      on: {
        queued: [
          { guard: 'isOfOthers', target: 'waiting', actions: send(toRequester) },
          { guard: 'isOwn', target: 'using', actions: ['receive', 'announceUse'] },
        ],
      },
    },
  },
});

const stateOf = (c: Configuration, node: NodeId): string => String(c.nodes.get(node)![APPLICATION]!.value);
const isHere = (c: Configuration, node: NodeId): boolean => ['using', 'holding', 'claiming'].includes(stateOf(c, node));

export const objectProperties: readonly Property<QueueOptions>[] = [
  {
    name: 'one object',
    kind: 'always',
    description: 'The object is at one node or on its way to one.',
    holds: (c) => [...c.nodes.keys()].filter((node) => isHere(c, node)).length + inFlight(c, 'object').length === 1,
  },
  {
    name: 'numbers have no gap',
    kind: 'always',
    description: 'The uses have the numbers from 1, each once.',
    holds: (c) => {
      const numbers = contextsOf<UserContext>(c, APPLICATION).flatMap((user) => user.numbers);
      return numbers.toSorted((a, b) => a - b).every((number, i) => number === i + 1);
    },
  },
  {
    name: 'every request is served',
    kind: 'eventually',
    description: 'A node that waits for the object uses it.',
    when: (c, node) => stateOf(c, node) === 'waiting',
    holds: (c, node) => isHere(c, node),
  },
];

const core = stackedOn(queueCore, {
  name: 'mobile-object',
  role: APPLICATION,
  machine: userMachine,
  input: (node, { options: { root } }) => ({ node, isRoot: node === root }),
  events: ['object', 'use', 'release'],
  listensTo: POINTER,
  options: fixedQueueOptions,
  messages: { object: { uses: isCount } },
  commands: { use: { waits: true, completedBy: ['released'] }, release: {} },
  reactions: () => [{ on: 'used', event: { type: 'release' }, after: 0 }],
});

/**
 * A mobile object that counts its uses. Commands: `use`, `release`; the simplest application releases the object at once.
 *
 * A corruption makes the queue arbitrary, and leaves the object where it is at the start: nothing brings back an object that a fault has
 * destroyed. There is still one object, and no number is given twice. A request that the fault has destroyed may wait forever.
 */
export const mobileObject = onQueue<QueueOptions>({
  core,
  properties: () => objectProperties,
  corruption: {
    isSurvived: false,
    node: (node, { options: { root } }) => {
      const context: UserContext = { node, next: null, uses: 0, numbers: [] };
      return { roles: { [APPLICATION]: { chart: APPLICATION, value: node === root ? 'holding' : 'away', context } }, timers: [] };
    },
    channel: () => [],
  },
  observe: () => {
    let way = 0;
    return {
      record: ({ sent }) => {
        for (const { message, cost } of sent) if (message.type === 'object') way += cost;
      },
      summary: (c) => ({
        numbers: Object.fromEntries(contextsOf<UserContext>(c, APPLICATION).map(({ node, numbers }) => [node, numbers])),
        traveled: way,
      }),
      meters: () => [],
    };
  },
});
