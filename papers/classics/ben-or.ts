/**
 * Agreement on a bit among nodes some of which may crash, by tossing coins: it ends with probability 1 and is never wrong.
 *
 * Paper: Ben-Or, "Another Advantage of Free Choice: Completely Asynchronous Agreement Protocols" (PODC 1983), protocol A. Assumes reliable
 * channels in any order, and that fewer than half of the nodes crash, `faulty` at most. States. idle. reporting (step 1): waits for n - f
 * reports of its round. proposing (step 2): waits for n - f proposals. concluding, tossing: within the step that ends a round. stopped: has
 * completed all its rounds. A node that has decided continues, so that others decide. Invariant: in one round all proposals are for the
 * same value. Departure: the paper's rounds have no end; here `rounds` bounds them, so that a search ends.
 */
import { assign, emit, setup } from 'xstate';
import {
  draw,
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
import type { Instance } from '../../machines/protocol.js';
import { integer, refuseUnknown } from '../../machines/checks.js';
import { isIn, nodesIn, others, classicRoles } from './common.js';

export interface BenOrVote {
  readonly type: 'vote';
  readonly step: 1 | 2;
  readonly round: number;
  /** null: no proposal. */
  readonly value: number | null;
}
type Received = BenOrVote & { readonly from: NodeId };
export interface BenOrInput {
  readonly id: NodeId;
  readonly others: readonly NodeId[];
  readonly faulty: number;
  readonly rounds: number;
  readonly value: number;
}
export interface BenOrContext extends BenOrInput {
  readonly round: number;
  readonly decided: number | null;
  /** Own votes and received votes, of this round and later ones, in order. */
  readonly received: readonly Received[];
}
type Event = Received | { type: 'start' } | { type: 'drawn'; value: number };
type In = { context: BenOrContext };

const votesOf = ({ received, round }: BenOrContext, step: 1 | 2) =>
  received.filter((vote) => vote.round === round && vote.step === step);
const isEnough = (context: BenOrContext, step: 1 | 2) =>
  votesOf(context, step).length >= context.others.length + 1 - context.faulty;
const times = (votes: readonly BenOrVote[], value: number) => votes.filter((vote) => vote.value === value).length;
/** Value that more than half of all nodes report, if any. */
const majority = (context: BenOrContext) =>
  [0, 1].find((value) => times(votesOf(context, 1), value) > (context.others.length + 1) / 2) ?? null;
const proposed = (context: BenOrContext) => votesOf(context, 2).find(({ value }) => value !== null)?.value ?? null;
const keyOf = ({ round, step, from }: Received) => `${round} ${step} ${from}`;
const noted = ({ received, round }: BenOrContext, vote: Received) => ({
  received: [...received, vote].filter((one) => one.round >= round).toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1)),
});
const vote = (context: BenOrContext, step: 1 | 2): BenOrVote => ({
  type: 'vote',
  step,
  round: context.round,
  value: step === 1 ? context.value : majority(context),
});
const cast = (context: BenOrContext, step: 1 | 2) => noted(context, { ...vote(context, step), from: context.id });
const ownReport = ({ context }: In) => ({ to: context.others, message: vote(context, 1) });
const ownProposal = ({ context }: In) => ({ to: context.others, message: vote(context, 2) });
const report = ['castReport', send(ownReport)] as const;

export const benOrMachine = setup({
  types: {} as { context: BenOrContext; events: Event; input: BenOrInput; emitted: { type: 'decided'; value: number | null } },
  actions: {
    ...effects<BenOrVote>(),
    castReport: assign(({ context }) => cast(context, 1)),
    castProposal: assign(({ context }) => cast(context, 2)),
    note: assign(({ context }, vote: Received) => noted(context, vote)),
    decide: assign(({ context }) => ({ decided: proposed(context) })),
    announce: emit(({ context }) => ({ type: 'decided' as const, value: context.decided })),
    adopt: assign(({ context }) => ({ value: proposed(context) ?? context.value })),
    takeCoin: assign((_, { value }: { value: number }) => ({ value })),
    nextRound: assign({ round: ({ context }) => context.round + 1 }),
  },
  guards: {
    reportsAreIn: ({ context }) => isEnough(context, 1),
    proposalsAreIn: ({ context }) => isEnough(context, 2),
    isDecided: ({ context }) =>
      isEnough(context, 2) && context.decided === null && times(votesOf(context, 2), proposed(context) ?? -1) > context.faulty,
    isLastRound: ({ context }) => context.round === context.rounds,
    isProposed: ({ context }) => proposed(context) !== null,
  },
}).createMachine({
  id: 'ben-or',
  context: ({ input }) => ({ ...input, round: 1, decided: null, received: [] }),
  initial: 'idle',
  on: { vote: { actions: withEvent('note') } },
  states: {
    idle: { on: { start: { target: 'reporting', actions: report } } },
    reporting: { always: { guard: 'reportsAreIn', target: 'proposing', actions: ['castProposal', send(ownProposal)] } },
    proposing: {
      always: [
        { guard: 'isDecided', target: 'concluding', actions: ['decide', 'announce'] },
        { guard: 'proposalsAreIn', target: 'concluding' },
      ],
    },
    concluding: {
      always: [
        { guard: 'isLastRound', target: 'stopped' },
        { guard: 'isProposed', target: 'reporting', actions: ['adopt', 'nextRound', ...report] },
        { target: 'tossing', actions: draw(() => ({ bound: 2 })) },
      ],
    },
    tossing: { on: { drawn: { target: 'reporting', actions: [withEvent('takeCoin'), 'nextRound', ...report] } } },
    stopped: {},
  },
});

/** The description of Ben-Or's agreement: `values` are the nodes' initial values, and at most `faulty` of them may crash. */
type Options = Pick<BenOrInput, 'faulty' | 'rounds'> & { readonly values: readonly number[] };
const { isCount, isOneOf, nullOr } = shapes;
const decisions = (c: Configuration) => classicRoles<BenOrContext>(c).flatMap(({ context }) => context.decided ?? []);
/** Nodes that have completed at least one round. */
const experienced = (c: Configuration) =>
  classicRoles<BenOrContext>(c).filter(({ value, context }) => value === 'stopped' || context.round > 1);
const proposals = (c: Configuration) =>
  classicRoles<BenOrContext>(c).flatMap(({ context: { id, received } }) =>
    received.filter(({ from, step, value }) => from === id && step === 2 && value !== null),
  );

/** True if at most the allowed number of nodes have crashed, and all others have started. */
const isBorne = (c: Configuration, faulty: number) =>
  (c.crashed ?? []).length <= faulty && nodesIn(c, 'idle').every((node) => c.crashed?.includes(node));

const properties = ({ options: { values, faulty } }: Instance<Options>): readonly Property<Options>[] => [
  {
    name: 'agreement',
    description: 'No two nodes decide differently.',
    kind: 'always',
    holds: (c) => new Set(decisions(c)).size <= 1,
  },
  {
    name: 'validity',
    description: 'If all nodes begin with one value, no node decides the other value.',
    kind: 'always',
    holds: (c) => new Set(values).size > 1 || decisions(c).every((value) => value === values[0]),
  },
  {
    name: 'one round for one value',
    description: 'If all nodes begin with one value, each node that has completed a round has decided.',
    kind: 'always',
    holds: (c) => new Set(values).size > 1 || experienced(c).every(({ context }) => context.decided !== null),
  },
  {
    name: 'one proposal a round',
    description: 'All proposals of a round are for the same value.',
    kind: 'always',
    holds: (c) => proposals(c).every((a) => proposals(c).every((b) => a.round !== b.round || a.value === b.value)),
  },
  {
    name: 'rounds end',
    description: 'If all nodes have started and no more crash than allowed, all other nodes complete all rounds.',
    kind: 'eventually',
    when: (c, node) => isBorne(c, faulty) && !isIn(c, node, 'stopped') && !c.crashed?.includes(node),
    holds: (c, node) => !isBorne(c, faulty) || isIn(c, node, 'stopped') || c.crashed!.includes(node),
  },
  {
    name: 'a decision can be',
    description: 'Some node decides in some run.',
    kind: 'sometimes',
    holds: (c) => decisions(c).length > 0,
  },
];

export const benOr = defineProtocol<Options>(
  {
    name: 'ben-or',
    charts: { 'ben-or': benOrMachine },
    network: { reach: 'routed' },
    options: (raw, { topology: { nodes } }) => {
      refuseUnknown(raw, ['values', 'faulty', 'rounds']);
      const { values = nodes.map((_, i) => i % 2) } = raw;
      if (!Array.isArray(values) || values.length !== nodes.length || !values.every((value) => value === 0 || value === 1))
        throw new UsageError(`options.values must contain a 0 or a 1 for each of the ${nodes.length} nodes.`);
      const most = Math.ceil(nodes.length / 2) - 1;
      const faulty = integer(raw, 'faulty', { min: 0, max: most, fallback: most });
      return { values, faulty, rounds: integer(raw, 'rounds', { min: 1, fallback: 10 }) };
    },
    input: (id, instance): BenOrInput => {
      const { faulty, rounds, values } = instance.options;
      return { id, others: others(id, instance), faulty, rounds, value: values[instance.rank(id)]! };
    },
    messages: { vote: { step: isOneOf(1, 2), round: isCount, value: nullOr(isOneOf(0, 1)) } },
    commands: { start: { completedBy: ['decided'] } },
  },
  { properties },
  { paper: 'Ben-Or: Another Advantage of Free Choice, Completely Asynchronous Agreement Protocols (PODC 1983)' },
);
