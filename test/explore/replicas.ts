/**
 * The nodes of the system on the real interpreter, put into any local state and made to take one event.
 *
 * The application is part of the node here: the reactions that it owes are noted in the local state, each its own event; those
 * that are fused (`network/world/world.ts`) are made within the step that announced their cause.
 */
import type { Address, Message } from '../../machines/effects.js';
import { ProtocolError } from '../../machines/errors.js';
import type { Choose, NodeView, RoleStart, Times } from '../../machines/protocol.js';
import { SnapshotHost } from '../../network/world/hosts.js';
import { emptyOutcome, hear, Node, type Outcome } from '../../network/world/node.js';
import { Pending } from '../../network/world/pending.js';
import type { Local } from './locals.js';
import { Restored } from './restored.js';
import type { SearchedSystem } from './system.js';
import { NOW } from './times.js';

export interface Incoming {
  readonly event: Message;
  /** Where it is not given, the protocol routes the event. */
  readonly role?: string | undefined;
  /** The timer that this is, or the place of the reaction in the protocol's list: neither is pending any longer. */
  readonly timer?: string | undefined;
  readonly reaction?: number | undefined;
  /** The process ends, and another begins. */
  readonly reloads?: boolean;
}

/** A local state and what the node did on its way there. */
export interface LocalStep {
  readonly local: Local;
  readonly sends: readonly { readonly to: Address; readonly message: Message }[];
  readonly emitted: readonly Message[];
}

/** Fused reactions, each to what the one before announced: more than this have no end. */
const FUSED_MAX = 1000;

export class Replicas {
  calls = 0;
  private readonly restored = new Restored();
  private readonly nodes: readonly Node[];
  private readonly times: Times | null;

  constructor(private readonly system: SearchedSystem) {
    this.times = system.protocol.times?.(system.instance.options) ?? null;
    const host = new SnapshotHost(system.protocol, this.restored);
    this.nodes = system.nodes.map((id) => new Node(id, host));
  }

  /** The next step runs its chart, though it may be the last one again. */
  forget(): void {
    this.restored.forget();
  }

  start(node: number, roles: readonly RoleStart[], choose: Choose): LocalStep {
    const replica = this.nodes[node]!;
    return this.guarded(node, 'start', () => {
      replica.stop();
      this.calls++;
      const outcome = replica.start(roles, choose);
      return this.follow(node, outcome, new Pending(), choose);
    });
  }

  take(local: Local, incoming: Incoming, choose: Choose): LocalStep {
    const { node, view } = local;
    return this.guarded(node, incoming.event.type, () => {
      this.nodes[node]!.restore(view);
      if (incoming.reloads) return this.follow(node, this.reload(node, choose), new Pending(), choose);
      const pending = pendingWithout(local, incoming);
      return this.follow(node, this.step(node, incoming.event, incoming.role, choose), pending, choose);
    });
  }

  /** The node has crashed: its application reacts, and nobody hears it. */
  ignore(local: Local, incoming: Incoming): LocalStep {
    const { armed, reactions } = pendingWithout(local, incoming);
    return { local: { ...local, timers: timersOf(armed), reactions: sorted(reactions) }, sends: [], emitted: [] };
  }

  /** True if the role that would take this event has a transition for it now. */
  accepts({ node, view }: Local, event: Message): boolean {
    const replica = this.nodes[node]!;
    return this.guarded(node, event.type, () => {
      replica.restore(view);
      this.calls++;
      return replica.accepts(this.system.protocol.route(event, replica), event);
    });
  }

  private reload(node: number, choose: Choose): Outcome {
    const { protocol, instance, nodes } = this.system;
    this.calls++;
    return this.nodes[node]!.reload((stored) => protocol.reload!(nodes[node]!, instance, stored), choose);
  }

  /** An event for a role that is not open is refused, and changes nothing. A timer goes to the role that armed it. */
  private step(node: number, event: Message, role: string | undefined, choose: Choose): Outcome {
    const { protocol } = this.system;
    const replica = this.nodes[node]!;
    const route = role === undefined ? protocol.route : () => role;
    const heard = hear({ network: protocol.network, route }, replica, event, () => NOW, choose);
    if ('closed' in heard) return emptyOutcome();
    this.calls++;
    return heard.outcome;
  }

  /** Takes in what a step asked for, and makes the reactions that are fused with it. */
  private follow(node: number, first: Outcome, pending: Pending, choose: Choose): LocalStep {
    const { reactions, fused, nodes } = this.system;
    const fuses = fused.reactions(nodes[node]!);
    const outcomes = [first];
    for (let i = 0; i < outcomes.length; i++) {
      if (i === FUSED_MAX) throw new ProtocolError('reactions without delay answer each other without end');
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
      sends: outcomes.flatMap(({ sends }) => sends.flatMap(({ to, message }) => addresses(to).map((to) => ({ to, message })))),
      emitted: outcomes.flatMap(({ emitted }) => emitted),
    };
  }

  /** What only tells the present, and what a protocol knows to make no difference, is not a part of a state. */
  private viewOf(node: number): NodeView {
    const seen = this.nodes[node]!.view();
    const view = this.system.protocol.canonical?.(seen) ?? seen;
    return this.times?.node(view, (time) => time) ?? view;
  }

  /** What a chart throws is told with the place where it happened. */
  private guarded<T>(node: number, event: string, run: () => T): T {
    try {
      return run();
    } catch (error) {
      const { message } = error as Error;
      const place = `node ${this.system.nodes[node]}`;
      // The node has said so itself.
      if (message.startsWith(`${place}: its step for `)) throw error;
      throw new ProtocolError(`${place}: its step for "${event}" failed: ${message.replace(`${place}: `, '')}`, { cause: error });
    }
  }
}

const addresses = (to: Address | readonly Address[]): readonly Address[] => (Array.isArray(to) ? to : [to as Address]);

const sorted = (places: readonly number[]): readonly number[] => places.toSorted((a, b) => a - b);

const timersOf = (armed: Pending['armed']): Local['timers'] =>
  armed
    .map(({ role, timer }) => [`${role} ${timer}`, [role, timer] as const] as const)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, timer]) => timer);

/** What is left to come once this timer has gone off or this reaction has been made. */
function pendingWithout({ timers, reactions }: Local, { role, timer, reaction }: Incoming): Pending {
  const pending = new Pending(
    timers.map(([role, timer]) => ({ role, timer })),
    reactions,
  );
  if (timer !== undefined) pending.take({ role: role!, timer });
  if (reaction !== undefined) pending.settle(reaction);
  return pending;
}
