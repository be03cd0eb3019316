/**
 * Single-decree Paxos: proposers get one value chosen by a majority of acceptors, and never two. The charts of both.
 *
 * Paper: Lamport, "Paxos Made Simple" (ACM SIGACT News 32(4), 2001), section 2. Assumes messages that may be lost, duplicated and
 * reordered, and acceptors that never forget their promises. States of a proposer. idle. preparing (phase 1): collects promises. accepting
 * (phase 2): has asked to accept and collects votes. chosen: a majority has voted for its ballot. Another `propose` starts again with a
 * higher ballot. States of an acceptor. open: has voted for nothing. voted: has voted for a value, the last one in `vote`. `promised` only
 * grows. Invariant: when a value is chosen in a ballot, no higher ballot proposes another one.
 */
import { assign, emit, setup } from 'xstate';
import {
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
import { integer, refuseUnknown } from '../../machines/checks.js';
import { nodesIn, classicRole, classicRoles } from './common.js';

export type Vote = { readonly ballot: number; readonly value: string };
export interface Proposer {
  readonly acceptors: readonly NodeId[];
  /** Value that this proposer requests if it is free to choose; later, the value that it must request. */
  readonly value: string;
  /** Ballots of different proposers differ: rank, rank + step, rank + 2 step. */
  readonly ballot: number;
  readonly step: number;
  /** Vote of the highest ballot among the promises of this ballot. */
  readonly highest: Vote | null;
  /** Nodes that have answered in this phase. */
  readonly answered: readonly NodeId[];
}
export interface Acceptor {
  readonly promised: number;
  readonly vote: Vote | null;
}
type Prepare = { readonly type: 'prepare'; readonly ballot: number };
type Promise = { readonly type: 'promise'; readonly ballot: number; readonly vote: Vote | null };
type Accept = { readonly type: 'accept' } & Vote;
type Accepted = { readonly type: 'accepted'; readonly ballot: number };
type From<M> = M & { readonly from: NodeId };

const prepare = ({ context: { acceptors, ballot } }: { context: Proposer }) => ({
  to: acceptors,
  message: { type: 'prepare' as const, ballot },
});
const accept = ({ context: { acceptors, ballot, value } }: { context: Proposer }) => ({
  to: acceptors,
  message: { type: 'accept' as const, ballot, value },
});
const promise = ({ context: { vote }, event: { from, ballot } }: { context: Acceptor; event: From<Prepare> }) => ({
  to: from,
  message: { type: 'promise' as const, ballot, vote },
});
const accepted = ({ event: { from, ballot } }: { event: From<Accept> }) => ({
  to: from,
  message: { type: 'accepted' as const, ballot },
});

export const proposer = setup({
  types: {} as {
    context: Proposer;
    input: Omit<Proposer, 'highest' | 'answered'>;
    events: From<Promise> | From<Accepted> | { type: 'propose' };
    emitted: { type: 'chosen'; value: string };
  },
  actions: {
    ...effects<Prepare | Accept>(),
    nextBallot: assign(({ context: { ballot, step } }) => ({ ballot: ballot + step, highest: null, answered: [] })),
    count: assign(({ context }, { from }: { from: NodeId }) => ({
      answered: [...new Set([...context.answered, from])].toSorted(),
    })),
    keepHighest: assign(({ context: { highest } }, { vote }: Promise) => ({
      highest: vote && (!highest || vote.ballot > highest.ballot) ? vote : highest,
    })),
    bindValue: assign(({ context: { highest, value } }) => ({ value: highest?.value ?? value, answered: [] })),
    announce: emit(({ context: { value } }) => ({ type: 'chosen' as const, value })),
  },
  guards: {
    isOfBallot: ({ context }, { ballot }: { ballot: number }) => ballot === context.ballot,
    isMajority: ({ context: { answered, acceptors } }) => answered.length > acceptors.length / 2,
  },
}).createMachine({
  id: 'proposer',
  context: ({ input }) => ({ ...input, highest: null, answered: [] }),
  initial: 'idle',
  on: { propose: { target: '.preparing', actions: ['nextBallot', send(prepare)] } },
  states: {
    idle: {},
    preparing: {
      always: { guard: 'isMajority', target: 'accepting', actions: ['bindValue', send(accept)] },
      on: { promise: { guard: withEvent('isOfBallot'), actions: [withEvent('count'), withEvent('keepHighest')] } },
    },
    accepting: {
      always: { guard: 'isMajority', target: 'chosen', actions: 'announce' },
      on: { accepted: { guard: withEvent('isOfBallot'), actions: withEvent('count') } },
    },
    chosen: { on: { propose: {} } },
  },
});

export const acceptor = setup({
  types: {} as { context: Acceptor; events: From<Prepare> | From<Accept> },
  actions: {
    ...effects<Promise | Accepted>(),
    promiseIt: assign((_, { ballot }: { ballot: number }) => ({ promised: ballot })),
    voteForIt: assign((_, { ballot, value }: Vote) => ({ vote: { ballot, value } })),
  },
  guards: {
    isHigher: ({ context }, { ballot }: { ballot: number }) => ballot > context.promised,
    isNotLower: ({ context }, { ballot }: { ballot: number }) => ballot >= context.promised,
  },
}).createMachine({
  id: 'acceptor',
  context: { promised: 0, vote: null },
  initial: 'open',
  on: {
    prepare: { guard: withEvent('isHigher'), actions: [withEvent('promiseIt'), send(promise)] },
    accept: {
      guard: withEvent('isNotLower'),
      target: '.voted',
      actions: [withEvent('promiseIt'), withEvent('voteForIt'), send(accepted)],
    },
  },
  states: { open: {}, voted: {} },
});

/** The description of Paxos: the last `acceptors` nodes accept (default: 3), the others propose their own value. */
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
