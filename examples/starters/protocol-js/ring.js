/**
 * Leader election on a ring (Chang and Roberts, 1979): each node knows a number and the next node; the greatest number wins.
 *
 * A chart defines the reactions of a node. It requests effects of its host (`send`) and notifies the application (`emit`), without a
 * clock, random numbers, input or output. So one chart can be run, checked, tested and shipped.
 */
import { assign, emit, setup } from 'xstate';
import { defineProtocol, effects, send, shapes, withEvent } from 'xstate-quiver';

const ownProbe = ({ context }) => ({ to: context.next, message: { type: 'probe', number: context.number } });
const ownVictory = ({ context }) => ({ to: context.next, message: { type: 'victory', number: context.number } });
const same = ({ context, event: { type, number } }) => ({ to: context.next, message: { type, number } });

export const ringMachine = setup({
  actions: {
    ...effects(),
    remember: assign((_, { number }) => ({ leader: number })),
    announce: emit(({ context }) => ({ type: 'elected', leader: context.leader })),
  },
  guards: {
    isGreater: ({ context }, { number }) => number > context.number,
    isOwn: ({ context }, { number }) => number === context.number,
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

const nextOf = (node, { topology: { nodes }, rank }) => nodes[(rank(node) + 1) % nodes.length];
const leadersKnown = ({ nodes }) => new Set([...nodes.values()].flatMap(({ ring }) => ring.context.leader ?? []));
const calls = (n) => Array.from({ length: n }, (_, i) => ({ at: 0, node: `n${i}`, do: 'call' }));

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
        when: ({ nodes }, node) => nodes.get(node).ring.value !== 'idle',
        holds: ({ nodes }, node) => nodes.get(node).ring.context.leader !== null,
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
          events: () => [
            { type: 'call' },
            ...[0, 1, 2].map((number) => ({ type: 'probe', number, from: 'a' })),
            { type: 'victory', number: 2, from: 'a' },
          ],
        },
      ],
    },
  },
);
