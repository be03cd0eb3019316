/**
 * The guardian of one edge: the parent's part in stabilizing the edge to one child.
 *
 * Paper: Tirthapura, Herlihy, "Self-Stabilizing Distributed Queuing", section 5.3.1 (rules 1 to 6; here O1, O3, O4, F1 of spec 2.3).
 * Assumes links that keep the order of messages, a round trip of at most R on the edge, and a timer period `tau` of at least 2R. φ of the
 * edge is the number of pointers across it plus the number of finds on it. It should be 1, and only this role changes it.
 *
 * States:
 *
 *   observe   an observer is on its way to the child and back; `sent` counts the finds sent behind it. The finds that return ahead
 *             of it, `sent`, and both pointers add up to φ when it returns
 *   correct   `est` is the guardian's estimate of φ, and exact once one observation has been undisturbed: surplus finds are dropped
 *             as they come in, a missing one was injected
 * Invariant: φ does not change while observing. `sent` is 0 in correct and `est` is 0 in observe, where the paper lets them be stale.
 *
 * Departures. A find that arrives is judged here before the pointer sees it, so that one find is one event (erratum S1). `timely` is a
 * history variable that no rule reads: whether the present observation, or its estimate, began with a timeout of this timer. Definition 6.1
 * is not closed without it (erratum S5), and without time it replaces the bound tau.
 */
import { assign, emit, setup } from 'xstate';
import { arm, chartTypes, effects, type NodeId, type Received, send, tell, type TimerEvent, withEvent } from '../effects.js';
import {
  POINTER,
  type Dropped,
  type Estimate,
  type QueueFind,
  type ObserverReturn,
  type QueueMessage,
  type FindSent,
} from './messages.js';

export interface GuardianInput {
  readonly child: NodeId;
  /** Ticks between two observations, at least two round trips. */
  readonly tau: number;
}

export interface GuardianContext extends GuardianInput {
  readonly sent: number;
  readonly est: number;
  readonly timely: boolean;
}

export type GuardianEvent = Received<QueueFind> | Received<ObserverReturn> | TimerEvent | FindSent | Estimate;

type In<E = unknown> = { context: GuardianContext; event: E };

export const OBSERVE = 'observe';

const observer = ({ context }: In) => ({ to: context.child, message: { type: 'obs' as const } });
const nextTimeout = ({ context }: In) => ({ timer: OBSERVE, delay: context.tau });
const pass = ({ event: { origin, from } }: In<Received<QueueFind>>) => ({
  role: POINTER,
  message: { type: 'find', origin, from },
});
const observed = ({ context, event }: In<Received<ObserverReturn>>) => ({
  role: POINTER,
  message: { type: 'observed', child: context.child, count: context.sent + event.x },
});
const syntheticFind = ({ context }: In) => ({ to: context.child, message: { type: 'find' as const, origin: null } });

/**
 * Chart of the guardian of one edge of the queue: it counts the pointers and finds on the edge, and corrects their number (Tirthapura,
 * Herlihy, section 5.3.1).
 *
 * @public
 */
export const guardianMachine = setup({
  types: chartTypes<{ context: GuardianContext; events: GuardianEvent; input: GuardianInput; emitted: Dropped }>(),
  actions: {
    ...effects<QueueMessage>(),
    beginObservation: assign({ sent: 0, est: 0, timely: true }),
    endObservation: assign({ sent: 0 }),
    countSent: assign({ sent: ({ context }) => context.sent + 1 }),
    estimate: assign((_, { phi }: Estimate) => ({ est: phi })),
    estimateOne: assign({ est: 1 }),
    countDropped: assign({ est: ({ context }) => context.est - 1 }),
    announceDropped: emit((_, { origin }: QueueFind) => ({ type: 'dropped' as const, requester: origin })),
  },
  guards: { estimatesExcess: ({ context }) => context.est > 1, findsNone: (_, { phi }: Estimate) => phi === 0 },
}).createMachine({
  id: 'guardian',
  context: ({ input }) => ({ ...input, sent: 0, est: 1, timely: false }),
  entry: arm(nextTimeout),
  initial: 'correct',
  on: {
    timer: { target: '.observe', actions: ['beginObservation', send(observer), arm(nextTimeout)] }, // O1
  },
  states: {
    observe: {
      on: {
        find: { actions: tell(pass) },
        sent: { actions: 'countSent' },
        obsr: { target: 'correct', actions: [tell(observed), 'endObservation'] }, // O4
      },
    },
    correct: {
      on: {
        find: [
          { guard: 'estimatesExcess', actions: ['countDropped', withEvent('announceDropped')] }, // F1
          { actions: tell(pass) },
        ],
        estimate: [
          { guard: withEvent('findsNone'), actions: [send(syntheticFind), 'estimateOne'] }, // O4
          { actions: withEvent('estimate') }, // O4
        ],
        // O3: an observer that returns here is ignored.
      },
    },
  },
});
