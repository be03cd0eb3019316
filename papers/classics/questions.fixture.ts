/**
 * Facts about each classic: the number of states of its scenario, its unreachable parts, and for each property a mistake in the charts that
 * violates it.
 */
import { assign, type AnyStateMachine } from 'xstate';
import type { Protocol } from '../../index.js';
import type { Reasons } from '../../test/coverage/report.js';
import { mutant } from '../../test/explore/mutants.fixture.js';

/** The charts with a mistake in one of them. */
export type Mistake = (protocol: Protocol) => Protocol;

export interface Questions {
  readonly states: number;
  readonly transitions: number;
  /** True to allow every command at any node at any time, on the scenario's network, instead of the scenario. */
  readonly isUnlimited?: boolean;
  /** Additional systems: the scenario with other members. */
  readonly also?: readonly { readonly change: object; readonly states: number; readonly transitions: number }[];
  /** Seeded runs of a larger system, if these systems are too small; some of them violate an always property with the mistake. */
  readonly runs?: { readonly change: object; readonly seeds: number; readonly property: string; readonly mistake: Mistake };
  /** Parts that no run of these systems reaches, with the reason. */
  readonly unreached?: Reasons;
  /** The relevant part of the charts, if the rest belongs to another classic. */
  readonly part?: RegExp;
  /** Mistakes by the names of the violated properties. */
  readonly mistakes: Readonly<Record<string, Mistake>>;
}

const inChart =
  (change: (machine: AnyStateMachine) => AnyStateMachine, chart?: string): Mistake =>
  (protocol) => {
    const name = chart ?? Object.keys(protocol.charts)[0]!;
    return { ...protocol, charts: { ...protocol.charts, [name]: change(protocol.charts[name]!) } };
  };
const guard = (name: string, implementation: (args: any, params: any) => boolean, chart?: string): Mistake =>
  inChart((machine) => machine.provide({ guards: { [name]: implementation } } as never), chart);
/** Reverses the comparison, so that the least number wins. */
const leastWins = inChart((machine) => {
  const isLess = ({ context }: any, { number }: any) => number < context.number;
  const guards = { isGreater: isLess, goesFurther: (args: any, probe: any) => isLess(args, probe) && probe.hops > 1 };
  return machine.provide({ guards } as never);
});
/** Replaces the assignment of an action. */
const assigns = (name: string, assignment: (args: any, params: any) => object, chart?: string): Mistake =>
  inChart((machine) => machine.provide({ actions: { [name]: assign(assignment as never) } } as never), chart);
const idle = (name: string, chart?: string): Mistake => assigns(name, () => ({}), chart);
const edit = (change: (states: any) => void, chart?: string): Mistake => inChart((machine) => mutant(machine, change), chart);

const A_RING_OF_THREE = 'in a ring of three nobody is asked for the first time by a probe that goes further';

const someStart = (...nodes: readonly string[]) => nodes.map((node) => ({ at: 0, node, do: 'start' }));

export const questions: Readonly<Record<string, Questions>> = {
  'ricart-agrawala': {
    states: 2806,
    transitions: 8261,
    mistakes: {
      'mutual exclusion': guard('isOursFirst', () => false),
      'no starvation': edit(({ inside }) => inside.on.leave.actions.shift()),
      'in the order of numbers': idle('noteNumber'),
    },
  },
  'suzuki-kasami': {
    states: 726,
    transitions: 2079,
    mistakes: {
      'mutual exclusion': edit(({ holding }) => (holding.on.request[0].target = undefined)),
      'no starvation': idle('fillQueue'),
      'one token': edit(({ leaving }) => leaving.always[0].actions.shift()),
    },
  },
  ring: {
    states: 54,
    transitions: 92,
    unreached: {
      'ring: transition relayed: probe': 'numbers rise along this ring, so that no node is passed by two probes',
      'ring: guard relayed: probe is true': 'numbers rise along this ring, so that no node is passed by two probes',
    },
    mistakes: {
      'the greatest leads': guard('isOwn', () => true),
      'one leader': assigns('remember', ({ context }) => ({ leader: context.number })),
      'an election ends': edit(({ relayed }) => relayed.on.victory.actions.pop()),
    },
  },
  echo: {
    states: 63,
    transitions: 113,
    mistakes: {
      'all nodes participated': guard('receivedAll', ({ context }) => context.awaited <= 1),
      'a spanning tree': idle('adopt'),
      'it decides': edit(({ engaged }) => delete engaged.always.actions),
    },
  },
  'dijkstra-scholten': {
    states: 742,
    transitions: 2064,
    mistakes: {
      'over is over': idle('countWork'),
      'a tree of the engaged': guard('hasNoDeficit', ({ context }) => context.parent !== null),
      'the end is noticed': edit(({ engaged }) => delete engaged.on.work.actions),
    },
  },
  'dijkstra-ring': {
    states: 256,
    transitions: 640,
    mistakes: {
      'a machine may move': guard('equalsLeft', () => false),
      'one privilege stays one': assigns('copyLeft', ({ context }) => ({ value: (context.left + 1) % context.states }), 'other'),
      'one privilege comes': edit(({ privileged }) => privileged.on.timer.actions.unshift('increment')),
    },
  },
  'two-phase-commit': {
    states: 584,
    transitions: 1949,
    isUnlimited: true,
    mistakes: {
      consistent: guard('allPrepared', () => true),
      'no commit without all': guard('allPrepared', ({ context }) => context.prepared.length >= context.resources.length - 1),
      'a decision reaches all nodes': edit(({ init }) => delete init.on.undo.actions),
    },
  },
  paxos: {
    states: 111_670,
    transitions: 552_244,
    also: [
      {
        change: {
          topology: { kind: 'complete', n: 3 },
          options: { acceptors: 1 },
          events: ['n0', 'n0', 'n1', 'n0'].map((node) => ({ at: 0, node, do: 'propose' })),
        },
        states: 1738,
        transitions: 4791,
      },
    ],
    runs: {
      change: {
        network: { latency: { min: 1, max: 12 } },
        events: [0, 6, 20].map((at, i) => ({ at, node: `n${i % 2}`, do: 'propose' })),
      },
      seeds: 100,
      property: 'agreement',
      mistake: assigns(
        'keepHighest',
        ({ context: { highest } }, { vote }) => ({
          highest: vote && (!highest || vote.ballot < highest.ballot) ? vote : highest,
        }),
        'proposer',
      ),
    },
    mistakes: {
      agreement: guard('isNotLower', () => true, 'acceptor'),
      'one value a ballot': assigns('voteForIt', (_, { value }) => ({ vote: { ballot: 2, value } }), 'acceptor'),
      'value 1 can be chosen': guard('isOfBallot', (_, { ballot }) => ballot === 2),
      'value 2 can be chosen': guard('isOfBallot', (_, { ballot }) => ballot === 1),
    },
  },
  bakery: {
    states: 791,
    transitions: 2310,
    mistakes: {
      'mutual exclusion': guard(
        'goesFirst',
        ({ context }, { number, rank }) => number !== 0 && [number, rank] < [context.number, context.rank],
      ),
      'no starvation': guard('goesFirst', () => true),
      'in the order of numbers': assigns('chooseNumber', () => ({ number: 1 })),
    },
  },
  'naimi-trehel': {
    states: 1476,
    transitions: 3352,
    mistakes: {
      'mutual exclusion': edit(({ outside }) => delete outside.states.holding.on.request.target),
      'no starvation': edit(({ inside }) => delete inside.states.last.on.request.target),
      'one token': edit(({ outside }) => delete outside.states.holding.on.request.target),
    },
  },
  'hirschberg-sinclair': {
    states: 1700,
    transitions: 5448,
    unreached: {
      'hirschberg-sinclair: transition idle: probe': A_RING_OF_THREE,
      'hirschberg-sinclair: transition candidate: probe': A_RING_OF_THREE,
      'hirschberg-sinclair: guard idle: probe is true': A_RING_OF_THREE,
      'hirschberg-sinclair: guard candidate: probe is true': A_RING_OF_THREE,
    },
    mistakes: {
      'the greatest leads': leastWins,
      'greatest around': guard('bothReplied', ({ context }) => context.awaited <= 1),
      'an election ends': edit(({ lost }) => delete lost.on.reply),
    },
  },
  'g-counter': {
    states: 2434,
    transitions: 9312,
    mistakes: {
      'nothing invented': assigns('countOne', ({ context }) => ({
        counts: Object.fromEntries(Object.keys(context.counts).map((node) => [node, 1])),
      })),
      'all increments are known': edit(({ counting }) => counting.on.merge.actions.pop()),
    },
  },
  'chandy-lamport': {
    states: 12_099,
    transitions: 37_399,
    part: /recorder/,
    mistakes: {
      'recorded: mutual exclusion': (protocol) => ({ ...protocol, network: { ...protocol.network, order: 'unordered' } }),
      'recorded: one token': guard('isOpen', () => false),
      'a snapshot ends': edit(({ recorder }) => recorder.states.idle.on.marker.actions.pop()),
    },
  },
  'ben-or': {
    states: 6446,
    transitions: 27_649,
    also: [
      { change: { options: { values: [0, 1, 1], rounds: 2 }, events: someStart('n0', 'n1') }, states: 6717, transitions: 33_518 },
      { change: { options: { values: [1, 1, 1], rounds: 2 }, events: someStart('n0', 'n1') }, states: 1789, transitions: 8702 },
      {
        change: { events: [...someStart('n0', 'n1', 'n2'), { at: 1, node: 'n0', do: 'crash' }] },
        states: 27_254,
        transitions: 113_802,
      },
    ],
    mistakes: {
      agreement: assigns('decide', ({ context }) => ({ decided: context.value })),
      validity: assigns('decide', ({ context }) => ({ decided: 1 - context.value })),
      'one round for one value': guard('isDecided', () => false),
      'one proposal a round': assigns('castProposal', ({ context: { received, round, value, id } }) => ({
        received: [...received, { type: 'vote', step: 2, round, value, from: id }],
      })),
      'rounds end': guard('proposalsAreIn', ({ context: { received, round, others } }) => {
        const proposals = received.filter((vote: { round: number; step: number }) => vote.round === round && vote.step === 2);
        return proposals.length > others.length;
      }),
      'a decision can be': guard('isDecided', () => false),
    },
  },
  'raft-election': {
    states: 46_274,
    transitions: 238_751,
    unreached: {
      'raft-election: guard leader: appended is false': 'who leads in two terms has stood in three',
    },
    mistakes: {
      'election safety': guard('mayVote', ({ context }, { term }) => term === context.term),
      'leader completeness': guard('mayVote', ({ context }, { term }) => term === context.term && context.votedFor === null),
      'state machine safety': guard('isUncommitted', ({ context }) => context.entry !== null && context.committed === null),
      'a leader can be': guard('isMajority', () => false),
    },
  },
};
