/** Promises of the election, samples for its chart, and the account of a run. */
import type { Checks, Configuration, Message, Property, RoleView, View } from '../../index.js';
import type { RingContext } from './machine.js';

const nodesOf = ({ nodes }: Configuration): readonly RoleView<RingContext>[] => [...nodes.values()].map(({ ring }) => ring!);
const leadersKnown = (c: Configuration) => new Set(nodesOf(c).flatMap(({ context }) => context.leader ?? []));

const properties = (greatest: number): readonly Property[] => [
  {
    name: 'the greatest leads',
    description: 'Only the greatest node leads.',
    kind: 'always',
    holds: (c) => nodesOf(c).every(({ value, context }) => value !== 'leader' || context.number === greatest),
  },
  {
    name: 'one leader',
    description: 'All nodes that know a leader know the same one.',
    kind: 'always',
    holds: (c) => leadersKnown(c).size <= 1,
  },
  {
    name: 'an election ends',
    description: 'Each node that receives a message of the election learns the winner.',
    kind: 'eventually',
    when: ({ nodes }, node) => nodes.get(node)!['ring']!.value !== 'idle',
    holds: ({ nodes }, node) => (nodes.get(node)!['ring']!.context as RingContext).leader !== null,
  },
];

/** A node that is neither the smallest nor the greatest, and the messages that it may receive. */
const sample = {
  input: { number: 1, next: 'c' },
  events: (): Message[] => [
    { type: 'call' },
    ...[0, 1, 2].map((number) => ({ type: 'probe', number, from: 'a' })),
    { type: 'victory', number: 2, from: 'a' } as Message,
  ],
};

const calls = (n: number) => Array.from({ length: n }, (_, i) => ({ at: 0, node: `n${i}`, do: 'call' }));

export const checks: Checks = {
  properties: ({ topology }) => properties(topology.nodes.length - 1),
  samples: { ring: [sample] },
  // Only rings: a path of two nodes is also one.
  systems: [
    { topology: { kind: 'path', n: 2 }, events: calls(2) },
    { topology: { kind: 'ring', n: 3 }, events: calls(3) },
  ],
};

export const view: View = {
  paper: 'Chang, Roberts: An improved algorithm for decentralized extrema-finding (CACM 22(5), 1979)',
  observe: () => ({ record: () => {}, summary: (c) => ({ leader: [...leadersKnown(c)][0] ?? null }), meters: () => [] }),
  overlay: ({ ring }) => ({ badge: ring!.value === 'leader' ? '★' : '' }),
};
