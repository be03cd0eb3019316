/**
 * A population whose agents interact while one of them has locked the other (spec section 9).
 *
 * An interaction begins when the lock succeeds and happens at its commit, for both agents at once. It requires that their link has been up
 * all the time; otherwise it is void for both. Messages are not enough if links may be cut between lock and commit: the half that one agent
 * has applied would be lost with the answer, so the commit must see both ends.
 */
import type { NodeId } from '../../../../machines/effects.js';
import type { PopulationProtocol } from './protocols.js';

interface Meeting {
  readonly initiator: NodeId;
  /** One responder, or all locked ones. */
  readonly responders: readonly NodeId[];
  /** Number of changes of each agent at the beginning, the initiator first. */
  readonly since: readonly number[];
  isVoid: boolean;
}

/**
 * A population of agents that interact while one of them has locked the other. An interaction happens at its commit, for both at once, or
 * is void because their link was cut before.
 */
export class Population<S extends string> {
  /** Interactions in the order in which they happened. */
  readonly committed: (readonly [initiator: NodeId, ...responders: NodeId[]])[] = [];
  /** Number of void interactions. */
  voided = 0;
  /** Number of interactions in which an agent changed between its beginning and its end, or that began during another one. */
  breaches = 0;
  private readonly states: Map<NodeId, S>;
  private readonly changes = new Map<NodeId, number>();
  private readonly meetings = new Map<NodeId, Meeting>();

  constructor(
    private readonly protocol: PopulationProtocol<S>,
    private readonly initial: ReadonlyMap<NodeId, S>,
  ) {
    this.states = new Map(initial);
  }

  /** The states of all agents. */
  get agents(): readonly S[] {
    return [...this.states.values()];
  }

  /** Begins the interaction of an initiator with locked responders: one of them, or the whole group, in order and at once. */
  begin(initiator: NodeId, responders: readonly NodeId[]): void {
    const group = [initiator, ...responders];
    const busy = [...this.meetings.values()].some(
      (other) => !other.isVoid && membersOf(other).some((agent) => group.includes(agent)),
    );
    if (busy) this.breaches++;
    this.meetings.set(initiator, { initiator, responders, since: group.map((agent) => this.age(agent)), isVoid: false });
  }

  /** Cuts the link between two agents. */
  part(u: NodeId, v: NodeId): void {
    for (const meeting of this.meetings.values()) {
      const { initiator, responders } = meeting;
      if ((initiator === u && responders.includes(v)) || (initiator === v && responders.includes(u))) meeting.isVoid = true;
    }
  }

  /** Commits the interaction of an initiator that releases its lock, unless their link was cut before. */
  commit(initiator: NodeId): void {
    const meeting = this.meetings.get(initiator);
    if (!meeting) return;
    this.meetings.delete(initiator);
    if (meeting.isVoid) this.voided++;
    else this.happen(meeting);
  }

  private happen(meeting: Meeting): void {
    const { initiator, responders, since } = meeting;
    const group = membersOf(meeting);
    if (group.some((agent, i) => this.age(agent) !== since[i])) this.breaches++;
    meet(this.protocol, this.states, initiator, responders);
    for (const agent of group) this.changes.set(agent, this.age(agent) + 1);
    this.committed.push([initiator, ...responders]);
  }

  private age(agent: NodeId): number {
    return this.changes.get(agent) ?? 0;
  }

  /** True if the sequence of interactions, in the order of their commits, leads from the initial to the current state. */
  isSerializable(): boolean {
    const replayed = new Map(this.initial);
    for (const [initiator, ...responders] of this.committed) meet(this.protocol, replayed, initiator, responders);
    return [...replayed].every(([agent, state]) => this.states.get(agent) === state);
  }
}

const membersOf = ({ initiator, responders }: Meeting): readonly NodeId[] => [initiator, ...responders];

function meet<S extends string>(
  { meet: become }: PopulationProtocol<S>,
  states: Map<NodeId, S>,
  initiator: NodeId,
  responders: readonly NodeId[],
): void {
  for (const responder of responders) {
    const [first, second] = become(states.get(initiator)!, states.get(responder)!);
    states.set(initiator, first);
    states.set(responder, second);
  }
}
