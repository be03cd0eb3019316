/**
 * Places in the queue: each operation of a node learns the operation before it. The chart is stacked on the pointer of the same node.
 *
 * Papers: Tirthapura, Herlihy, "Self-Stabilizing Distributed Queuing", section 1. An operation requests a place. The node of the operation
 * before it is notified by its pointer, and sends the requester the id of this operation.
 *
 * States:
 *
 *   starting  within the first step: draws the number of its run
 *   ready     places no operation; the latest one is at its place in the queue
 *   placing   the latest operation waits for the one before it
 * Invariant: the operations of a run are numbered without gaps, and `count` is the number of the latest; 0 before the first.
 *
 * Recovery. The queue repairs itself, but a request that a fault has destroyed is never answered. After `patience`, which is longer than
 * the repair and the way of any request, the operation keeps its place and has nothing before it: it begins a new part of the order. A node
 * that restarts draws another run, so an operation after a restart is never mistaken for one before it.
 */
import { assign, emit, raise, setup } from 'xstate';
import {
  arm,
  chartTypes,
  disarm,
  draw,
  type DrawnEvent,
  effects,
  type NodeId,
  type Received,
  send,
  tell,
  withEvent,
} from '../../effects.js';
import { listOf, nullOr, type FieldCheck, type ShapesOf } from '../../shapes.js';
import { POINTER, type Queued } from '../messages.js';

export const PLACES = 'places';

/** An operation: its node, the node's run, and its number in this run, as in `a#7.1`. */
export type OperationId = string;

export const operationId = (node: NodeId, run: number, number: number): OperationId => `${node}#${run}.${number}`;

/** The node of an operation. */
export const nodeOf = (id: OperationId): NodeId => id.slice(0, id.lastIndexOf('#'));

/** An operation of a node of this instance. */
export const isOperation: FieldCheck = (value, { rank }) =>
  typeof value === 'string' && /#-?\d{1,16}\.\d{1,16}$/.test(value) && rank(nodeOf(value)) >= 0;

export const isOperationOrNone: FieldCheck = nullOr(isOperation);

/** Message to the node of a request: the operation before its own. `null` if its operation is the first. */
export interface Follows {
  readonly type: 'follows';
  readonly after: OperationId | null;
}

/** Question to the nodes of operations: will they still send these? */
export interface Ask {
  readonly type: 'ask';
  readonly ids: readonly OperationId[];
}

/** Answer to `ask`: everything that the node will ever send about these operations is on its way, ahead of this message. */
export interface Gone {
  readonly type: 'gone';
  readonly ids: readonly OperationId[];
}

/** Notification: the operation has its place, behind `after`. `null`: nothing is before it, or a fault has destroyed what was. */
export interface Placed {
  readonly type: 'placed';
  readonly id: OperationId;
  readonly after: OperationId | null;
}

/** Notification: the next operation is one of the node `by`. `null` for the operation before the first one. */
export interface Followed {
  readonly type: 'followed';
  readonly id: OperationId | null;
  readonly by: NodeId;
}

export interface PlacesInput {
  readonly node: NodeId;
  /** Number of runs from which one is drawn. */
  readonly runs: number;
  /** Ticks until a request counts as destroyed. */
  readonly patience: number;
}

export interface PlacesContext extends PlacesInput {
  readonly run: number;
  readonly count: number;
}

export type PlacesEvent = { readonly type: 'place' } | Queued | Follows | Received<Ask> | DrawnEvent | { readonly type: 'timer' };
type In<E = unknown> = { context: PlacesContext; event: E };

export const PATIENCE = 'patience';

const numbered = ({ node, run }: PlacesContext, number: number) => (number > 0 ? operationId(node, run, number) : null);
export const latestOf = (context: PlacesContext): OperationId | null => numbered(context, context.count);
const beforeOf = (context: PlacesContext): OperationId | null => numbered(context, context.count - 1);

const request = tell(() => ({ role: POINTER, message: { type: 'request' } }));
const predecessor = ({ context, event }: In<Queued>) => ({
  to: event.requester!,
  message: { type: 'follows' as const, after: latestOf(context) },
});
type AskedIn = In<Received<Ask>>;
const gone = ({ context, event: { from, ids } }: AskedIn) => ({
  to: from,
  message: { type: 'gone' as const, ids: ids.filter((id) => nodeOf(id) === context.node) },
});
const goneButLatest = ({ context, event }: AskedIn) =>
  gone({ context, event: { ...event, ids: event.ids.filter((id) => id !== latestOf(context)) } });

/**
 * Chart of the operations of one node and their places in the queue.
 *
 * @public
 */
export const placesMachine = setup({
  types: chartTypes<{ context: PlacesContext; events: PlacesEvent; input: PlacesInput; emitted: Placed | Followed }>(),
  actions: {
    ...effects<Follows | Gone>(),
    noteRun: assign((_, { value }: DrawnEvent) => ({ run: value })),
    number: assign({ count: ({ context }) => context.count + 1 }),
    followOwn: raise(({ context }) => ({ type: 'follows' as const, after: beforeOf(context) })),
    announcePlaced: emit(({ context }, { after }: Follows) => ({ type: 'placed' as const, id: latestOf(context)!, after })),
    announceFirst: emit(({ context }) => ({ type: 'placed' as const, id: latestOf(context)!, after: null })),
    announceFollowed: emit(({ context }, { requester }: Queued) => ({
      type: 'followed' as const,
      id: latestOf(context),
      by: requester!,
    })),
  },
  guards: {
    isOfOthers: ({ context }, { requester }: Queued) => requester !== null && requester !== context.node,
    isOwn: ({ context }, { requester }: Queued) => requester === context.node,
  },
}).createMachine({
  id: 'places',
  context: ({ input }) => ({ ...input, run: 0, count: 0 }),
  initial: 'starting',
  on: {
    queued: [
      { guard: withEvent('isOfOthers'), actions: [send(predecessor), withEvent('announceFollowed')] },
      { guard: withEvent('isOwn'), actions: 'followOwn' },
    ],
    ask: { actions: send(gone) },
  },
  states: {
    starting: {
      entry: draw(({ context }: In) => ({ bound: context.runs })),
      on: { drawn: { target: 'ready', actions: withEvent('noteRun') } },
    },
    ready: {
      on: {
        place: {
          target: 'placing',
          actions: ['number', request, arm(({ context }: In) => ({ timer: PATIENCE, delay: context.patience }))],
        },
      },
    },
    placing: {
      exit: disarm(() => ({ timer: PATIENCE })),
      on: {
        follows: { target: 'ready', actions: withEvent('announcePlaced') },
        timer: { target: 'ready', actions: 'announceFirst' },
        // The answer omits the latest operation, which will still be sent. The other node asks again.
        ask: { actions: send(goneButLatest) },
      },
    },
  },
});

export const placesMessages = {
  follows: { after: isOperationOrNone },
  ask: { ids: listOf(isOperation) },
  gone: { ids: listOf(isOperation) },
} satisfies ShapesOf<Follows | Ask | Gone>;
