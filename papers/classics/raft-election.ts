/**
 * The description of Raft's election with a log of one; `terms` contains for each node the last term in which it is a candidate, 0 for
 * never.
 */
import { defineProtocol, shapes, UsageError, type Configuration, type Property } from '../../index.js';
import { isIntegerOf, refuseUnknown } from '../../machines/checks.js';
import { nodesIn, others, classicRole, classicRoles } from './common.js';
import { raftElectionMachine, type RaftElectionContext, type RaftElectionInput } from './raft-election.chart.js';

const { isCount, isNode, recordOf } = shapes;
const leaders = (c: Configuration) => nodesIn(c, 'leader').map((node) => classicRole<RaftElectionContext>(c, node).context);
const committed = (c: Configuration) => classicRoles<RaftElectionContext>(c).flatMap(({ context }) => context.committed ?? []);

const properties: readonly Property[] = [
  {
    name: 'election safety',
    description: 'At most one leader is elected in a term.',
    kind: 'always',
    holds: (c) => new Set(leaders(c).map(({ term }) => term)).size === leaders(c).length,
  },
  {
    name: 'leader completeness',
    description: 'The log of every leader contains all entries that were committed in earlier terms.',
    kind: 'always',
    holds: (c) =>
      leaders(c).every(({ term, entry }) => committed(c).every((one) => one.term >= term || one.value === entry?.value)),
  },
  {
    name: 'state machine safety',
    description: 'No two nodes commit different entries.',
    kind: 'always',
    holds: (c) => new Set(committed(c).map(({ value }) => value)).size <= 1,
  },
  {
    name: 'a leader can be',
    description: 'Some run elects a leader.',
    kind: 'sometimes',
    holds: (c) => leaders(c).length > 0,
  },
];

export const raftElection = defineProtocol<{ terms: readonly number[] }>(
  {
    name: 'raft-election',
    charts: { 'raft-election': raftElectionMachine },
    network: { reach: 'routed', isLossy: true },
    options: (raw, { topology: { nodes } }) => {
      refuseUnknown(raw, ['terms']);
      const { terms = nodes.map(() => 10) } = raw;
      if (Array.isArray(terms) && terms.length === nodes.length && terms.every((term) => isIntegerOf(term, 0))) return { terms };
      throw new UsageError(
        `options.terms must contain, for each of the ${nodes.length} nodes, the last term in which it is a candidate (at least 0).`,
      );
    },
    input: (id, instance): RaftElectionInput => {
      const rank = instance.rank(id);
      return { id, others: others(id, instance), terms: instance.options.terms[rank]!, patience: 10 + 5 * rank };
    },
    messages: {
      requestVote: { term: isCount, lastTerm: isCount },
      vote: { term: isCount },
      append: { term: isCount, entry: recordOf({ term: isCount, value: isNode }) },
      appended: { term: isCount },
    },
    commands: { write: { waits: true, completedBy: ['committed'] } },
  },
  { properties: () => properties },
  { paper: 'Ongaro, Ousterhout: In Search of an Understandable Consensus Algorithm (USENIX ATC 2014)' },
);
