/**
 * A population whose agents meet while one of them has locked the other (spec section 9).
 *
 * An interaction begins when the lock succeeds and happens at its commit, for both agents at once. It requires that their link has
 * been there all the time; otherwise it is void for both. With messages alone this cannot be had while links may be cut between lock
 * and commit, since the half that one agent has applied is lost with the answer: whoever commits must see both ends.
 */
import type { NodeId } from '../effects.js';
import type { PopulationProtocol } from './protocols.js';

interface Meeting {
  readonly initiator: NodeId;
  readonly responder: NodeId;
  /** How often the two had changed when it began. */
  readonly since: readonly [number, number];
  isVoid: boolean;
}

/**
 * A population of agents that meet while one of them has locked the other: an interaction happens at its commit, for both at once,
 * or is void because their link was cut meanwhile.
 *
 * @experimental
 */
export class Population<S extends string> {
  /** Interactions in the order in which they happened. */
  readonly committed: (readonly [initiator: NodeId, responder: NodeId])[] = [];
  /** How many were void. */
  voided = 0;
  /** Interactions of which an end had changed since they began, or that began with an agent in another one. */
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

  /** The initiator has locked the responder. */
  begin(initiator: NodeId, responder: NodeId): void {
    const busy = [...this.meetings.values()].some(
      (other) => !other.isVoid && [other.initiator, other.responder].some((agent) => agent === initiator || agent === responder),
    );
    if (busy) this.breaches++;
    this.meetings.set(initiator, { initiator, responder, since: [this.age(initiator), this.age(responder)], isVoid: false });
  }

  /** The link between two agents is cut. */
  part(u: NodeId, v: NodeId): void {
    for (const meeting of this.meetings.values()) {
      const { initiator, responder } = meeting;
      if ((initiator === u && responder === v) || (initiator === v && responder === u)) meeting.isVoid = true;
    }
  }

  /** The initiator releases the lock: the interaction that it has begun happens, unless their link was cut meanwhile. */
  commit(initiator: NodeId): void {
    const meeting = this.meetings.get(initiator);
    if (!meeting) return;
    this.meetings.delete(initiator);
    if (meeting.isVoid) this.voided++;
    else this.happen(meeting);
  }

  private happen({ initiator, responder, since }: Meeting): void {
    if (this.age(initiator) !== since[0] || this.age(responder) !== since[1]) this.breaches++;
    meet(this.protocol, this.states, initiator, responder);
    for (const agent of [initiator, responder]) this.changes.set(agent, this.age(agent) + 1);
    this.committed.push([initiator, responder]);
  }

  private age(agent: NodeId): number {
    return this.changes.get(agent) ?? 0;
  }

  /** Whether one interaction after the other, in the order of their commits, leads from the start to where the population is. */
  isSerializable(): boolean {
    const replayed = new Map(this.initial);
    for (const [initiator, responder] of this.committed) meet(this.protocol, replayed, initiator, responder);
    return [...replayed].every(([agent, state]) => this.states.get(agent) === state);
  }
}

function meet<S extends string>(
  { meet }: PopulationProtocol<S>,
  states: Map<NodeId, S>,
  initiator: NodeId,
  responder: NodeId,
): void {
  const [first, second] = meet(states.get(initiator)!, states.get(responder)!);
  states.set(initiator, first);
  states.set(responder, second);
}
