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
import { draw, effects, send, withEvent, type NodeId } from '../../index.js';

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
