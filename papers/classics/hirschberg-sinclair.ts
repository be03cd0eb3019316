/**
 * Leader election on a two-way ring with O(n log n) messages: each phase reaches twice as far as the one before.
 *
 * Paper: Hirschberg, Sinclair, "Decentralized Extrema-Finding in Circular Configurations of Processors" (CACM 23(11), 1980). Assumes a ring
 * of reliable links in any order, each node with its own number, and nodes that do not fail. States. idle: no election known. candidate:
 * its probes of this phase are in flight, both ways. lost: has forwarded a greater probe, and only relays. leader: its own probe came
 * round. Invariant: a candidate in phase k has the greatest number within 2^(k-1) steps to either side. Departure: the probe of a smaller
 * number is dropped, where the paper answers no. Its candidate loses by the greater probe that passes it.
 */
import { assign, emit, setup } from 'xstate';
import {
  effects,
  send,
  withEvent,
  type NodeId,
  defineProtocol,
  shapes,
  type Configuration,
  type NetworkGraph,
  type Property,
} from '../../index.js';
import { ringOptions } from '../../examples/own-protocol/index.js';
import { costPer, isIn, nodesIn, classicRole } from './common.js';

export interface HirschbergSinclairContext {
  readonly number: number;
  /** Both neighbors on the ring. */
  readonly sides: readonly [NodeId, NodeId];
  readonly phase: number;
  /** Sides whose reply in this phase is pending. */
  readonly awaited: number;
}
type Input = Pick<HirschbergSinclairContext, 'number' | 'sides'>;
type Probe = { readonly type: 'probe'; readonly number: number; readonly phase: number; readonly hops: number };
type Reply = { readonly type: 'reply'; readonly number: number; readonly phase: number };
type From<M> = M & { readonly from: NodeId };
type Event = { type: 'call' } | From<Probe> | From<Reply>;
type In<E = unknown> = { context: HirschbergSinclairContext; event: E };

const otherSide = ({ sides }: HirschbergSinclairContext, from: NodeId) => (from === sides[0] ? sides[1] : sides[0]);
const probes = ({ context: { sides, number, phase } }: In) => ({
  to: sides,
  message: { type: 'probe' as const, number, phase, hops: 2 ** phase },
});
const onward = ({ context, event: { from, type, number, phase, hops } }: In<From<Probe>>) => ({
  to: otherSide(context, from),
  message: { type, number, phase, hops: hops - 1 },
});
const reply = ({ event: { from, number, phase } }: In<From<Probe>>) => ({
  to: from,
  message: { type: 'reply' as const, number, phase },
});
const replyOnward = ({ context, event: { from, type, number, phase } }: In<From<Reply>>) => ({
  to: otherSide(context, from),
  message: { type, number, phase },
});

const candidacy = { target: 'candidate', actions: ['awaitBoth', send(probes)] } as const;
const relayed = [
  { guard: withEvent('goesFurther'), target: 'lost', actions: send(onward) },
  { guard: withEvent('isGreater'), target: 'lost', actions: send(reply) },
] as const;

export const hirschbergSinclairMachine = setup({
  types: {} as { context: HirschbergSinclairContext; events: Event; input: Input; emitted: { type: 'elected' } },
  actions: {
    ...effects<Probe | Reply>(),
    awaitBoth: assign({ awaited: 2 }),
    countReply: assign({ awaited: ({ context }) => context.awaited - 1 }),
    nextPhase: assign({ phase: ({ context }) => context.phase + 1 }),
    announce: emit({ type: 'elected' }),
  },
  guards: {
    isGreater: ({ context }, { number }: Probe) => number > context.number,
    goesFurther: ({ context }, { number, hops }: Probe) => number > context.number && hops > 1,
    isOwnProbe: ({ context }, { number }: Probe) => number === context.number,
    isOthers: ({ context }, { number }: Reply) => number !== context.number,
    bothReplied: ({ context }) => context.awaited === 0,
  },
}).createMachine({
  id: 'hirschberg-sinclair',
  context: ({ input }) => ({ ...input, phase: 0, awaited: 0 }),
  initial: 'idle',
  states: {
    idle: { on: { call: candidacy, probe: [...relayed, candidacy] } },
    candidate: {
      always: { guard: 'bothReplied', actions: ['nextPhase', 'awaitBoth', send(probes)] },
      on: {
        probe: [...relayed, { guard: withEvent('isOwnProbe'), target: 'leader', actions: 'announce' }],
        reply: { actions: 'countReply' },
      },
    },
    lost: { on: { probe: relayed, reply: { guard: withEvent('isOthers'), actions: send(replyOnward) } } },
    leader: {},
  },
});

/** The description of Hirschberg and Sinclair's election, on a ring in the order of the nodes. */
const { isCount } = shapes;
const at = ({ topology: { nodes }, rank }: NetworkGraph, id: NodeId, steps: number) =>
  nodes.at((rank(id) + steps) % nodes.length)!;
const isGreatestAround = (c: Configuration, node: NodeId): boolean => {
  const { number, phase } = classicRole<HirschbergSinclairContext>(c, node).context;
  const reach = phase === 0 ? 0 : Math.min(2 ** (phase - 1), c.nodes.size - 1);
  const around = Array.from({ length: 2 * reach + 1 }, (_, i) => at(c.instance, node, i - reach));
  return around.every((other) => c.instance.rank(other) <= number);
};

const properties: readonly Property[] = [
  {
    name: 'the greatest leads',
    description: 'Only the node with the greatest number leads.',
    kind: 'always',
    holds: (c) => nodesIn(c, 'leader').every((node) => node === c.instance.topology.nodes.at(-1)),
  },
  {
    name: 'greatest around',
    description: 'A candidate in phase k has the greatest number within 2^(k - 1) steps to either side.',
    kind: 'always',
    holds: (c) => nodesIn(c, 'candidate').every((node) => isGreatestAround(c, node)),
  },
  {
    name: 'an election ends',
    description: 'If a node is a candidate, a leader is eventually elected.',
    kind: 'eventually',
    when: (c, node) => isIn(c, node, 'candidate'),
    holds: (c) => nodesIn(c, 'leader').length === 1,
  },
];

export const hirschbergSinclair = defineProtocol<object>(
  {
    name: 'hirschberg-sinclair',
    charts: { 'hirschberg-sinclair': hirschbergSinclairMachine },
    network: { reach: 'links' },
    options: ringOptions,
    input: (id, graph) => ({ number: graph.rank(id), sides: [at(graph, id, -1), at(graph, id, 1)] }),
    messages: { probe: { number: isCount, phase: isCount, hops: isCount }, reply: { number: isCount, phase: isCount } },
    commands: { call: { completedBy: ['elected'] } },
  },
  { properties: () => properties },
  {
    paper: 'Hirschberg, Sinclair: Decentralized Extrema-Finding in Circular Configurations of Processors (CACM 23(11), 1980)',
    observe: costPer('elected', ({ topology: { nodes } }) => 8 * nodes.length * (1 + Math.ceil(Math.log2(nodes.length)))),
  },
);
