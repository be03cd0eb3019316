/** The description of the protocol: all that simulation, checker, path tests, coverage, mutants and inspector need to know. */
import {
  defineProtocol,
  shapes,
  UsageError,
  type Configuration,
  type Message,
  type NetworkGraph,
  type NodeId,
} from '../../index.js';
import { ringMachine, type RingContext, type RingInput } from './machine.js';

const nodesOf = ({ nodes }: Configuration) => [...nodes.values()].map(({ ring }) => ring!);
const leaders = (c: Configuration) => nodesOf(c).filter(({ value }) => value === 'leader');

function inputOf(node: NodeId, { topology: { nodes }, rank }: NetworkGraph): RingInput {
  return { number: rank(node), next: nodes[(rank(node) + 1) % nodes.length]! };
}

function requireRing(graph: NetworkGraph): void {
  const { nodes, links } = graph.topology;
  for (const node of nodes) {
    const { next } = inputOf(node, graph);
    if (!links.some(([u, v]) => (u === node && v === next) || (u === next && v === node))) {
      throw new UsageError(
        `topology has no link from ${node} to ${next}; this election runs on a ring, in the order of the nodes`,
      );
    }
  }
}

/** A node that is neither the smallest nor the greatest, and what it may hear. */
const sample = {
  input: { number: 1, next: 'c' },
  events: (): Message[] => [
    { type: 'call' },
    ...[0, 1, 2].map((number) => ({ type: 'probe', number, from: 'a' })),
    { type: 'victory', number: 2, from: 'a' } as Message,
  ],
};

export const ring = defineProtocol(
  {
    name: 'ring',
    charts: { ring: ringMachine },
    network: { reach: 'links' },
    options: (_, graph) => (requireRing(graph), {}),
    input: inputOf,
    messages: { probe: { number: shapes.isCount }, victory: { number: shapes.isCount } },
    commands: { call: { completedBy: ['elected'] } },
  },
  {
    properties: ({ topology: { nodes } }) => [
      {
        name: 'the greatest leads',
        says: 'Nobody leads but the greatest.',
        kind: 'always',
        holds: (c) => leaders(c).every(({ context }) => context.number === nodes.length - 1),
      },
      {
        name: 'one leader',
        says: 'Whoever knows a leader knows the same.',
        kind: 'always',
        holds: (c) => new Set(nodesOf(c).flatMap(({ context }) => context.leader ?? [])).size <= 1,
      },
      {
        name: 'an election ends',
        says: 'Who has heard of the election learns who won.',
        kind: 'eventually',
        when: ({ nodes }, node) => nodes.get(node)!['ring']!.value !== 'idle',
        holds: ({ nodes }, node) => (nodes.get(node)!['ring']!.context as RingContext).leader !== null,
      },
    ],
    samples: { ring: [sample] },
    reasons: {
      'ring: reorder choices candidate: probe #2, before #1': 'no number is greater than the own and the own',
    },
  },
  {
    paper: 'Chang, Roberts: An improved algorithm for decentralized extrema-finding (CACM 22(5), 1979)',
    observe: () => ({
      record: () => {},
      summary: (c) => ({ leader: nodesOf(c)[0]!.context.leader }),
      meters: () => [],
    }),
    overlay: ({ ring }) => ({ badge: ring!.value === 'leader' ? '★' : '' }),
  },
);
