/**
 * A node: one or more roles that act as one.
 *
 * A step of a node is atomic, as every paper assumes: events between roles and the results of draws are delivered before the node
 * takes its next event. Only messages, timers and notifications leave the node.
 *
 * In a composition (machines/compose) the roles of a part, and all that they name, have the part's prefix. It is added here to what a role asks
 * for, and removed from what it receives.
 */
import type { Effect, Message, NodeId, Send, Store, AnyMessage } from '../../machines/effects.js';
import { ProtocolError, thrownText } from '../../machines/errors.js';
import type { Choose, Instance, NodeView, Protocol, RoleStart, RoleView } from '../../machines/protocol.js';
import { STORAGE, type StorageContext, type StorageInput, type Stored } from '../../machines/storage.js';
import type { Host, Role } from './hosts.js';

export interface TimerOrder {
  readonly role: string;
  readonly timer: string;
  /** Ticks from now; `null` disarms. */
  readonly delay: number | null;
}

/** The requests of a step to the world outside the node, in their order. */
export interface Outcome {
  readonly sends: Send[];
  readonly timers: TimerOrder[];
  readonly emitted: Message[];
  /** Roles that ended; their timers end with them. */
  readonly closed: string[];
}

interface LocalMessage {
  readonly role: string;
  readonly event: AnyMessage;
  /** How many of the step's events led to it, one after the other. */
  readonly depth: number;
}

/**
 * The maximum length of a chain of causes: roles that notify each other in an infinite loop would never let the node take its
 * next event.
 */
const CHAIN_MAX = 10_000;
/** One event may concern very many roles of a node, but not more than this. */
const INNER_STEPS_MAX = 1_000_000;

const LINK_EVENTS: readonly string[] = ['link.up', 'link.down'];

export class Node {
  /** By name, those that are open. */
  roles: Record<string, Role> = {};
  /** The depth of the current chain of events. */
  private depth = 0;

  constructor(
    readonly id: NodeId,
    private readonly host: Host,
  ) {}

  /** Opens the node's first roles. */
  start(starts: readonly RoleStart[], choose: Choose): Outcome {
    const outcome = emptyOutcome();
    const inbox: LocalMessage[] = [];
    this.depth = 0;
    for (const { role, chart, input } of starts) this.open(role, chart, input, outcome, inbox, choose);
    this.settle(inbox, outcome, choose);
    return outcome;
  }

  /** Takes one event from outside, in the given role, or in all that take it. */
  step(role: string, event: AnyMessage, choose: Choose): Outcome {
    const outcome = emptyOutcome();
    const takers = LINK_EVENTS.includes(event.type) ? (this.host.wiring?.takers?.(event, this) ?? [role]) : [role];
    this.settle(
      takers.map((taker) => ({ role: taker, event: this.received(taker, event), depth: 0 })),
      outcome,
      choose,
    );
    return outcome;
  }

  /** The state that would survive if the process ended now; empty without storage. */
  get stored(): Stored {
    const storage: StorageContext | undefined = this.roles[STORAGE]?.view().context;
    return storage?.stored ?? {};
  }

  /** Its process ends, and another begins: all that the node knows is what it had stored. */
  reload(starts: (stored: Stored) => readonly RoleStart[], choose: Choose): Outcome {
    const outcome = emptyOutcome();
    const { stored } = this;
    const inbox: LocalMessage[] = [];
    this.depth = 0;
    for (const name of Object.keys(this.roles)) if (name !== STORAGE) this.close(name, outcome);
    if (this.has(STORAGE)) inbox.push({ role: STORAGE, event: { type: 'reload' }, depth: 0 });
    for (const { role, chart, input } of starts(stored))
      if (!this.has(role)) this.open(role, chart, input, outcome, inbox, choose);
    this.settle(inbox, outcome, choose);
    return outcome;
  }

  accepts(role: string, event: Message): boolean {
    return this.roles[role]?.accepts(this.received(role, event)) ?? false;
  }

  has(role: string): boolean {
    return role in this.roles;
  }

  view(): NodeView {
    const view: Record<string, ReturnType<Role['view']>> = {};
    for (const [name, role] of Object.entries(this.roles)) view[name] = role.view();
    return view;
  }

  role(name: string): RoleView | undefined {
    return this.roles[name]?.view();
  }

  /** Puts the node in a given state: a restart, a corruption, or a state that the checker has interned. */
  restore(view: NodeView): void {
    this.stop();
    for (const [name, role] of Object.entries(view)) this.roles[name] = this.host.restore(role, this.id, name);
  }

  stop(): void {
    for (const role of Object.values(this.roles)) role.stop();
    this.roles = {};
  }

  /** The prefix of the part that a role belongs to. */
  private partOf(role: string): string {
    return this.host.wiring?.part?.(role) ?? '';
  }

  /** An event as a role receives it. */
  private received(role: string, event: Message): Message {
    const part = this.partOf(role);
    return part !== '' && event.type.startsWith(part) ? { ...event, type: event.type.slice(part.length) } : event;
  }

  /** Next action of the stack of a composition. */
  private turn(): LocalMessage[] {
    const { stack, takers } = this.host.wiring ?? {};
    const role = stack && this.roles[stack.role];
    if (!role) return [];
    const takerOf = (command: Message): string => takers!(command, this)[0] ?? '';
    const next = stack.next(role.view(), (command) => this.accepts(takerOf(command), command));
    if (!next) return [];
    const { depth } = this;
    const own = { role: stack.role, event: next.event, depth };
    if (!next.command) return [own];
    const taker = takerOf(next.command);
    return [own, { role: taker, event: this.received(taker, next.command), depth }];
  }

  private settle(inbox: LocalMessage[], outcome: Outcome, choose: Choose): void {
    for (let taken = 0; taken < inbox.length || inbox.push(...this.turn()) > taken; taken++) {
      const { role, event, depth } = inbox[taken]!;
      if (depth === CHAIN_MAX || taken === INNER_STEPS_MAX)
        throw new ProtocolError(
          `Node ${this.id}: its roles send events to each other in an infinite loop. Add a guard that ends it.`,
        );
      this.depth = depth + 1;
      const target = this.roles[role];
      if (target) this.perform(role, this.taken(target, event), outcome, inbox, choose);
      // An event for a role that this step has closed is dropped, as for a stopped actor.
      else if (!outcome.closed.includes(role))
        throw new ProtocolError(`Node ${this.id} has no role "${role}" for "${event.type}". Open the role first.`);
    }
  }

  /** Adds the place to an error of a chart. */
  private taken(role: Role, event: Message): readonly Effect[] {
    try {
      return role.send(event);
    } catch (error) {
      throw new ProtocolError(`node ${this.id}: its step for "${event.type}" failed: ${thrownText(error)}`, { cause: error });
    }
  }

  private perform(role: string, effects: readonly Effect[], outcome: Outcome, inbox: LocalMessage[], choose: Choose): void {
    const part = this.partOf(role);
    for (const effect of effects) {
      switch (effect.type) {
        case 'send':
          if (effect.to === undefined || effect.message === undefined)
            throw new ProtocolError(`Node ${this.id}: role "${role}" sends nothing. Pass { to, message } to send.`);
          this.carry(role, part, this.labeled(role, effect), outcome, inbox);
          break;
        case 'emit':
          this.announce(role, part, effect.event, outcome, inbox);
          break;
        case 'arm':
          if (!(effect.delay >= 0 && effect.delay < Infinity))
            throw new ProtocolError(
              `Node ${this.id}: role "${role}" arms "${effect.timer}" with the delay ${effect.delay}. Pass ticks, at least 0.`,
            );
          outcome.timers.push({ role, timer: effect.timer, delay: effect.delay });
          break;
        case 'disarm':
          outcome.timers.push({ role, timer: effect.timer, delay: null });
          break;
        case 'draw':
          inbox.push({ role, event: { type: 'drawn', value: choose(effect.bound) }, depth: this.depth });
          break;
        case 'store':
          inbox.push(this.storing(role, part, effect));
          break;
        case 'tell':
          for (const receiver of typeof effect.role === 'string' ? [effect.role] : effect.role)
            inbox.push({ role: part + receiver, event: effect.message, depth: this.depth });
          break;
        case 'open':
          this.open(part + effect.role, part + effect.chart, effect.input, outcome, inbox, choose);
          break;
        case 'close':
          for (const closed of typeof effect.role === 'string' ? [effect.role] : effect.role) this.close(part + closed, outcome);
          break;
      }
    }
  }

  /** A node without storage is answered at once: there is nothing to wait for. */
  private storing(role: string, part: string, { key, value }: Store): LocalMessage {
    const { depth } = this;
    const by = role.slice(part.length);
    if (!this.has(part + STORAGE)) return { role, event: { type: 'stored', key }, depth };
    return { role: part + STORAGE, event: { type: 'store', by, key, value }, depth };
  }

  private carry(by: string, part: string, sent: Send, outcome: Outcome, inbox: LocalMessage[]): void {
    const role = this.host.wiring?.carrier?.(by);
    if (role === undefined) outcome.sends.push(part === '' ? sent : { to: sent.to, message: named(part, sent.message) });
    else inbox.push({ role, event: { ...sent, type: 'outgoing', by: by.slice(part.length) }, depth: this.depth });
  }

  /** Passes a notification to the application, the listener and the stack. */
  private announce(role: string, part: string, notification: Message, outcome: Outcome, inbox: LocalMessage[]): void {
    const { wiring } = this.host;
    const { depth } = this;
    const notice = named(part, notification);
    if (!wiring?.isInner?.(role)) outcome.emitted.push(notice);
    const listener = wiring?.listener?.(role);
    if (listener !== undefined) inbox.push({ role: listener, event: { ...notification, by: role.slice(part.length) }, depth });
    for (const command of wiring?.stack?.issued(notice, this.id) ?? [])
      inbox.push({ role: wiring!.stack!.role, event: { type: 'issue', command }, depth });
  }

  private labeled(role: string, effect: Send): Send {
    const label = this.host.wiring?.label?.(role);
    return label === undefined ? effect : { to: effect.to, message: { ...effect.message, ...label } };
  }

  private open(name: string, chart: string, input: unknown, outcome: Outcome, inbox: LocalMessage[], choose: Choose): void {
    if (name in this.roles) throw new ProtocolError(`Node ${this.id}: role "${name}" is already open. Close it first.`);
    const { role, effects } = this.host.start(chart, input, this.id, name);
    this.roles[name] = role;
    this.perform(name, effects, outcome, inbox, choose);
  }

  private close(name: string, outcome: Outcome): void {
    const role = this.roles[name];
    if (!role) return;
    role.stop();
    delete this.roles[name];
    outcome.closed.push(name);
  }
}

/** A message or notice with the prefix of its part. */
const named = (part: string, message: Message): Message => (part === '' ? message : { ...message, type: part + message.type });

/** A step of a node, with the event as its chart received it and the role that took it first. */
export interface NodeStep {
  readonly role: string;
  readonly event: Message;
  readonly outcome: Outcome;
}

/**
 * Delivers an event from outside to a node. The protocol selects the role that takes it first, and adds the time if it uses it.
 * Returns the role, without any change, if that role is not open.
 */
export function deliverTo(
  { route, network }: Pick<Protocol, 'route' | 'network'>,
  node: Node,
  event: Message,
  now: () => number,
  choose: Choose,
): NodeStep | { readonly closed: string } {
  const role = route(event, node);
  if (!node.has(role)) return { closed: role };
  const timed = network.time ? { ...event, at: now() } : event;
  return { role, event: timed, outcome: node.step(role, timed, choose) };
}

/** True if the step requests anything from outside its node. */
export const asksForSomething = ({ sends, timers, emitted }: Outcome): boolean =>
  sends.length + timers.length + emitted.length > 0;

/** The roles that a node starts with, the first time or after a restart with its stored state. */
export function startsOf<O>(
  protocol: Pick<Protocol<O>, 'roles' | 'reload'>,
  id: NodeId,
  instance: Instance<O>,
  stored: Stored | undefined,
): readonly RoleStart[] {
  if (stored === undefined) return protocol.roles(id, instance);
  const input: StorageInput = { stored, delay: 1 };
  return [{ role: STORAGE, chart: STORAGE, input }, ...protocol.reload!(id, instance, stored)];
}

export const emptyOutcome = (): Outcome => ({ sends: [], timers: [], emitted: [], closed: [] });
