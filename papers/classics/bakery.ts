/**
 * Lamport's bakery, where reading another process' variables is a question and an answer.
 *
 * Paper: Lamport, "A New Solution of Dijkstra's Concurrent Programming Problem" (CACM 17(8), 1974). Assumes reliable channels in any order,
 * every node in reach of every other, and nodes that do not fail. States. outside: number[i] = 0. requesting.choosing: asks all for their
 * numbers, to take one greater than any. requesting.waiting: asks each process again and again, until it is not choosing and does not go
 * first. inside: in the critical section. Invariant: a process owns its number, and readers may see an old value. Departure: all processes
 * are waited for at the same time and not one after the other, which the proof does not need.
 */
import { assign, emit, setup } from 'xstate';
import { effects, send, withEvent, type NodeId, defineProtocol, shapes, type Property } from '../../index.js';
import { isIn, leaves, mutualExclusion, nodesIn, others, classicRole } from './common.js';

export interface BakeryInput {
  readonly rank: number;
  readonly others: readonly NodeId[];
}
export interface BakeryContext extends BakeryInput {
  readonly number: number;
  /** The greatest number read while choosing. */
  readonly greatest: number;
  /** Processes to be read, or to wait for. */
  readonly awaited: readonly NodeId[];
}
type Read = { readonly type: 'read' };
export type Value = { readonly type: 'value'; readonly choosing: boolean; readonly number: number; readonly rank: number };
type From<M> = M & { readonly from: NodeId };
type Event = From<Read> | From<Value> | { type: 'enter' } | { type: 'leave' };
type In<E = unknown> = { context: BakeryContext; event: E };

const readAll = ({ context: { others } }: In) => ({ to: others, message: { type: 'read' as const } });
const readAgain = ({ event: { from } }: In<From<Value>>) => ({ to: from, message: { type: 'read' as const } });
const answer = ({ context: { number, rank }, event: { from } }: In<From<Read>>, choosing: boolean) => ({
  to: from,
  message: { type: 'value' as const, choosing, number, rank },
});
const value = (args: In<From<Read>>) => answer(args, false);
const valueWhileChoosing = (args: In<From<Read>>) => answer(args, true);

export const bakeryMachine = setup({
  types: {} as { context: BakeryContext; events: Event; input: BakeryInput; emitted: { type: 'entered' } },
  actions: {
    ...effects<Read | Value>(),
    awaitAll: assign(({ context: { others } }) => ({ awaited: others, greatest: 0 })),
    noteNumber: assign(({ context: { greatest } }, { number }: Value) => ({ greatest: Math.max(greatest, number) })),
    chooseNumber: assign(({ context: { greatest } }) => ({ number: greatest + 1 })),
    passBy: assign(({ context: { awaited } }, { from }: From<Value>) => ({ awaited: awaited.filter((node) => node !== from) })),
    dropNumber: assign({ number: 0 }),
    announce: emit({ type: 'entered' }),
  },
  guards: {
    noneIsLeft: ({ context }) => context.awaited.length === 0,
    goesFirst: ({ context }, { choosing, number, rank }: Value) =>
      choosing || (number !== 0 && (number < context.number || (number === context.number && rank < context.rank))),
  },
}).createMachine({
  id: 'bakery',
  context: ({ input }) => ({ ...input, number: 0, greatest: 0, awaited: [] }),
  initial: 'outside',
  on: { read: { actions: send(value) } },
  states: {
    outside: { on: { enter: { target: 'requesting', actions: ['awaitAll', send(readAll)] } } },
    requesting: {
      initial: 'choosing',
      states: {
        choosing: {
          always: { guard: 'noneIsLeft', target: 'waiting', actions: ['chooseNumber', 'awaitAll', send(readAll)] },
          on: {
            read: { actions: send(valueWhileChoosing) },
            value: { actions: [withEvent('noteNumber'), withEvent('passBy')] },
          },
        },
        waiting: {
          always: { guard: 'noneIsLeft', target: '#bakery.inside', actions: 'announce' },
          on: { value: [{ guard: withEvent('goesFirst'), actions: send(readAgain) }, { actions: withEvent('passBy') }] },
        },
      },
    },
    inside: { on: { leave: { target: 'outside', actions: 'dropNumber' } } },
  },
});

/** The description of Lamport's bakery on messages. */
const firstComeFirstServed: Property = {
  name: 'in the order of numbers',
  description: 'A node that is inside has a smaller number than all that wait with a number.',
  kind: 'always',
  holds: (c) => {
    const [inside] = nodesIn(c, 'inside').map((node) => classicRole<BakeryContext>(c, node).context);
    const waiting = [...c.nodes.keys()].filter((node) => isIn(c, node, 'requesting.waiting'));
    const isAfter = ({ number, rank }: BakeryContext) =>
      number > inside!.number || (number === inside!.number && rank > inside!.rank);
    return !inside || waiting.every((node) => isAfter(classicRole<BakeryContext>(c, node).context));
  },
};

export const bakery = defineProtocol(
  {
    name: 'bakery',
    charts: { bakery: bakeryMachine },
    network: { reach: 'routed' },
    input: (id, graph) => ({ rank: graph.rank(id), others: others(id, graph) }),
    messages: { read: {}, value: { choosing: shapes.isBoolean, number: shapes.isCount, rank: shapes.isCount } },
    commands: { enter: { waits: true, completedBy: ['entered'] }, leave: { waits: true } },
    reactions: leaves,
  },
  { properties: () => [...mutualExclusion, firstComeFirstServed] },
  { paper: "Lamport: A New Solution of Dijkstra's Concurrent Programming Problem (CACM 17(8), 1974)" },
);
