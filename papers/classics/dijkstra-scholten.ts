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
import { effects, send, withEvent, type NodeId, defineProtocol, type Configuration, type Property } from '../../index.js';
import { inFlight, isIn, nodesIn, classicRole } from './common.js';

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

/** The description of Dijkstra and Scholten's termination detection. */
const isEnded = (c: Configuration) => nodesIn(c, 'engaged.active').length === 0 && inFlight(c, 'work') === 0;
const parentOf = (c: Configuration, node: NodeId) => classicRole<DijkstraScholtenContext>(c, node).context.parent;

const properties: readonly Property[] = [
  {
    name: 'over is over',
    description: 'When the root reports termination, no node works and no work is in flight.',
    kind: 'always',
    holds: (c) => nodesIn(c, 'over').length === 0 || (isEnded(c) && nodesIn(c, 'engaged').length === 0),
  },
  {
    name: 'a tree of the engaged',
    description: 'The parent of an engaged node is also engaged.',
    kind: 'always',
    holds: (c) => nodesIn(c, 'engaged').every((node) => parentOf(c, node) === null || isIn(c, parentOf(c, node)!, 'engaged')),
  },
  {
    name: 'the end is noticed',
    description: 'When no node works any more and no work is in flight, the root eventually reports termination.',
    kind: 'eventually',
    when: (c, node) => isIn(c, node, 'engaged') && parentOf(c, node) === null && isEnded(c),
    holds: (c, node) => isIn(c, node, 'over') || !isEnded(c),
  },
];

export const dijkstraScholten = defineProtocol(
  {
    name: 'dijkstra-scholten',
    charts: { 'dijkstra-scholten': dijkstraScholtenMachine },
    network: { reach: 'routed' },
    messages: { work: {}, signal: {} },
    commands: {
      begin: { completedBy: ['over'] },
      pass: { fields: [{ name: 'to', type: 'node' }], waits: true },
      rest: { waits: true },
    },
  },
  { properties: () => properties },
  {
    paper: 'Dijkstra, Scholten: Termination Detection for Diffusing Computations (Information Processing Letters 11(1), 1980)',
    overlay: (node, id, _, c) => {
      const parent = parentOf(c, id);
      const { deficit } = classicRole<DijkstraScholtenContext>(c, id).context;
      const badge = isIn(c, id, 'engaged') ? `owed ${deficit}` : String(node['dijkstra-scholten']!.value);
      return { badge, ...(parent !== null && { pointers: [{ to: parent }] }) };
    },
  },
);
