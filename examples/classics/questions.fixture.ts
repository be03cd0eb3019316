/**
 * What is asked about each classic: how many states its scenario has, what no run of it can reach, and for each of its properties a
 * mistake in the charts that breaks it.
 */
import { assign, type AnyStateMachine } from 'xstate';
import type { Protocol } from '../../index.js';
import type { Reasons } from '../../test/index.js';
import { mutant } from '../../test/explore/mutants.fixture.js';

/** The charts with a mistake in one of them. */
export type Mistake = (protocol: Protocol) => Protocol;

export interface Questions {
  readonly states: number;
  readonly transitions: number;
  /** Asked of every command at any node at any time, on the scenario's network, in place of the scenario. */
  readonly isUnlimited?: boolean;
  /** What no run of the scenario reaches, with the reason. */
  readonly unreached?: Reasons;
  /** By the name of the property. */
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
/** In place of what an action assigns. */
const assigns = (name: string, assignment: (args: any, params: any) => object, chart?: string): Mistake =>
  inChart((machine) => machine.provide({ actions: { [name]: assign(assignment as never) } } as never), chart);
const idle = (name: string, chart?: string): Mistake => assigns(name, () => ({}), chart);
const edit = (change: (states: any) => void, chart?: string): Mistake => inChart((machine) => mutant(machine, change), chart);

const ONE_BALLOT = 'each proposer of this scenario begins one ballot; a test of its own begins several';

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
      'everybody took part': guard('heardAll', ({ context }) => context.awaited <= 1),
      'a spanning tree': idle('adopt'),
      'it decides': edit(({ engaged }) => delete engaged.always.actions),
    },
  },
  'dijkstra-scholten': {
    states: 742,
    transitions: 2064,
    mistakes: {
      'over is over': idle('countWork'),
      'a tree of the engaged': guard('isOwedNothing', ({ context }) => context.parent !== null),
      'the end is noticed': edit(({ engaged }) => delete engaged.on.work.actions),
    },
  },
  'dijkstra-ring': {
    states: 256,
    transitions: 640,
    mistakes: {
      'somebody may move': guard('equalsLeft', () => false),
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
      'a decision reaches everybody': edit(({ init }) => delete init.on.undo.actions),
    },
  },
  paxos: {
    states: 111_670,
    transitions: 552_244,
    unreached: {
      'proposer: transition chosen: propose': ONE_BALLOT,
      'proposer: guard preparing: promise is false': ONE_BALLOT,
      'proposer: guard accepting: accepted is false': ONE_BALLOT,
    },
    mistakes: {
      agreement: guard('isNotLower', () => true, 'acceptor'),
      'one value a ballot': assigns('voteForIt', (_, { value }) => ({ vote: { ballot: 2, value } }), 'acceptor'),
      'value 1 can be chosen': guard('isOfBallot', (_, { ballot }) => ballot === 2),
      'value 2 can be chosen': guard('isOfBallot', (_, { ballot }) => ballot === 1),
    },
  },
};
