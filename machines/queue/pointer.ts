/**
 * The pointer of one node: the arrow protocol itself, and the child's part in stabilizing the edge to the parent.
 *
 * Paper: Tirthapura, Herlihy, "Self-Stabilizing Distributed Queuing", sections 2 and 5.3 (here F0, F2 to F4, O2, O5 and the pointer's half
 * of O4 of spec 2.3). Assumes a rooted tree, links that keep the order of messages; a find from a child has passed its guardian.
 *
 * States, all about the target of the pointer:
 *
 *   self      the node itself: its latest request is the end of the queue, as far as it knows
 *   up        its parent
 *   down      one of its children
 *   astray    outside of the tree: only a corrupt node, or one whose tree moved under it, is here, and at any next event
 *             it first points to itself (F0)
 *   turning   within one step: which of these it is now
 * Invariant between steps: the state is the one that `pointer`, `parent` and `children` give.
 *
 * Departures. An own request is a find from the node itself (S3). A find is forwarded once, and counted by the guardian of its outgoing
 * edge, although the paper lists both as separate rules (S2). Finds from nodes that are not neighbors in the tree are dropped (O5, part 3).
 */
import { assign, emit, raise, setup } from 'xstate';
import { chartTypes, close, effects, type NodeId, open, type Received, send, tell, withEvent } from '../effects.js';
import type { TreeChange } from '../tree/machine.js';
import { OBSERVE } from './guardian.js';
import {
  GUARDIAN,
  guardianOf,
  type Dropped,
  type QueueFind,
  type Observed,
  type ObserverMessage,
  type Queued,
  type QueueMessage,
} from './messages.js';

export interface PointerInput {
  readonly id: NodeId;
  readonly pointer: NodeId;
  readonly parent: NodeId | null;
  readonly children: readonly NodeId[];
  /** Timer period of the guardians that it opens. */
  readonly tau: number;
}

export type PointerContext = PointerInput;

export type PointerEvent = Received<QueueFind> | Received<ObserverMessage> | Observed | { type: 'request' } | TreeChange;

type In<E = unknown> = { context: PointerContext; event: E };

const findBack = ({ event: { from, origin } }: In<Received<QueueFind>>) => ({
  to: from,
  message: { type: 'find' as const, origin },
});
const findOnward = ({ context, event: { origin } }: In<Received<QueueFind>>) => ({
  to: context.pointer,
  message: { type: 'find' as const, origin },
});
const findSent = ({ context }: In) => ({ role: guardianOf(context.pointer), message: { type: 'sent' } });
const whereItPoints = ({ context, event }: In<Received<ObserverMessage>>) => ({
  to: event.from,
  message: { type: 'obsr' as const, x: context.pointer === event.from ? (1 as const) : (0 as const) },
});
const estimate = ({ context, event: { child, count } }: In<Observed>) => ({
  role: guardianOf(child),
  message: { type: 'estimate', phi: count + (context.pointer === child ? 1 : 0) },
});
/** The estimate of a pointer that counts itself and turns away: plus one, minus one. */
const reducedEstimate = ({ event: { child, count } }: In<Observed>) => ({
  role: guardianOf(child),
  message: { type: 'estimate', phi: count },
});
const newGuardian = ({ context, event: { child } }: In<ChildChange>) => ({
  role: guardianOf(child),
  chart: GUARDIAN,
  input: { child, tau: context.tau },
});
const observeNow = ({ event: { child } }: In<ChildChange>) => ({
  role: guardianOf(child),
  message: { type: 'timer', timer: OBSERVE },
});
const lostGuardian = ({ event: { child } }: In<ChildChange>) => ({ role: guardianOf(child) });

type ParentChange = Extract<TreeChange, { type: 'parent.changed' }>;
type ChildChange = Exclude<TreeChange, ParentChange>;

/** First transition for a find in every state: the queue ignores finds from outside the tree. */
const fromStranger = { guard: withEvent('isFromStranger'), actions: withEvent('announceDropped') } as const;

/**
 * Chart of the pointer of one node of the queue: the arrow protocol itself.
 *
 * @public
 */
export const pointerMachine = setup({
  types: chartTypes<{ context: PointerContext; events: PointerEvent; input: PointerInput; emitted: Queued | Dropped }>(),
  actions: {
    ...effects<QueueMessage>(),
    turnToSender: assign((_, { from }: Received<QueueFind>) => ({ pointer: from })),
    turnToSelf: assign({ pointer: ({ context }) => context.id }),
    findOfItsOwn: raise(({ context }) => ({ type: 'find' as const, origin: context.id, from: context.id })),
    takeUpAgain: raise(({ event }) => event),
    announceQueued: emit(({ context }, { origin }: QueueFind) => ({
      type: 'queued' as const,
      requester: origin,
      predecessor: context.id,
    })),
    announceDropped: emit((_, { origin }: QueueFind) => ({ type: 'dropped' as const, requester: origin })),
    adoptParent: assign((_, { parent }: ParentChange) => ({ parent })),
    gainChild: assign(({ context }, { child }: ChildChange) => ({ children: [...context.children, child] })),
    loseChild: assign(({ context }, { child }: ChildChange) => ({
      children: context.children.filter((other) => other !== child),
    })),
  },
  guards: {
    isFromStranger: ({ context: { id, parent, children } }, { from }: Received<QueueFind>) =>
      from !== id && from !== parent && !children.includes(from),
    isFromPointer: ({ context }, { from }: Received<QueueFind>) => from === context.pointer,
    isFromParent: ({ context }, { from }: Received<ObserverMessage>) => from === context.parent,
    isOneOfTooMany: ({ context }, { child, count }: Observed) => context.pointer === child && count + 1 > 1,
    pointsToSelf: ({ context }) => context.pointer === context.id,
    pointsUp: ({ context }) => context.pointer === context.parent,
    pointsDown: ({ context }) => context.children.includes(context.pointer),
  },
}).createMachine({
  id: 'pointer',
  context: ({ input }) => ({ ...input }),
  initial: 'turning',
  on: {
    request: { actions: 'findOfItsOwn' },
    obs: { guard: withEvent('isFromParent'), actions: send(whereItPoints) }, // O2, O5
    observed: { actions: tell(estimate) }, // O4
    'child.gained': { target: '.turning', actions: [open(newGuardian), tell(observeNow), withEvent('gainChild')] },
    'parent.changed': { target: '.turning', actions: withEvent('adoptParent') },
    'child.lost': { target: '.turning', actions: [close(lostGuardian), withEvent('loseChild')] },
  },
  states: {
    turning: {
      always: [
        { guard: 'pointsToSelf', target: 'self' },
        { guard: 'pointsUp', target: 'up' },
        { guard: 'pointsDown', target: 'down' },
        { target: 'astray' },
      ],
    },
    self: {
      on: {
        find: [fromStranger, { target: 'turning', actions: [withEvent('announceQueued'), withEvent('turnToSender')] }], // F3
      },
    },
    up: {
      on: {
        find: [
          fromStranger,
          { guard: withEvent('isFromPointer'), actions: send(findBack) }, // F2
          { target: 'turning', actions: [send(findOnward), withEvent('turnToSender')] }, // F4
        ],
      },
    },
    down: {
      on: {
        find: [
          fromStranger,
          { guard: withEvent('isFromPointer'), actions: [send(findBack), tell(findSent)] }, // F2
          { target: 'turning', actions: [send(findOnward), tell(findSent), withEvent('turnToSender')] }, // F4
        ],
        observed: { guard: withEvent('isOneOfTooMany'), target: 'self', actions: [tell(reducedEstimate), 'turnToSelf'] }, // O4
      },
    },
    astray: {
      on: { '*': { target: 'self', actions: ['turnToSelf', 'takeUpAgain'] } }, // F0
    },
  },
});
