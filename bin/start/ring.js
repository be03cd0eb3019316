/**
 * Leader election on a ring (Chang and Roberts, 1979): each node knows a number and the next node; the greatest number wins.
 *
 * A chart says what a node does. It names what it asks of its host (`send`) and what the application should hear (`emit`), and does
 * nothing else: no clock, no chance, no input or output. So one chart can be run, checked, tested and shipped.
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
    // Has heard of no election.
    idle: {
      on: {
        call: { target: 'candidate', actions: send(ownProbe) },
        probe: [
          { guard: withEvent('isGreater'), target: 'relayed', actions: send(same) },
          { target: 'candidate', actions: send(ownProbe) },
        ],
      },
    },
    // Its own number is on its way round.
    candidate: {
      on: {
        probe: [
          { guard: withEvent('isGreater'), target: 'relayed', actions: send(same) },
          { guard: withEvent('isOwn'), target: 'leader', actions: [withEvent('remember'), 'announce', send(ownVictory)] },
        ],
      },
    },
    // Has let a greater number pass, and cannot win any more.
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

/** What everything works from: quiver run, check, test and explore, the tests, and createNode in an application. */
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
        description: 'Whoever knows a leader knows the same.',
        kind: 'always',
        holds: (configuration) => leadersKnown(configuration).size <= 1,
      },
      {
        name: 'an election ends',
        description: 'Who has heard of the election learns who won.',
        kind: 'eventually',
        when: ({ nodes }, node) => nodes.get(node).ring.value !== 'idle',
        holds: ({ nodes }, node) => nodes.get(node).ring.context.leader !== null,
      },
    ],
    // Where it is checked and walked unless a scenario is named: rings, since it is made for them.
    systems: [
      { topology: { kind: 'path', n: 2 }, events: calls(2) },
      { topology: { kind: 'ring', n: 3 }, events: calls(3) },
    ],
    // A node that is neither the smallest nor the greatest, and what it may hear: the generated tests begin here.
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
