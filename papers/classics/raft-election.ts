/**
 * Raft's election, with a log that has room for one entry: enough for its proof.
 *
 * Paper: Ongaro, Ousterhout, "In Search of an Understandable Consensus Algorithm" (USENIX ATC 2014), sections 5.1, 5.2 and 5.4. Assumes
 * messages that may be lost, duplicated and reordered, and nodes that never forget term, vote and entry. States. follower: votes and takes
 * entries; a timeout makes it a candidate. candidate: asks all for their votes in a new term. leader: got those of a majority. Invariants:
 * one leader a term; an entry that is committed is in the log of every later leader. Departures. A leader that finds an entry of an earlier
 * term writes it again in its own, as an empty entry of its term does in a longer log (5.4.2). Heartbeats are left out. Terms end at
 * `terms`, so that a search ends.
 */
import { assign, emit, raise, setup } from 'xstate';
import {
  arm,
  disarm,
  effects,
  send,
  withEvent,
  type NodeId,
  defineProtocol,
  shapes,
  UsageError,
  type Configuration,
  type Property,
} from '../../index.js';
import { isIntegerOf, refuseUnknown } from '../../machines/checks.js';
import { nodesIn, others, classicRole, classicRoles } from './common.js';

export type LogEntry = { readonly term: number; readonly value: NodeId };
export interface RaftElectionInput {
  readonly id: NodeId;
  readonly others: readonly NodeId[];
  /** The last term in which this node is a candidate. */
  readonly terms: number;
  /** Ticks until it becomes a candidate; different ones instead of random ones. */
  readonly patience: number;
}
export interface RaftElectionContext extends RaftElectionInput {
  readonly term: number;
  readonly votedFor: NodeId | null;
  readonly entry: LogEntry | null;
  readonly committed: LogEntry | null;
  /** Other nodes that have voted for this candidate, or have the entry of this leader. */
  readonly granted: readonly NodeId[];
}
export type RaftMessage =
  | { readonly type: 'requestVote'; readonly term: number; readonly lastTerm: number }
  | { readonly type: 'vote' | 'appended'; readonly term: number }
  | { readonly type: 'append'; readonly term: number; readonly entry: LogEntry };
type Of<T extends RaftMessage['type']> = Extract<RaftMessage, { type: T }> & { readonly from: NodeId };
type Event =
  | Of<'requestVote'>
  | Of<'append'>
  | (RaftMessage & { type: 'vote' | 'appended'; from: NodeId })
  | { type: 'timer'; timer: string }
  | { type: 'write' };
type In<E = unknown> = { context: RaftElectionContext; event: E };

const election = ({ context: { patience } }: In) => ({ timer: 'election', delay: patience });
const requestVotes = ({ context: { others, term, entry } }: In) => ({
  to: others,
  message: { type: 'requestVote' as const, term, lastTerm: entry?.term ?? 0 },
});
const vote = ({ context: { term }, event: { from } }: In<{ from: NodeId }>) => ({
  to: from,
  message: { type: 'vote' as const, term },
});
const append = ({ context: { others, term, entry } }: In) => ({
  to: entry ? others : [],
  message: { type: 'append' as const, term, entry: entry! },
});
const appended = ({ context: { term }, event: { from } }: In<{ from: NodeId }>) => ({
  to: from,
  message: { type: 'appended' as const, term },
});

const stepDown = { guard: withEvent('isNewer'), target: '.follower', actions: [withEvent('adoptTerm'), 'takeAgain'] } as const;
const takeEntry = {
  guard: withEvent('isOfTerm'),
  target: 'follower',
  actions: [withEvent('keepEntry'), send(appended)],
} as const;
const candidacy = { guard: 'mayGoOn', target: 'candidate', reenter: true, actions: ['nextTerm', send(requestVotes)] } as const;

export const raftElectionMachine = setup({
  types: {} as {
    context: RaftElectionContext;
    events: Event;
    input: RaftElectionInput;
    emitted: { type: 'elected' } | { type: 'committed' };
  },
  actions: {
    ...effects<RaftMessage>(),
    adoptTerm: assign((_, { term }: { term: number }) => ({ term, votedFor: null, granted: [] })),
    nextTerm: assign(({ context: { id, term } }) => ({ term: term + 1, votedFor: id, granted: [] })),
    voteFor: assign((_, { from }: { from: NodeId }) => ({ votedFor: from })),
    count: assign(({ context }, { from }: { from: NodeId }) => ({
      granted: [...new Set([...context.granted, from])].toSorted(),
    })),
    keepEntry: assign((_, { entry }: { entry: LogEntry }) => ({ entry })),
    takeOver: assign(({ context: { entry, term } }) => ({ granted: [], entry: entry && { ...entry, term } })),
    writeEntry: assign(({ context: { id, term } }) => ({ entry: { term, value: id } })),
    commit: assign(({ context }) => ({ committed: context.entry })),
    takeAgain: raise(({ event }) => event),
    announceElection: emit({ type: 'elected' }),
    announceCommit: emit({ type: 'committed' }),
  },
  guards: {
    isNewer: ({ context }, { term }: { term: number }) => term > context.term,
    isOfTerm: ({ context }, { term }: { term: number }) => term === context.term,
    mayVote: ({ context: { term, votedFor, entry } }, request: Of<'requestVote'>) =>
      request.term === term && (votedFor === null || votedFor === request.from) && request.lastTerm >= (entry?.term ?? 0),
    isMajority: ({ context: { granted, others } }) => granted.length + 1 > (others.length + 1) / 2,
    isUncommitted: ({ context: { granted, others, entry, committed } }) =>
      entry !== null && committed === null && granted.length + 1 > (others.length + 1) / 2,
    isEmpty: ({ context }) => context.entry === null,
    mayGoOn: ({ context: { term, terms } }) => term < terms,
  },
}).createMachine({
  id: 'raft-election',
  context: ({ input }) => ({ ...input, term: 0, votedFor: null, entry: null, committed: null, granted: [] }),
  initial: 'follower',
  on: { requestVote: stepDown, append: stepDown },
  states: {
    follower: {
      entry: arm(election),
      on: {
        timer: candidacy,
        requestVote: { guard: withEvent('mayVote'), actions: [withEvent('voteFor'), send(vote)] },
        append: takeEntry,
      },
    },
    candidate: {
      entry: arm(election),
      always: { guard: 'isMajority', target: 'leader', actions: ['takeOver', 'announceElection', send(append)] },
      on: { timer: candidacy, vote: { guard: withEvent('isOfTerm'), actions: withEvent('count') }, append: takeEntry },
    },
    leader: {
      entry: disarm(election),
      always: { guard: 'isUncommitted', actions: ['commit', 'announceCommit'] },
      on: {
        write: { guard: 'isEmpty', actions: ['writeEntry', send(append)] },
        appended: { guard: withEvent('isOfTerm'), actions: withEvent('count') },
      },
    },
  },
});

/**
 * The description of Raft's election with a log of one; `terms` contains for each node the last term in which it is a candidate, 0 for
 * never.
 */
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
