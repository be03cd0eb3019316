/**
 * The nodes of the system on the real interpreter, put into any local state and made to take one event.
 *
 * The application is part of the node here: a reaction without delay is made within the step that announced its cause, a later one
 * is noted in the local state and becomes an event of its own.
 */
import type { Address, Message } from '../../machines/effects.js';
import { ProtocolError } from '../../machines/errors.js';
import type { Choose, NodeView, RoleStart, Times } from '../../machines/protocol.js';
import { Node, type Outcome } from '../../network/world/node.js';
import { SearchHost } from './host.js';
import type { Local } from './locals.js';
import type { System } from './system.js';
import { NOW } from './times.js';

export interface Incoming {
  readonly event: Message;
  /** Where it is not given, the protocol routes the event. */
  readonly role?: string | undefined;
  /** The timer that this is, or the place of the reaction in the protocol's list: neither is pending any longer. */
  readonly timer?: string | undefined;
  readonly reaction?: number | undefined;
}

/** A local state and what the node did on its way there. */
export interface Taken {
  readonly local: Local;
  readonly sends: readonly { readonly to: Address; readonly message: Message }[];
  readonly emitted: readonly Message[];
}

type Pending = Pick<Local, 'timers' | 'reactions'>;

/** Reactions within one step, each to what the one before announced: more than this have no end. */
const FUSED_MAX = 1000;

export class Replicas {
  calls = 0;
  private readonly host: SearchHost;
  private readonly nodes: readonly Node[];
  private readonly times: Times | null;

  constructor(private readonly system: System) {
    this.times = system.protocol.times?.(system.instance.options) ?? null;
    this.host = new SearchHost(system.protocol);
    this.nodes = system.nodes.map((id) => new Node(id, this.host));
  }

  /** The next step runs its chart, though it may be the last one again. */
  forget(): void {
    this.host.forget();
  }

  start(node: number, roles: readonly RoleStart[], choose: Choose): Taken {
    const replica = this.nodes[node]!;
    return this.guarded(node, 'start', () => {
      replica.stop();
      this.calls++;
      const outcome = replica.start(roles, choose);
      return this.follow(node, outcome, { timers: [], reactions: [] }, choose);
    });
  }

  take({ node, view, timers, reactions }: Local, { event, role, timer, reaction }: Incoming, choose: Choose): Taken {
    return this.guarded(node, event.type, () => {
      this.nodes[node]!.restore(view);
      const pending = {
        timers: timer === undefined ? timers : timers.filter((armed) => armed[0] !== role || armed[1] !== timer),
        reactions: reaction === undefined ? reactions : withoutOne(reactions, reaction),
      };
      return this.follow(node, this.step(node, event, role, choose), pending, choose);
    });
  }

  /** Whether the role that would take this event has a transition for it now. */
  accepts({ node, view }: Local, event: Message): boolean {
    const replica = this.nodes[node]!;
    return this.guarded(node, event.type, () => {
      replica.restore(view);
      this.calls++;
      return replica.accepts(this.system.protocol.route(event, replica), event);
    });
  }

  /** An event for a role that is not open is dropped, as in the network. */
  private step(node: number, event: Message, role: string | undefined, choose: Choose): Outcome {
    const replica = this.nodes[node]!;
    const target = role ?? this.system.protocol.route(event, replica);
    if (!replica.has(target)) return { sends: [], timers: [], emitted: [], closed: [] };
    this.calls++;
    return replica.step(target, this.system.protocol.network.time ? ({ ...event, at: NOW } as Message) : event, choose);
  }

  /** Takes in what a step asked for, and makes the reactions that belong to it. */
  private follow(node: number, first: Outcome, { timers, reactions }: Pending, choose: Choose): Taken {
    const outcomes = [first];
    const armed = new Map(timers.map((timer) => [timer.join(' '), timer]));
    const due = [...reactions];
    for (let i = 0; i < outcomes.length; i++) {
      if (i === FUSED_MAX) throw new ProtocolError('reactions without delay answer each other without end');
      const { closed, emitted, timers } = outcomes[i]!;
      for (const [key, [role]] of armed) if (closed.includes(role)) armed.delete(key);
      for (const { role, timer, delay } of timers) {
        if (delay === null) armed.delete(`${role} ${timer}`);
        else armed.set(`${role} ${timer}`, [role, timer]);
      }
      for (const notice of emitted) {
        this.system.reactions.forEach(({ on, after, event }, place) => {
          if (on !== notice.type) return;
          if (after === 0) outcomes.push(this.step(node, event, undefined, choose));
          else due.push(place);
        });
      }
    }
    return {
      local: {
        node,
        view: this.viewOf(node),
        timers: [...armed].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, timer]) => timer),
        reactions: due.sort((a, b) => a - b),
      },
      sends: outcomes.flatMap(({ sends }) => sends.flatMap(({ to, message }) => addresses(to).map((to) => ({ to, message })))),
      emitted: outcomes.flatMap(({ emitted }) => emitted),
    };
  }

  /** What only tells the present, and what a protocol knows to make no difference, is no part of a state. */
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
      throw new ProtocolError(`${place}: its step for "${event}" failed: ${message.replace(`${place}: `, '')}`, { cause: error });
    }
  }
}

const addresses = (to: Address | readonly Address[]): readonly Address[] => (Array.isArray(to) ? to : [to as Address]);

function withoutOne(reactions: readonly number[], made: number): readonly number[] {
  const place = reactions.indexOf(made);
  return reactions.filter((_, i) => i !== place);
}
