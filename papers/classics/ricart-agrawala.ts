/**
 * Mutual exclusion by requests to all other nodes: 2(N - 1) messages per entry.
 *
 * Paper: Ricart, Agrawala, "An Optimal Algorithm for Mutual Exclusion in Computer Networks" (CACM 24(1), 1981). Assumes reliable channels
 * in any order, every node in reach of every other, and nodes that do not fail. States. outside: answers every request at once. requesting:
 * its own request is pending; answers earlier requests and defers later ones. inside: in the critical section, defers every request.
 * Invariant: among all requesting and inside nodes, the node inside has the least (number, rank).
 */
import { assign, emit, setup } from 'xstate';
import { effects, send, withEvent, type NodeId, defineProtocol, shapes, type Property } from '../../index.js';
import { costPer, isIn, leaves, mutualExclusion, nodesIn, others, classicRole } from './common.js';

export interface RicartAgrawalaInput {
  readonly rank: number;
  readonly others: readonly NodeId[];
}
export interface RicartAgrawalaContext extends RicartAgrawalaInput {
  /** Our_Sequence_Number */
  readonly number: number;
  /** Highest_Sequence_Number */
  readonly highest: number;
  /** Outstanding_Reply_Count */
  readonly awaited: number;
  /** Reply_Deferred */
  readonly deferred: readonly NodeId[];
}
interface Request {
  readonly type: 'request';
  readonly number: number;
  readonly rank: number;
}
type Event = (Request & { from: NodeId }) | { type: 'reply'; from: NodeId } | { type: 'enter' } | { type: 'leave' };
type In<E = unknown> = { context: RicartAgrawalaContext; event: E };

const ownRequest = ({ context: { others, number, rank } }: In) => ({
  to: others,
  message: { type: 'request' as const, number, rank },
});
const reply = ({ event: { from } }: In<{ from: NodeId }>) => ({ to: from, message: { type: 'reply' as const } });
const deferredReplies = ({ context: { deferred } }: In) => ({ to: deferred, message: { type: 'reply' as const } });

export const ricartAgrawalaMachine = setup({
  types: {} as { context: RicartAgrawalaContext; events: Event; input: RicartAgrawalaInput; emitted: { type: 'entered' } },
  actions: {
    ...effects<Request | { type: 'reply' }>(),
    chooseNumber: assign(({ context: { highest, others } }) => ({ number: highest + 1, awaited: others.length })),
    noteNumber: assign(({ context }, { number }: Request) => ({ highest: Math.max(context.highest, number) })),
    countReply: assign({ awaited: ({ context }) => context.awaited - 1 }),
    deferReply: assign(({ context }, { from }: { from: NodeId }) => ({ deferred: [...context.deferred, from] })),
    forgetDeferred: assign({ deferred: [] }),
    announce: emit({ type: 'entered' }),
  },
  guards: {
    isOursFirst: ({ context: { number, rank } }, other: Request) =>
      number < other.number || (number === other.number && rank < other.rank),
    allReplied: ({ context }) => context.awaited === 0,
  },
}).createMachine({
  id: 'ricart-agrawala',
  context: ({ input }) => ({ ...input, number: 0, highest: 0, awaited: 0, deferred: [] }),
  initial: 'outside',
  states: {
    outside: {
      on: {
        enter: { target: 'requesting', actions: ['chooseNumber', send(ownRequest)] },
        request: { actions: [withEvent('noteNumber'), send(reply)] },
      },
    },
    requesting: {
      always: { guard: 'allReplied', target: 'inside', actions: 'announce' },
      on: {
        request: [
          { guard: withEvent('isOursFirst'), actions: [withEvent('noteNumber'), withEvent('deferReply')] },
          { actions: [withEvent('noteNumber'), send(reply)] },
        ],
        reply: { actions: 'countReply' },
      },
    },
    inside: {
      on: {
        request: { actions: [withEvent('noteNumber'), withEvent('deferReply')] },
        leave: { target: 'outside', actions: [send(deferredReplies), 'forgetDeferred'] },
      },
    },
  },
});

/** The description of Ricart and Agrawala's mutual exclusion. */
const goesBefore = (a: RicartAgrawalaContext, b: RicartAgrawalaContext) =>
  a.number < b.number || (a.number === b.number && a.rank < b.rank);
const inOrder: Property = {
  name: 'in the order of numbers',
  description: 'A node that is inside precedes all that request.',
  kind: 'always',
  holds: (c) => {
    const [inside] = nodesIn(c, 'inside').map((node) => classicRole<RicartAgrawalaContext>(c, node).context);
    const requesting = [...c.nodes.keys()].filter((node) => isIn(c, node, 'requesting'));
    return !inside || requesting.every((node) => goesBefore(inside, classicRole<RicartAgrawalaContext>(c, node).context));
  },
};

export const ricartAgrawala = defineProtocol(
  {
    name: 'ricart-agrawala',
    charts: { 'ricart-agrawala': ricartAgrawalaMachine },
    network: { reach: 'routed' },
    input: (id, graph) => ({ rank: graph.rank(id), others: others(id, graph) }),
    messages: { request: { number: shapes.isCount, rank: shapes.isCount }, reply: {} },
    commands: { enter: { waits: true, completedBy: ['entered'] }, leave: { waits: true } },
    reactions: leaves,
  },
  { properties: () => [...mutualExclusion, inOrder] },
  {
    paper: 'Ricart, Agrawala: An Optimal Algorithm for Mutual Exclusion in Computer Networks (CACM 24(1), 1981)',
    observe: costPer('entered', ({ topology }) => 2 * (topology.nodes.length - 1)),
  },
);
