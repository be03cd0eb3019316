/**
 * A controlled actor system: XState's own actors of an application, whose services, time and actions are under the control of the tests
 * (test/machine).
 */
import {
  createActor,
  fromCallback,
  fromEventObservable,
  fromObservable,
  fromPromise,
  fromTransition,
  type ActorOptions,
  type AnyActor,
  type AnyActorLogic,
  type AnyMachineSnapshot,
} from 'xstate';
import type { Message } from '../../machines/effects.js';
import { parentOf, relay } from '../../network/world/internals.js';
import { report, type TakenTransition } from '../../network/world/kernel.js';
import { UsageError } from '../../machines/errors.js';
import { keysOf } from '../../machines/checks.js';

const factories = {
  promise: fromPromise(async () => {}),
  callback: fromCallback(() => {}),
  observable: fromObservable(() => ({ subscribe: () => ({ unsubscribe() {} }) })),
  events: fromEventObservable(() => ({ subscribe: () => ({ unsubscribe() {} }) })),
  transition: fromTransition((state: unknown) => state, undefined),
};

/** The creator of an actor's logic: `createMachine`, one of XState's `from…` functions, or `other` for custom logic. */
export type LogicKind = 'machine' | keyof typeof factories | 'other';

export function kindOfLogic(logic: AnyActorLogic): LogicKind {
  if ('getStateNodeById' in logic) return 'machine';
  const source = String(logic.transition);
  return keysOf(factories).find((kind) => String(factories[kind].transition) === source) ?? 'other';
}

/** A delayed event that is waiting for its time. */
export interface ScheduledEvent {
  readonly source: AnyActor;
  readonly target: AnyActor;
  readonly event: Message;
  /** The id that cancels it. */
  readonly id: string;
}

/** An action of the application as it is about to be performed, with the context that it gets to see. */
export interface PerformedAction {
  readonly type: string;
  readonly params: unknown;
  readonly info: { readonly context: unknown };
  /** Absent without an implementation: XState then silently performs nothing. */
  readonly exec?: (info: unknown, params: unknown) => unknown;
}

/** The functions by which tests control an actor system. */
export interface StageHooks {
  /** Called for a new actor before it runs. The returned logic replaces its own. */
  created(actor: AnyActor, kind: LogicKind): AnyActorLogic;
  /** Returns true if an action of the application is performed. */
  performs(actor: AnyActor, action: PerformedAction): boolean;
  /** Performs an action, which may return a promise; XState does not wait for it. */
  perform(action: PerformedAction, work: () => unknown): void;
  /** An event goes from one actor to another, or to itself; what this throws breaks the one that sends. */
  relays(event: Message, target: AnyActor, source: AnyActor | undefined): void;
  taken(transition: TakenTransition): void;
  /** Called before the clock receives a timer for this event. */
  schedules(scheduled: ScheduledEvent): void;
  /** The root has ended with an error. */
  broke(thrown: unknown): void;
}

/**
 * Creates a root actor, not started yet. Its host controls the whole system: services, time and actions. With the snapshot of a machine
 * without actors and timers, it continues from there.
 */
export function createStaged(
  logic: AnyActorLogic,
  options: ActorOptions<AnyActorLogic>,
  hooks: StageHooks,
  from?: AnyMachineSnapshot,
): AnyActor {
  let sessions = 0;
  const prepare = (actor: any): void => {
    if (sessions === 0) {
      // Numbers of one system, where XState counts through the whole program.
      actor.system._bookId = () => `x:${++sessions}`;
      const { scheduler } = actor.system;
      const { schedule } = scheduler;
      scheduler.schedule = (source: AnyActor, target: AnyActor, event: Message, delay: number, id = `timer:${++sessions}`) => {
        hooks.schedules({ source, target, event, id });
        schedule(source, target, event, delay, id);
      };
      // Passes inspection events to the observer without a copy for each.
      actor.system._sendInspectionEvent = (inspected: any) => {
        if (inspected.type === '@xstate.actor') prepare(inspected.actorRef);
        if (inspected.type === '@xstate.event') hooks.relays(inspected.event, inspected.actorRef, inspected.sourceRef);
        if (inspected.type === '@xstate.microstep') report(inspected, hooks.taken);
      };
      sessions = 1;
    }
    actor.logic = hooks.created(actor, kindOfLogic(actor.logic));
    const perform = actor._actorScope.actionExecutor;
    actor._actorScope.actionExecutor = (action: PerformedAction) => {
      if (action.type.startsWith('xstate.')) return perform(action);
      const { exec } = action;
      const isPerformed = hooks.performs(actor, action) && exec !== undefined;
      const hooked = (info: unknown, params: unknown) => hooks.perform(action, () => exec!(info, params));
      perform({ ...action, exec: isPerformed ? hooked : undefined });
    };
  };
  const first = (inspected: { readonly type: string; readonly actorRef?: unknown }) => {
    if (sessions === 0 && inspected.type === '@xstate.actor') prepare(inspected.actorRef);
  };
  const actor = createActor(logic, { ...options, ...(from && { snapshot: from }), inspect: first });
  // XState does not restore the order in which states were entered.
  if (from) (actor as unknown as { _snapshot: unknown })._snapshot = from;
  actor.subscribe({ error: (thrown: unknown) => hooks.broke(thrown) });
  return actor;
}

/** The type of an event that makes a held callback fail: XState's own callbacks fail by what they throw. */
const BREAKS = 'quiver.breaks';

/** Logic of the same kind that does no work. `settle` gives it a result. */
export function heldLogic(logic: AnyActorLogic, received: (event: Message) => void): AnyActorLogic {
  return {
    ...logic,
    start: () => {},
    transition: (state, event, scope) => {
      if (event.type === 'xstate.stop') return { ...state, status: 'stopped', input: undefined };
      if (event.type === BREAKS) throw event.data;
      if (/^xstate\.(promise|observable)\./.test(event.type)) return logic.transition(state, event, scope);
      received(event);
      return state;
    },
  };
}

/** The result that a test gives to a held service: it is done, fails, emits a value, completes, or sends an event. */
export type Settling =
  | { readonly how: 'done' | 'fails' | 'next'; readonly value: unknown }
  | { readonly how: 'completes' }
  | { readonly how: 'sends'; readonly value: Message };

const OBSERVED_BY = { next: 'xstate.observable.next', fails: 'xstate.observable.error', completes: 'xstate.observable.complete' };
const SETTLED_BY: Readonly<Partial<Record<LogicKind, Readonly<Record<string, string>>>>> = {
  promise: { done: 'xstate.promise.resolve', fails: 'xstate.promise.reject' },
  callback: { fails: BREAKS },
  observable: OBSERVED_BY,
  events: OBSERVED_BY,
};

/** Gives a held service a result, in the same way as XState's own services report theirs. */
export function settleService(actor: AnyActor, kind: LogicKind, settling: Settling): void {
  const { how } = settling;
  if (how === 'sends') return relay(actor, parentOf(actor)!, settling.value);
  const type = SETTLED_BY[kind]![how]!;
  relay(actor, actor, { type, ...('value' in settling && { data: settling.value }) });
}

/** A promise instead of an actor whose work is held. */
export const standIn: AnyActorLogic = factories.promise;

export const actorSource = ({ src }: AnyActor): string | undefined =>
  typeof src === 'string' && !src.startsWith('xstate.invoke.') ? src : undefined;

/** True if an actor has been started, and has neither ended nor been stopped. */
export const isRunning = (actor: AnyActor): boolean =>
  (actor as unknown as { _processingStatus: number })._processingStatus === 1;

/** The kinds of services that are held. Custom logic runs unchanged. */
export const HELD: ReadonlySet<LogicKind> = new Set(['promise', 'callback', 'observable', 'events']);

/** The error for a machine whose actors cannot run, because the tests use only its chart. */
export class NeedsActors extends UsageError {}

export const noneAlone = (name: string, kind: LogicKind): UsageError =>
  new NeedsActors(
    `${name} is ${kind === 'machine' ? 'a machine' : 'custom logic'}, which only mode 'live' runs. In mode 'pure', define its results, services: { ${JSON.stringify(name)}: { sends: [{ type: '…' }], done: [{ … }] } }`,
  );

/** A promise that does its real work and then waits for the step that gives the result to the machine. */
export function performedLogic(logic: AnyActorLogic, began: (end: Promise<Settling>) => void): AnyActorLogic {
  const create = (logic as { config: (args: unknown) => unknown }).config;
  return {
    ...heldLogic(logic, () => {}),
    start: ({ input }, { self, system, emit }) => {
      const { signal } = new AbortController();
      const running = Promise.resolve(create({ input, self, system, emit, signal }));
      began(
        running.then(
          (value): Settling => ({ how: 'done', value }),
          (value: unknown): Settling => ({ how: 'fails', value }),
        ),
      );
    },
  } as AnyActorLogic;
}
