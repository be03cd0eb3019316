/**
 * Leader election on a ring (Chang and Roberts, 1979): each node knows a number and the next node; the greatest number wins.
 *
 * A chart defines the reactions of a node. It requests effects of its host (`send`) and notifies the application (`emit`), without a
 * clock, random numbers, input or output. So one chart can be run, checked, tested and shipped.
 */
import { assign, emit, setup } from 'xstate';
import { defineProtocol, effects, send, shapes, withEvent } from 'xstate-quiver';
import type { Configuration, Message, NetworkGraph, NodeId, RoleView } from 'xstate-quiver';

interface Input {
  /** Greater is stronger. */
  readonly number: number;
  /** The next node of the ring. */
  readonly next: NodeId;
}
interface Context extends Input {
  readonly leader: number | null;
}
interface Probe {
  readonly type: 'probe' | 'victory';
  readonly number: number;
}
type In<E = unknown> = { readonly context: Context; readonly event: E };

const ownProbe = ({ context }: In) => ({ to: context.next, message: { type: 'probe' as const, number: context.number } });
const ownVictory = ({ context }: In) => ({ to: context.next, message: { type: 'victory' as const, number: context.number } });
const same = ({ context, event: { type, number } }: In<Probe>) => ({ to: context.next, message: { type, number } });

export const ringMachine = setup({
  types: {} as {
    context: Context;
    events: { readonly type: 'call' } | (Probe & { readonly from: NodeId });
    input: Input;
    emitted: { type: 'elected'; leader: number | null };
  },
  actions: {
    ...effects<Probe>(),
    remember: assign((_, { number }: Probe) => ({ leader: number })),
    announce: emit(({ context }) => ({ type: 'elected' as const, leader: context.leader })),
  },
  guards: {
    isGreater: ({ context }, { number }: Probe) => number > context.number,
    isOwn: ({ context }, { number }: Probe) => number === context.number,
  },
}).createMachine({
  id: 'ring',
  context: ({ input: { number, next } }) => ({ number, next, leader: null }),
  initial: 'idle',
  states: {
    // Knows of no election.
    idle: {
      on: {
        call: { target: 'candidate', actions: send(ownProbe) },
        probe: [
          { guard: withEvent('isGreater'), target: 'relayed', actions: send(same) },
          { target: 'candidate', actions: send(ownProbe) },
        ],
      },
    },
    // Its own number travels around the ring.
    candidate: {
      on: {
        probe: [
          { guard: withEvent('isGreater'), target: 'relayed', actions: send(same) },
          { guard: withEvent('isOwn'), target: 'leader', actions: [withEvent('remember'), 'announce', send(ownVictory)] },
        ],
      },
    },
    // Has forwarded a greater number, and cannot win any more.
    relayed: {
      on: {
        probe: { guard: withEvent('isGreater'), actions: send(same) },
        victory: { target: 'follower', actions: [withEvent('remember'), 'announce', send(same)] },
      },
    },
    leader: {},
    follower: {},
  },
});

const nextOf = (node: NodeId, { topology: { nodes }, rank }: NetworkGraph) => nodes[(rank(node) + 1) % nodes.length]!;
const ringOf = ({ nodes }: Configuration, node: NodeId): RoleView<Context> => nodes.get(node)!['ring']!;
const leadersKnown = (c: Configuration) => new Set([...c.nodes.keys()].flatMap((node) => ringOf(c, node).context.leader ?? []));
const calls = (n: number) => Array.from({ length: n }, (_, i) => ({ at: 0, node: `n${i}`, do: 'call' }));

/** The protocol, for quiver run, check, test and explore, for the tests, and for createNode in an application. */
export const ring = defineProtocol(
  {
    name: 'ring',
    charts: { ring: ringMachine },
    network: { reach: 'links' },
    input: (node, graph) => ({ number: graph.rank(node), next: nextOf(node, graph) }),
    messages: { probe: { number: shapes.isCount }, victory: { number: shapes.isCount } },
    commands: { call: { completedBy: ['elected'] } },
  },
  {
    properties: () => [
      {
        name: 'one leader',
        description: 'All nodes that know a leader know the same one.',
        kind: 'always',
        holds: (configuration) => leadersKnown(configuration).size <= 1,
      },
      {
        name: 'an election ends',
        description: 'Each node that receives a message of the election learns the winner.',
        kind: 'eventually',
        when: (configuration, node) => ringOf(configuration, node).value !== 'idle',
        holds: (configuration, node) => ringOf(configuration, node).context.leader !== null,
      },
    ],
    // The default systems for checks and walks: rings, as the protocol requires.
    systems: [
      { topology: { kind: 'path', n: 2 }, events: calls(2) },
      { topology: { kind: 'ring', n: 3 }, events: calls(3) },
    ],
    // Generated tests start from a node that is neither the smallest nor the greatest, with the messages that it may receive.
    samples: {
      ring: [
        {
          input: { number: 1, next: 'c' },
          events: (): Message[] => [
            { type: 'call' },
            ...[0, 1, 2].map((number) => ({ type: 'probe', number, from: 'a' })),
            { type: 'victory', number: 2, from: 'a' } as Message,
          ],
        },
      ],
    },
  },
);
