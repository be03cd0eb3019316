/**
 * Semi-synchronous schedules (section 2 of the paper), and Lemma 5.1: every asynchronous schedule has one with the same outcomes.
 *
 * In a semi-synchronous round the adversary activates a non-empty set of nodes. Each takes one action, and its messages can be received
 * from the next round on. Links change between rounds. Here a node's action is one step of its chart: a call, a message, or a link event.
 */
import type { NodeId } from '../../../machines/effects.js';
import { exclusion } from '../../../machines/exclusion/index.js';
import type { Step } from '../../../machines/protocol.js';
import { Random } from '../../../network/random.js';
import { parseScenario } from '../../../network/scenario/parse.js';
import { Simulation } from '../../../network/simulation.js';
import type { Choice } from '../../../network/world/choice.js';

/** One call of Lock per node, in this order, and links that are cut and joined in between. */
export interface LockCalls {
  readonly topology: object;
  readonly askers: readonly NodeId[];
  readonly changes?: readonly (readonly ['cut' | 'join', NodeId, NodeId])[];
  readonly rules?: 'corrected' | 'printed';
  readonly seed: number;
}

const PRIORITIES = 16;

/** A run that makes one choice after the other, and records the results. */
class Schedule {
  readonly simulation: Simulation;
  readonly steps: Step[] = [];
  private readonly choices: Choice[] = [];
  private readonly turns = new Map<string, number>();

  constructor(private readonly calls: LockCalls) {
    const { topology, askers, changes = [], rules = 'corrected', seed } = calls;
    const events = [
      ...askers.map((node) => ({ at: 0, node, do: 'lock' })),
      ...changes.map(([what, u, v]) => ({ at: 0, do: what, link: [u, v] })),
    ];
    const scenario = parseScenario(
      { protocol: 'exclusion', topology, options: { hold: 1, rules, priorities: PRIORITIES }, events, seed },
      { exclusion },
    );
    this.simulation = new Simulation(scenario, { host: 'snapshots', watch: false, choices: this.choices });
    this.simulation.network.steps$.subscribe((step) => this.steps.push(step));
    this.simulation.start();
  }

  /** The steps after this choice. The draws of a node depend on the node and its progress, not on other nodes. */
  make(choice: Choice, of: string): readonly Step[] {
    const before = this.steps.length;
    const turn = (this.turns.get(of) ?? 0) + 1;
    this.turns.set(of, turn);
    const random = new Random(this.calls.seed, `draws of ${of}, ${turn}`);
    this.choices.push({ ...choice, drawn: [0, 1, 2, 3].map(() => random.below(PRIORITIES)) });
    this.simulation.advance();
    return this.steps.slice(before);
  }
}

type Action = { readonly node: NodeId; readonly choice: Choice };

/** Possible actions of nodes: receive a message, make their call, or unlock what they have locked. */
class Possible {
  private readonly calls: Map<NodeId, Choice>;
  private readonly pending = new Set<NodeId>();

  constructor(
    private readonly schedule: Schedule,
    askers: readonly NodeId[],
  ) {
    this.calls = new Map(askers.map((node, event) => [node, { event }]));
  }

  actions(): Action[] {
    const messages = this.schedule.simulation.configuration.flights.map(({ to: node, id }) => ({
      node,
      choice: { deliver: id },
    }));
    const calls = [...this.calls].map(([node, choice]) => ({ node, choice }));
    return [...messages, ...calls, ...[...this.pending].map((node): Action => ({ node, choice: { command: [node, 'unlock'] } }))];
  }

  make({ node, choice }: Action): readonly Step[] {
    if ('event' in choice) this.calls.delete(node);
    if ('command' in choice) this.pending.delete(node);
    return this.note(this.schedule.make(choice, node));
  }

  /** Changes a link; a notified node may have locked all its remaining neighbors. */
  change(choice: Choice): readonly Step[] {
    return this.note(this.schedule.make(choice, 'links'));
  }

  private note(steps: readonly Step[]): readonly Step[] {
    for (const step of steps) if (step.emitted.some(({ type }) => type === 'locked')) this.pending.add(step.node);
    return steps;
  }
}

const lockedIn = (steps: readonly Step[]): number =>
  steps.filter(({ emitted }) => emitted.some(({ type }) => type === 'locked')).length;

export interface Rounds {
  readonly rounds: number;
  readonly isFinished: boolean;
}

/** Number of possible nodes that the adversary activates in a round. */
export type ActivatedShare = 'all' | 'half' | 'one';

/** Runs a semi-synchronous schedule; links change after the first rounds, one each. */
export function semiSynchronous(calls: LockCalls, activation: ActivatedShare, roundsMax = 3000): Rounds {
  const schedule = new Schedule(calls);
  const possible = new Possible(schedule, calls.askers);
  const random = new Random(calls.seed, 'adversary');
  const changes = (calls.changes ?? []).map((_, i): Choice => ({ event: calls.askers.length + i }));
  let rounds = 0;
  for (; rounds < roundsMax; rounds++) {
    const actions = possible.actions();
    if (actions.length === 0 && changes.length === 0) break;
    for (const action of activated(actions, activation, random)) possible.make(action);
    const change = changes.shift();
    if (change) possible.change(change);
  }
  return { rounds, isFinished: lockedIn(schedule.steps) === calls.askers.length };
}

/** One action of each activated node. */
function activated(actions: readonly Action[], activation: ActivatedShare, random: Random): Action[] {
  if (activation === 'one') return actions.length === 0 ? [] : [random.pick(actions)];
  const nodes = [...new Set(actions.map(({ node }) => node))];
  const chosen = activation === 'all' ? nodes : nodes.filter(() => random.below(2) === 0);
  const active = chosen.length > 0 ? chosen : nodes.slice(0, 1);
  return active.map((node) => random.pick(actions.filter((action) => action.node === node)));
}

/** Result of a step, without message numbers, which depend on the order of all messages. */
const outcomeOf = ({ kind, event, sent, emitted }: Step): string =>
  JSON.stringify([kind, event, sent.map(({ to, message }) => [to, message]), emitted]);

const outcomes = (steps: readonly Step[]): Map<NodeId, string[]> => {
  const byNode = new Map<NodeId, string[]>();
  for (const step of steps) byNode.set(step.node, [...(byNode.get(step.node) ?? []), outcomeOf(step)]);
  return byNode;
};

export interface Lemma51 {
  readonly executions: number;
  readonly rounds: number;
  /** True if each node did the same, with the same outcome, in both schedules. */
  readonly isSame: boolean;
}

interface Made {
  readonly choice: Choice;
  readonly steps: readonly Step[];
}

interface Execution extends Made {
  readonly node: NodeId;
  readonly round: number;
}

/**
 * Runs a random asynchronous schedule, sorts its executions into rounds as the proof of Lemma 5.1 does, and runs the rounds again. Each
 * execution then comes as early as its node, its message and earlier link changes allow, and those of one round in the opposite order.
 */
export function lemma51(calls: LockCalls): Lemma51 {
  const schedule = new Schedule(calls);
  const { executions, changesBefore } = asynchronous(schedule, calls);
  const last = Math.max(...executions.map(({ round }) => round));
  const again = new Schedule(calls);
  const renamed = new Map<number, number>();
  const rename = (steps: readonly Step[], remade: readonly Step[]) =>
    steps.forEach((step, i) => step.sent.forEach(({ id }, j) => renamed.set(id, remade[i]?.sent[j]?.id ?? -1)));
  for (let round = 0; round <= last; round++) {
    for (const { choice, steps } of changesBefore.get(round) ?? []) rename(steps, again.make(choice, 'links'));
    for (const { node, choice, steps } of executions.filter((execution) => execution.round === round).toReversed()) {
      rename(steps, again.make('deliver' in choice ? { deliver: renamed.get(choice.deliver)! } : choice, node));
    }
  }
  for (const { choice } of changesBefore.get(last + 1) ?? []) again.make(choice, 'links');
  const [first, second] = [outcomes(schedule.steps), outcomes(again.steps)];
  const isSame = first.size === second.size && [...first].every(([node, did]) => String(second.get(node)) === String(did));
  return { executions: executions.length, rounds: last + 1, isSame };
}

/** Random sequence of single actions of nodes, with occasional changes of links. */
function asynchronous(schedule: Schedule, { askers, changes = [], seed }: LockCalls) {
  const possible = new Possible(schedule, askers);
  const random = new Random(seed, 'asynchrony');
  const executions: Execution[] = [];
  const changesBefore = new Map<number, Made[]>();
  const after = new Map<NodeId, number>();
  const arrives = new Map<number, number>();
  let [base, next, changed] = [0, 0, 0];
  for (let actions = possible.actions(); actions.length > 0; actions = possible.actions()) {
    if (changed < changes.length && random.below(8) === 0) {
      base = next;
      const choice = { event: askers.length + changed++ };
      const steps = possible.change(choice);
      changesBefore.set(base, [...(changesBefore.get(base) ?? []), { choice, steps }]);
      for (const { id } of steps.flatMap(({ sent }) => sent)) arrives.set(id, base);
      continue;
    }
    const action = random.pick(actions);
    const sentIn = 'deliver' in action.choice ? (arrives.get(action.choice.deliver) ?? 0) : 0;
    const round = Math.max(base, after.get(action.node) ?? 0, sentIn);
    const steps = possible.make(action);
    after.set(action.node, round + 1);
    for (const { id } of steps.flatMap(({ sent }) => sent)) arrives.set(id, round + 1);
    next = Math.max(next, round + 1);
    executions.push({ ...action, steps, round });
  }
  return { executions, changesBefore };
}
