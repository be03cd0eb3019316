/**
 * The nodes of the system in the production interpreter. A node can be restored to any local state and then takes one event.
 *
 * The application is part of the node here: its pending reactions are recorded in the local state, each as a separate event. Fused
 * reactions (`network/world/world.ts`) happen within the step that emitted their cause.
 */
import type { AnyMachineSnapshot, AnyStateMachine } from 'xstate';
import type { Address, Message } from '../../machines/effects.js';
import { ProtocolError, thrownText } from '../../machines/errors.js';
import type { Choose, NodeView, RoleStart, RoleView, Times } from '../../machines/protocol.js';
import { SnapshotHost, type Steps } from '../../network/world/hosts.js';
import { emptyOutcome, deliverTo, Node, type Outcome } from '../../network/world/node.js';
import { Pending } from '../../network/world/pending.js';
import { macrostep, restore, type Stepped } from '../../network/world/remembering.js';
import type { Local } from './locals.js';
import type { SearchedSystem } from './system.js';
import { NOW } from './times.js';
import { addressesOf } from '../../machines/effects.js';

export interface IncomingEvent {
  readonly event: Message;
  /** The role that receives the event. If undefined, the protocol routes it. */
  readonly role?: string | undefined;
  /** The timer that fires, or the position of the reaction in the protocol's list. Neither is pending afterward. */
  readonly timer?: string | undefined;
  readonly reaction?: number | undefined;
  /** The process ends and another one starts from storage. */
  readonly reloads?: boolean;
}

/** A local state, and the effects of the step that led to it. */
export interface LocalStep {
  readonly local: Local;
  readonly sends: readonly { readonly to: Address; readonly message: Message }[];
  readonly emitted: readonly Message[];
}

/** The maximum length of a chain of fused reactions; a longer one is an infinite loop. */
const FUSED_MAX = 1000;

export class RestorableNodes {
  calls = 0;
  private readonly restored = new Restored();
  private readonly nodes: readonly Node[];
  private readonly times: Times | null;

  constructor(private readonly system: SearchedSystem) {
    this.times = system.protocol.times?.(system.instance.options) ?? null;
    const host = new SnapshotHost(system.protocol, this.restored);
    this.nodes = system.nodes.map((id) => new Node(id, host));
  }

  /** Makes the next step run its chart even if it repeats the last step. */
  forget(): void {
    this.restored.forget();
  }

  start(node: number, roles: readonly RoleStart[], choose: Choose): LocalStep {
    const restorable = this.nodes[node]!;
    return this.guarded(node, 'start', () => {
      restorable.stop();
      this.calls++;
      const outcome = restorable.start(roles, choose);
      return this.follow(node, outcome, new Pending(), choose);
    });
  }

  take(local: Local, incoming: IncomingEvent, choose: Choose): LocalStep {
    const { node, view } = local;
    return this.guarded(node, incoming.event.type, () => {
      this.nodes[node]!.restore(view);
      if (incoming.reloads) return this.follow(node, this.reload(node, choose), new Pending(), choose);
      const pending = pendingWithout(local, incoming);
      return this.follow(node, this.step(node, incoming.event, incoming.role, choose), pending, choose);
    });
  }

  /** A pending event of a crashed node: it is removed, and no chart receives it. */
  ignore(local: Local, incoming: IncomingEvent): LocalStep {
    const { armed, reactions } = pendingWithout(local, incoming);
    return { local: { ...local, timers: timersOf(armed), reactions: sorted(reactions) }, sends: [], emitted: [] };
  }

  /** True if the role that receives this event has a transition for it. */
  accepts({ node, view }: Local, event: Message): boolean {
    const restorable = this.nodes[node]!;
    return this.guarded(node, event.type, () => {
      restorable.restore(view);
      this.calls++;
      return restorable.accepts(this.system.protocol.route(event, restorable), event);
    });
  }

  private reload(node: number, choose: Choose): Outcome {
    const { protocol, instance, nodes } = this.system;
    this.calls++;
    return this.nodes[node]!.reload((stored) => protocol.reload!(nodes[node]!, instance, stored), choose);
  }

  /** An event for a role that is closed changes nothing. A timer goes to the role that armed it. */
  private step(node: number, event: Message, role: string | undefined, choose: Choose): Outcome {
    const { protocol } = this.system;
    const restorable = this.nodes[node]!;
    const route = role === undefined ? protocol.route : () => role;
    const received = deliverTo({ network: protocol.network, route }, restorable, event, () => NOW, choose);
    if ('closed' in received) return emptyOutcome();
    this.calls++;
    return received.outcome;
  }

  /** Applies the outcome of a step, and runs the reactions that are fused with it. */
  private follow(node: number, first: Outcome, pending: Pending, choose: Choose): LocalStep {
    const { reactions, fused, nodes } = this.system;
    const fuses = fused.reactions(nodes[node]!);
    const outcomes = [first];
    for (let i = 0; i < outcomes.length; i++) {
      if (i === FUSED_MAX)
        throw new ProtocolError(
          'Reactions without delay trigger each other in an infinite loop. Add a delay ("after") to one of them.',
        );
      pending.follow(outcomes[i]!);
      for (const { type } of outcomes[i]!.emitted) {
        pending.owe(type, reactions, (place) => {
          const { after, event } = reactions[place]!;
          if (fuses && after === 0 && pending.settle(place)) outcomes.push(this.step(node, event, undefined, choose));
        });
      }
    }
    return {
      local: { node, view: this.viewOf(node), timers: timersOf(pending.armed), reactions: sorted(pending.reactions) },
      sends: outcomes.flatMap(({ sends }) => sends.flatMap(({ to, message }) => addressesOf(to).map((to) => ({ to, message })))),
      emitted: outcomes.flatMap(({ emitted }) => emitted),
    };
  }

  /** The local state without what only describes the present, and without differences that the protocol declares irrelevant. */
  private viewOf(node: number): NodeView {
    const seen = this.nodes[node]!.view();
    const view = this.system.protocol.canonical?.(seen) ?? seen;
    return this.times?.node(view, (time) => time) ?? view;
  }

  /** Adds the node and the event to an error that a chart throws. */
  private guarded<T>(node: number, event: string, run: () => T): T {
    try {
      return run();
    } catch (error) {
      const message = thrownText(error);
      const place = `node ${this.system.nodes[node]}`;
      // The error already contains them.
      if (message.startsWith(`${place}: its step for `)) throw error;
      throw new ProtocolError(`${place}: its step for "${event}" failed: ${message.replace(`${place}: `, '')}`, { cause: error });
    }
  }
}

const sorted = (places: readonly number[]): readonly number[] => places.toSorted((a, b) => a - b);

const timersOf = (armed: Pending['armed']): Local['timers'] =>
  armed
    .map(({ role, timer }) => [`${role} ${timer}`, [role, timer] as const] as const)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, timer]) => timer);

/** The timers and reactions that remain after this event. */
function pendingWithout({ timers, reactions }: Local, { role, timer, reaction }: IncomingEvent): Pending {
  const pending = new Pending(
    timers.map(([role, timer]) => ({ role, timer })),
    reactions,
  );
  if (timer !== undefined) pending.take({ role: role!, timer });
  if (reaction !== undefined) pending.settle(reaction);
  return pending;
}

/**
 * A cache for restored roles, because a search restores the same few states again and again.
 *
 * Snapshots are immutable, so a snapshot is created once for each view. The last step from such a snapshot is cached too: branching over
 * draws runs one step once for every sequence of answers.
 */
class Restored implements Steps {
  private readonly snapshots = new WeakMap<RoleView, AnyMachineSnapshot>();
  private readonly all = new WeakSet<AnyMachineSnapshot>();
  private last: { readonly snapshot: AnyMachineSnapshot; readonly event: Message; readonly stepped: Stepped } | undefined;

  restore(machine: AnyStateMachine, view: RoleView): AnyMachineSnapshot {
    let snapshot = this.snapshots.get(view);
    if (!snapshot) {
      snapshot = restore(machine, view);
      this.snapshots.set(view, snapshot);
      this.all.add(snapshot);
    }
    return snapshot;
  }

  macrostep(machine: AnyStateMachine, snapshot: AnyMachineSnapshot, event: Message): Stepped {
    if (this.last?.snapshot === snapshot && this.last.event === event) return this.last.stepped;
    const stepped = macrostep(machine, snapshot, event);
    if (this.all.has(snapshot)) this.last = { snapshot, event, stepped };
    return stepped;
  }

  /** Makes the next step run its chart. */
  forget(): void {
    this.last = undefined;
  }
}
