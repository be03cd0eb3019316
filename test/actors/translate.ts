/**
 * Translates a machine of an application to a chart of a protocol. The chart has the same states and transitions, and its effects
 * replace the requests to XState.
 *
 * | the machine has | the chart gets |
 * |---|---|
 * | `sendTo`, `sendParent`, `forwardTo` to another actor | `send`: a message in flight, which arrives at any time |
 * | the same to itself | `tell`: it is taken before any other event |
 * | `after`, and `raise` or `sendTo` with a delay; `cancel` | `arm` and `disarm`; the delayed event is raised, or sent, when the timer fires |
 * | an actor of the system, invoked by the root state | nothing: it is there from the start; its end is a message |
 * | `assign`, `raise`, `emit`, guards | the same |
 * | functions of the application among the actions, `log` | nothing: the checker does not perform them |
 *
 * Other invoked or spawned actors, and functions that send by themselves, are rejected with an error that names them. References to
 * actors are plain data here (`ActorReference`), so that a context with a reference stays JSON.
 */
import { assign, enqueueActions, raise, sendTo, type AnyStateMachine } from 'xstate';
import { disarm, effects, type Message } from '../../machines/effects.js';
import { UsageError } from '../../machines/errors.js';
import {
  chartOf,
  configOf,
  stateName,
  statesOf,
  type ChartConfig,
  type TransitionChoice,
  type InvokeConfig,
  type StateConfig,
} from '../charts/config.js';
import { fieldsOf } from '../../machines/checks.js';

/** A reference to another actor in a context or an event, as plain data: events can be sent to it, but its snapshot cannot be read. */
export interface ActorReference {
  readonly xstate$$type: 1;
  readonly id: string;
}

export const reference = (id: string): ActorReference => ({ xstate$$type: 1, id });

/** The one role that an actor has in its node. */
export const ROLE = 'actor';

/** The names of all actors, and which actor invokes which. */
export interface ActorHierarchy {
  readonly names: readonly string[];
  parentOf(name: string): string | undefined;
}

/** A delayed event that waits: its receiver and the event. */
interface Delayed {
  readonly to: string;
  readonly event: Message;
}

/** One of XState's own actions, as its creator makes it. */
interface BuiltIn {
  readonly type: string;
  readonly to?: unknown;
  readonly event?: unknown;
  readonly id?: string;
  readonly delay?: unknown;
  readonly sendId?: unknown;
  readonly assignment?: object;
  readonly collect?: (args: unknown, params: unknown) => void;
}

type Args = Readonly<Record<string, any>>;

/** The target that `sendParent` uses. */
const PARENT = '#_parent';
/** Keeps the application's names for actions apart from those of effects. */
const OWN = 'own.';
const LIST = 'list it among the actors, and invoke it at the root or pass a reference to it as input';
const SERVICE =
  'list it among the actors if it is a machine; a promise, callback or observable is for describeMachine, or for a machine that answers in its place';
/** Event types by which hosts speak to charts. */
const TAKEN = ['timer', 'drawn', 'link.up', 'link.down'];

export function asChart(name: string, machine: AnyStateMachine, group: ActorHierarchy): AnyStateMachine {
  return new Translation(name, machine, group).chart();
}

class Translation {
  /** Delayed events that have an id, by it. */
  private readonly delayed = new Map<string, Delayed>();
  /** True if some event may be sent with a delay, by other means than `after`. */
  private hasDelayed = false;

  constructor(
    private readonly name: string,
    private readonly machine: AnyStateMachine,
    private readonly group: ActorHierarchy,
  ) {}

  chart(): AnyStateMachine {
    const config = configOf(this.machine);
    const path: string[] = [];
    this.state(config, path);
    const given = Object.entries(this.machine.implementations.actions);
    const actions = Object.fromEntries(
      given.flatMap(([name, action]) => {
        const own = this.action(action, `action "${name}"`);
        return own === undefined ? [] : [[OWN + name, own]];
      }),
    );
    this.timers(config);
    this.ending(config);
    const implementations = { ...this.machine.implementations, actions: { ...actions, ...effects() } };
    return chartOf({ ...config, context: this.contextOf(config) } as ChartConfig, { implementations } as never);
  }

  private refuse(what: string, cure: string): never {
    throw new UsageError(`actor ${this.name}: ${what}, which the checker cannot take; ${cure}`);
  }

  /** The context is made with references instead of actors, and spawns nothing. */
  private contextOf(config: ChartConfig): unknown {
    const { context } = fieldsOf(config);
    if (typeof context !== 'function') return context ?? {};
    return (args: Args): unknown => context(this.seen(args, 'its context'));
  }

  /** The arguments for the application's functions. */
  private seen(args: Args, where: string): Args {
    const spawn = () => this.refuse(`${where} spawns an actor`, LIST);
    return { ...args, spawn, self: reference(this.name), system: { get: (name: string) => this.known(name, where) } };
  }

  private state(state: StateConfig, path: readonly string[]): void {
    const where = `state ${stateName(path)}`;
    for (const type of Object.keys(state.on ?? {}))
      if (TAKEN.includes(type))
        this.refuse(`${where} has a transition for "${type}"`, 'this type is how hosts speak; rename the event');
    for (const invoked of state.invoke ?? []) this.invoked(state, invoked, where, path.length === 0);
    delete state.invoke;
    for (const key of ['entry', 'exit'] as const) if (state[key]) state[key] = this.actions(state[key], `${key} of ${where}`);
    const { on = {}, after = {}, always = [], onDone = [], route = [] } = state;
    for (const [type, choices] of [
      ...Object.entries(on),
      ...Object.entries(after),
      ['always', always],
      ['done', onDone],
      ['route', route],
    ] as const)
      for (const choice of choices) if (choice.actions) choice.actions = this.actions(choice.actions, `${where}, ${type}`);
    this.after(state, path, where);
    for (const [key, inner] of Object.entries(state.states ?? {})) this.state(inner, [...path, key]);
  }

  /** An actor of the system that the root invokes is there already, and its end comes as a message; no other can be taken. */
  private invoked(state: StateConfig, invoked: InvokeConfig, where: string, isRoot: boolean): void {
    const called = nameOfInvoked(invoked);
    if (called === undefined || !this.group.names.includes(called))
      this.refuse(`${where} invokes ${called ?? 'a service without a name'}`, SERVICE);
    if (!isRoot)
      this.refuse(
        `${where} invokes ${called}, an actor that comes and goes`,
        'invoke it at the root, or test the machine with describeMachine',
      );
    if (invoked.onSnapshot) this.refuse(`${where} follows the snapshots of ${called}`, 'let it send what matters');
    if (invoked.onDone) (state.on ??= {})[`xstate.done.actor.${called}`] = invoked.onDone;
  }

  /** `after` written out as XState does it: a delayed event that the entry raises and the exit takes back. */
  private after(state: StateConfig, path: readonly string[], where: string): void {
    const id = state.id ?? [this.machine.id, ...path].join('.');
    for (const [delay, choices] of Object.entries(state.after ?? {})) {
      const type = `xstate.after.${delay}.${id}`;
      const given = Number.isNaN(Number(delay)) ? delay : Number(delay);
      (state.entry ??= []).push(this.sending({ type, to: undefined, event: { type }, id: type, delay: given }, where));
      (state.exit ??= []).push(disarm(() => ({ timer: type })));
      state.on = { ...state.on, [type]: choices, timer: this.due() };
    }
    delete state.after;
  }

  /**
   * Adds transitions for timers. States with `after` have them already; other delayed events need them everywhere, and where a `*` would
   * take them.
   */
  private timers(config: ChartConfig): void {
    if (this.hasDelayed) config.on = { ...config.on, timer: this.due() };
    for (const [, state] of statesOf(config)) if (state.on?.['*']) state.on = { ...state.on, timer: this.due() };
  }

  private due(): TransitionChoice[] {
    const perform = ({ event: { timer }, enqueue }: any): void => {
      const { to, event }: Delayed = this.delayed.get(timer) ?? JSON.parse(timer);
      if (to === this.name) enqueue.raise(event);
      else enqueue(sent(to, event));
    };
    return [{ actions: [enqueueActions(perform)] }];
  }

  /** The end of an actor is a message to the one that has invoked it. */
  private ending(config: ChartConfig): void {
    const parent = this.group.parentOf(this.name);
    if (parent === undefined) return;
    const { output: last, type: kind } = config;
    if (kind === 'parallel' && [...statesOf(config)].some(([, { type }]) => type === 'final'))
      this.refuse('its parallel regions come to an end together', 'let one state of its root be the final one');
    for (const state of Object.values(config.states ?? {})) {
      if (state.type !== 'final') continue;
      const outputOf = (args: Args): unknown => {
        const seen = this.seen(args, 'its output');
        const event = { type: `xstate.done.state.${this.machine.id}`, output: resolved(state.output, seen) };
        return resolved(last, { ...seen, event });
      };
      const type = `xstate.done.actor.${this.name}`;
      const report = ({ enqueue, ...args }: any): void => {
        const output = outputOf(args);
        enqueue(sent(parent, { type, actorId: this.name, ...(output !== undefined && { output }) } as Message));
      };
      (state.entry ??= []).push(enqueueActions(report));
    }
  }

  private actions(given: readonly unknown[], where: string): unknown[] {
    return given.flatMap((action) => this.action(action, where) ?? []);
  }

  /** The chart's form of an action; `undefined` if the checker does not perform it. */
  private action(given: unknown, where: string): unknown {
    if (typeof given === 'string') return this.named({ type: given });
    if (typeof given === 'object') return this.named(given as { readonly type: string });
    const action = given as BuiltIn;
    switch (action.type) {
      case 'xstate.assign':
        return this.assigning(action, where);
      case 'xstate.sendTo':
      case 'xstate.raise':
        if (action.delay !== undefined) this.hasDelayed = true;
        else if (action.type === 'xstate.raise') return given;
        return this.sending(action, where);
      case 'xstate.cancel':
        return this.canceling(action, where);
      case 'xstate.enqueueActions':
        // The actions that it enqueues are only known at run time.
        this.hasDelayed = true;
        return this.enqueueing(action, where);
      case 'xstate.emit':
        return given;
      case 'xstate.log':
        return undefined;
      case 'xstate.spawnChild':
      case 'xstate.stopChild':
        return this.refuse(`${where} has ${action.type.slice('xstate.'.length)}`, LIST);
      default:
        return this.ownFunction(given, where);
    }
  }

  private named(action: { readonly type: string }): unknown {
    const isPerformed = this.action(this.machine.implementations.actions[action.type] ?? (() => {}), `action "${action.type}"`);
    return isPerformed === undefined ? undefined : { ...action, type: OWN + action.type };
  }

  /** The function is not performed. A message that it sends past the chart would be missed. */
  private ownFunction(given: unknown, where: string): undefined {
    if (/\.\s*send\s*\(/.test(String(given)))
      this.refuse(`${where} has a function that calls send(…)`, 'use sendTo, so that the checker sees the message');
    return undefined;
  }

  private assigning({ assignment }: BuiltIn, where: string): unknown {
    return assign(((given: Args, params: unknown) => {
      const args = this.seen(given, where);
      if (typeof assignment === 'function') return resolved(assignment, args, params);
      return Object.fromEntries(Object.entries(assignment!).map(([key, part]) => [key, resolved(part, args, params)]));
    }) as never);
  }

  private enqueueing({ collect }: BuiltIn, where: string): unknown {
    return enqueueActions(({ enqueue, ...args }: any, params: unknown) => {
      const queue = (action: unknown): void => {
        const mine = this.action(action, where);
        if (mine !== undefined) enqueue(mine);
      };
      const made =
        (make: (...given: any[]) => unknown) =>
        (...given: unknown[]) =>
          queue(make(...given));
      const builtIn = {
        assign: made(assign),
        raise: made(raise),
        sendTo: made(sendTo),
        sendParent: made((event, options) => sendTo(PARENT, event, options)),
        cancel: (sendId: unknown) => queue(Object.assign(() => {}, { type: 'xstate.cancel', sendId })),
        emit: enqueue.emit,
        spawnChild: () => this.refuse(`${where} has spawnChild`, LIST),
        stopChild: () => this.refuse(`${where} has stopChild`, LIST),
      };
      collect!({ ...this.seen(args, where), enqueue: Object.assign(queue, builtIn) }, params);
    });
  }

  private sending({ to, event, id, delay }: BuiltIn, where: string): unknown {
    return enqueueActions((({ enqueue, ...given }: any, params: unknown) => {
      const args = this.seen(given, where);
      const target = this.targetOf(resolved(to, args, params), where);
      const message = resolved(event, args, params) as Message;
      if (delay === undefined) {
        enqueue(target === this.name ? tellEffect(message) : sent(target, message));
        return;
      }
      const named = typeof delay === 'string' ? fieldsOf(this.machine.implementations.delays)[delay] : delay;
      const timer = this.timerOf(id, { to: target, event: message }, where);
      enqueue({ type: 'arm', params: { timer, delay: Math.max(0, Number(resolved(named, args, params))) } });
    }) as never);
  }

  /** A timer is known by the id of its event, which is remembered then; without one by the event itself. */
  private timerOf(id: string | undefined, delayed: Delayed, where: string): string {
    const text = JSON.stringify(delayed);
    if (id === undefined) return text;
    const known = this.delayed.get(id);
    if (known && JSON.stringify(known) !== text)
      this.refuse(
        `${where} sends different delayed events under the id "${id}"`,
        'use a different id for each, or compute the varying part when the event is due',
      );
    this.delayed.set(id, delayed);
    return id;
  }

  private canceling({ sendId }: BuiltIn, where: string): unknown {
    return disarm((args: Args) => ({ timer: String(resolved(sendId, this.seen(args, where))) }));
  }

  private targetOf(to: unknown, where: string): string {
    if (to === PARENT) {
      const parent = this.group.parentOf(this.name);
      return (
        parent ?? this.refuse(`${where} sends to its parent`, 'none of the actors invokes it at its root; list the one that does')
      );
    }
    if (typeof to === 'string') return this.known(to.replace(/^#_/, ''), where).id;
    const { id } = fieldsOf(to);
    if (to === undefined) return this.name;
    return id === undefined
      ? this.refuse(`${where} sends to ${JSON.stringify(to)}`, `the actors are ${this.group.names.join(', ')}`)
      : this.known(String(id), where).id;
  }

  private known(name: string, where: string): ActorReference {
    if (this.group.names.includes(name)) return reference(name);
    return this.refuse(`${where} names the actor "${name}"`, `the actors are ${this.group.names.join(', ')}; list it, or rename`);
  }
}

const sent = (to: string, message: Message) => ({ type: 'send', params: { to, message } });
const tellEffect = (message: Message) => ({ type: 'tell', params: { role: ROLE, message } });

const resolved = (given: unknown, args: Args, params?: unknown): unknown =>
  typeof given === 'function' ? given(args, params) : given;

/** The name of an invoked actor: its id or, without one, its source. */
export const nameOfInvoked = ({ id, src }: InvokeConfig): string | undefined => id ?? (typeof src === 'string' ? src : undefined);
