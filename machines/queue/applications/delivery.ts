/**
 * Totally ordered multicast: all nodes deliver the same messages in the same order, although no node decides on the order. The chart is
 * stacked on the places of the same node.
 *
 * Papers: Tirthapura, Herlihy, "Self-Stabilizing Distributed Queuing", section 1. A node requests a place for its message, and then sends it
 * to all nodes with the message before it. They deliver along the chain of predecessors.
 *
 * States, in two regions:
 *
 *   sending.idle          has no message to place
 *   sending.placing       its message waits for its place
 *   receiving.current     every received message is delivered
 *   receiving.behind      holds messages whose predecessor is not delivered
 *   receiving.delivering  within one step: delivers what follows the last message, then what follows nothing
 * Invariant between steps: `held` contains no message that follows `last` or nothing. It is empty exactly in `current`.
 *
 * Recovery. A message may wait for one that no node sends any more, because a fault destroyed it. Its node is asked. It answers on the
 * channel on which it would have sent the message, so the message cannot arrive after the answer, and the held one is delivered. So whatever
 * the delays, no node delivers a message before its predecessor, and none waits forever for a node that is up. A fault may make messages
 * follow each other in a circle; then one of them is delivered before its predecessor.
 */
import { assign, emit, raise, setup } from 'xstate';
import { arm, chartTypes, disarm, effects, type NodeId, send, tell, withEvent } from '../../effects.js';
import { isAnything, type ShapesOf } from '../../shapes.js';
import { isOperation, isOperationOrNone, nodeOf, PLACES, type Ask, type Gone, type OperationId, type Placed } from './places.js';

export const DELIVERY = 'delivery';

/** A message of the application, with its place. */
export interface Deliver {
  readonly type: 'deliver';
  readonly id: OperationId;
  readonly after: OperationId | null;
  readonly message: unknown;
}

/** A received message. `isNext`: it follows nothing that can still come. */
export interface Held extends Omit<Deliver, 'type'> {
  readonly isNext: boolean;
}

/** Notification: the own message has its place. */
export interface Sent {
  readonly type: 'sent';
  readonly id: OperationId;
}

/** Notification: the next message in the order. */
export interface Delivered {
  readonly type: 'delivered';
  readonly id: OperationId;
  readonly message: unknown;
}

export interface DeliveryInput {
  readonly node: NodeId;
  readonly others: readonly NodeId[];
  /** Ticks between two questions for missing messages. */
  readonly gap: number;
  /** Ticks until a message without a place is placed again. */
  readonly again: number;
  /** True to keep the delivered messages in the state, for the checks. */
  readonly keepsLog: boolean;
}

export interface DeliveryContext extends DeliveryInput {
  /** The own message that waits for its place. */
  readonly own: unknown;
  readonly last: OperationId | null;
  readonly held: readonly Held[];
  /** Delivered messages in their order, each with its predecessor; empty unless the node keeps them. */
  readonly log: readonly (readonly [OperationId, OperationId | null])[];
}

export type DeliveryEvent =
  | { readonly type: 'multicast'; readonly message: unknown }
  | Placed
  | Deliver
  | Gone
  | { readonly type: 'timer'; readonly timer: string };
type In<E = unknown> = { context: DeliveryContext; event: E };

export const GAP = 'gap';
export const AGAIN = 'again';

const own = ({ context, event: { id, after } }: In<Placed>) => ({ type: 'deliver' as const, id, after, message: context.own });
const toOthers = (args: In<Placed>) => ({ to: args.context.others, message: own(args) });
const place = tell(() => ({ role: PLACES, message: { type: 'place' } }));
const nextQuestion = arm(({ context }: In) => ({ timer: GAP, delay: context.gap }));
const placedAgain = arm(({ context }: In) => ({ timer: AGAIN, delay: context.again }));

const isHeld = ({ held }: Pick<DeliveryContext, 'held'>, id: OperationId | null): boolean => held.some((one) => one.id === id);
/** Predecessors that are not here. If all held messages wait for each other in a circle, which only a fault can cause: one of them. */
function missingIn(context: DeliveryContext): readonly OperationId[] {
  const missing = context.held.map(({ after }) => after!).filter((after) => !isHeld(context, after));
  return missing.length > 0 ? missing : context.held.slice(0, 1).map(({ after }) => after!);
}
const questions = ({ context }: In) => {
  const ids = missingIn(context);
  return { to: [...new Set(ids.map(nodeOf))], message: { type: 'ask' as const, ids } };
};

/** The next message: the one that follows the last one, or one that follows nothing that can still come. */
const nextOf = ({ last, held }: DeliveryContext): Held | undefined =>
  held.find(({ after }) => after !== null && after === last) ?? held.find(({ isNext }) => isNext);

/**
 * Chart of the messages of one node and their delivery in the order of the queue.
 *
 * @public
 */
export const deliveryMachine = setup({
  types: chartTypes<{ context: DeliveryContext; events: DeliveryEvent; input: DeliveryInput; emitted: Sent | Delivered }>(),
  actions: {
    ...effects<Deliver | Ask>(),
    keepOwn: assign((_, { message }: { message: unknown }) => ({ own: message })),
    forgetOwn: assign({ own: null }),
    deliverOwn: raise(({ context, event }) => own({ context, event: event as Placed })),
    hold: assign(({ context: { held } }, { id, after, message }: Deliver) => ({
      held: [...held, { id, after, message, isNext: after === null }],
    })),
    deliverNext: assign(({ context }) => {
      const { id, after } = nextOf(context)!;
      const log = context.keepsLog ? [...context.log, [id, after] as const] : context.log;
      return { last: id, held: context.held.filter((one) => one.id !== id), log };
    }),
    skip: assign(({ context }, { ids }: Gone) => {
      const gone = missingIn(context).filter((id) => ids.includes(id));
      return { held: context.held.map((one) => (gone.includes(one.after!) ? { ...one, isNext: true } : one)) };
    }),
    announceSent: emit((_, { id }: Placed) => ({ type: 'sent' as const, id })),
    announceNext: emit(({ context }) => {
      const { id, message } = nextOf(context)!;
      return { type: 'delivered' as const, id, message };
    }),
  },
  guards: {
    isTimer: ({ event }, { timer }: { timer: string }) => event.type === 'timer' && event.timer === timer,
    hasNext: ({ context }) => nextOf(context) !== undefined,
    isBehind: ({ context }) => context.held.length > 0,
  },
}).createMachine({
  id: 'delivery',
  context: ({ input }) => ({ ...input, own: null, last: null, held: [], log: [] }),
  type: 'parallel',
  states: {
    sending: {
      initial: 'idle',
      states: {
        idle: { on: { multicast: { target: 'placing', actions: [withEvent('keepOwn'), place] } } },
        placing: {
          entry: placedAgain,
          exit: disarm(() => ({ timer: AGAIN })),
          on: {
            placed: { target: 'idle', actions: [send(toOthers), withEvent('announceSent'), 'deliverOwn', 'forgetOwn'] },
            timer: { guard: { type: 'isTimer', params: { timer: AGAIN } }, actions: [place, placedAgain] },
          },
        },
      },
    },
    receiving: {
      initial: 'current',
      on: { deliver: { target: '.delivering', actions: withEvent('hold') } },
      states: {
        current: { entry: disarm(() => ({ timer: GAP })), exit: nextQuestion },
        behind: {
          on: {
            timer: { guard: { type: 'isTimer', params: { timer: GAP } }, actions: [send(questions), nextQuestion] },
            gone: { target: 'delivering', actions: withEvent('skip') },
          },
        },
        delivering: {
          always: [
            { guard: 'hasNext', actions: ['announceNext', 'deliverNext'] },
            { guard: 'isBehind', target: 'behind' },
            { target: 'current' },
          ],
        },
      },
    },
  },
});

export const deliveryMessages = {
  deliver: { id: isOperation, after: isOperationOrNone, message: isAnything },
} satisfies ShapesOf<Deliver>;
