/**
 * Detects that a computation, spread from one node over others, has ended everywhere: a signal for each message.
 *
 * Paper: Dijkstra, Scholten, "Termination Detection for Diffusing Computations" (Information Processing Letters 11(1), 1980). Assumes
 * reliable channels in any order and nodes that do not fail. The application performs the computation: commands `pass` work on and `rest`.
 * States. neutral: no work and no pending signals. engaged.active: at work. engaged.passive: out of work, but waits for signals for work
 * that it has passed on. over: the root, when the whole computation has ended. Invariant: the engaged nodes are a tree with the root on
 * top, each below the node whose work has engaged it.
 */
import { assign, emit, setup } from 'xstate';
import { effects, send, withEvent, type NodeId } from '../../index.js';

export interface DijkstraScholtenContext {
  /** Node that engaged this node, and receives a signal when this node is neutral again. The root has none. */
  readonly parent: NodeId | null;
  /** Messages passed on without a returned signal. */
  readonly deficit: number;
}
type Message = { readonly type: 'work' | 'signal' };
type Event = (Message & { from: NodeId }) | { type: 'begin' } | { type: 'rest' } | { type: 'pass'; to: NodeId };
type In<E = unknown> = { context: DijkstraScholtenContext; event: E };

const work = ({ event: { to } }: In<{ to: NodeId }>) => ({ to, message: { type: 'work' as const } });
const signal = ({ event: { from } }: In<{ from: NodeId }>) => ({ to: from, message: { type: 'signal' as const } });
const signalParent = ({ context: { parent } }: In) => ({ to: parent!, message: { type: 'signal' as const } });

export const dijkstraScholtenMachine = setup({
  types: {} as { context: DijkstraScholtenContext; events: Event; emitted: { type: 'over' } },
  actions: {
    ...effects<Message>(),
    adopt: assign((_, { from }: { from: NodeId }) => ({ parent: from })),
    leave: assign({ parent: null }),
    countWork: assign({ deficit: ({ context }) => context.deficit + 1 }),
    countSignal: assign({ deficit: ({ context }) => context.deficit - 1 }),
    announce: emit({ type: 'over' }),
  },
  guards: {
    hasNoDeficit: ({ context }) => context.deficit === 0,
    isRootWithoutDeficit: ({ context }) => context.deficit === 0 && context.parent === null,
  },
}).createMachine({
  id: 'dijkstra-scholten',
  context: { parent: null, deficit: 0 },
  initial: 'neutral',
  states: {
    neutral: {
      on: { begin: 'engaged', work: { target: 'engaged', actions: withEvent('adopt') } },
    },
    engaged: {
      initial: 'active',
      on: { work: { target: '.active', actions: send(signal) }, signal: { actions: 'countSignal' } },
      states: {
        active: { on: { pass: { actions: [send(work), 'countWork'] }, rest: 'passive' } },
        passive: {
          always: [
            { guard: 'isRootWithoutDeficit', target: '#dijkstra-scholten.over', actions: 'announce' },
            { guard: 'hasNoDeficit', target: '#dijkstra-scholten.neutral', actions: [send(signalParent), 'leave'] },
          ],
        },
      },
    },
    over: {},
  },
});
