/** The description of Paxos: the last `acceptors` nodes accept (default: 3), the others propose their own value. */
import { defineProtocol, shapes, UsageError, type Configuration, type Property } from '../../index.js';
import { integer, refuseUnknown } from '../../machines/checks.js';
import { nodesIn, classicRole, classicRoles } from './common.js';
import { acceptor, proposer, type Acceptor, type Proposer, type Vote } from './paxos.chart.js';

const { isCount, isText, nullOr, recordOf } = shapes;
const learned = (c: Configuration) => nodesIn(c, 'chosen').map((node) => classicRole<Proposer>(c, node).context.value);
const votes = (c: Configuration) =>
  classicRoles<Acceptor>(c).flatMap(({ chart, context }) => (chart === 'acceptor' ? (context.vote ?? []) : []));
const asked = (c: Configuration): readonly Vote[] => [
  ...votes(c),
  ...c.flights.flatMap(({ message }) => (message.type === 'accept' ? (message as never) : [])),
];
const valueOf = (rank: number) => `value ${rank}`;

const properties = (proposers: number): readonly Property[] => [
  {
    name: 'agreement',
    description: 'All nodes that have learned a chosen value have learned the same value.',
    kind: 'always',
    holds: (c) => new Set(learned(c)).size <= 1,
  },
  {
    name: 'one value a ballot',
    description: 'All proposals and votes of one ballot have the same value.',
    kind: 'always',
    holds: (c) => {
      const all = asked(c);
      return all.every((one) => all.find(({ ballot }) => ballot === one.ballot)!.value === one.value);
    },
  },
  ...Array.from({ length: proposers }, (_, i): Property => ({
    name: `${valueOf(i + 1)} can be chosen`,
    description: 'The value of each proposer is chosen in some run.',
    kind: 'sometimes',
    holds: (c) => learned(c).includes(valueOf(i + 1)),
  })),
];

export const paxos = defineProtocol<{ acceptors: number }>(
  {
    name: 'paxos',
    charts: { proposer, acceptor },
    network: { reach: 'routed', isLossy: true },
    options: (raw, { topology: { nodes } }) => {
      refuseUnknown(raw, ['acceptors']);
      const acceptors = integer(raw, 'acceptors', { min: 1, fallback: 3 });
      if (acceptors >= nodes.length)
        throw new UsageError(`options.acceptors is ${acceptors} of ${nodes.length} nodes. Leave at least one proposer.`);
      return { acceptors };
    },
    roles: (id, { topology: { nodes }, options: { acceptors }, rank }) => {
      const step = nodes.length - acceptors;
      const input = { acceptors: nodes.slice(step), value: valueOf(rank(id) + 1), ballot: rank(id) + 1 - step, step };
      return [
        rank(id) < step
          ? { role: 'process', chart: 'proposer', input }
          : { role: 'process', chart: 'acceptor', input: undefined },
      ];
    },
    route: () => 'process',
    messages: {
      prepare: { ballot: isCount },
      promise: { ballot: isCount, vote: nullOr(recordOf({ ballot: isCount, value: isText(20) })) },
      accept: { ballot: isCount, value: isText(20) },
      accepted: { ballot: isCount },
    },
    commands: { propose: { waits: false, completedBy: ['chosen'] } },
  },
  { properties: ({ options, topology }) => properties(topology.nodes.length - options.acceptors) },
  { paper: 'Lamport: Paxos Made Simple (ACM SIGACT News 32(4), 2001)' },
);
