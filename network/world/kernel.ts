/**
 * Where XState is touched beyond `setup` and `createActor`: here, in `remembering.ts`, which makes its steps fast, and in `selected-in.ts`,
 * which reads the microsteps of a step.
 *
 * `xstate.step(machine, snapshot, event) → { snapshot, effects }` runs the real interpreter through `machine.transition` with one scope
 * that is reused: XState's own `transition()` builds an actor for every call and is four to seven times slower. Whoever steps charts
 * calls `macrostep` of `remembering.ts`, which comes here for each path that a chart takes for the first time.
 */
import {
  createActor,
  createMachine,
  fromCallback,
  fromEventObservable,
  fromObservable,
  fromPromise,
  fromTransition,
  type ActorOptions,
  type AnyActor,
  type AnyActorLogic,
  type AnyMachineSnapshot,
  type AnyStateMachine,
  type AnyStateNode,
  type AnyTransitionDefinition,
} from 'xstate';
import type { Effect, Message } from '../../machines/effects.js';
import { ProtocolError } from '../../machines/errors.js';

interface ExecutableAction {
  readonly type: string;
  readonly params?: any;
}

/** Takes what a step asks for, in order. */
export interface Collector {
  add(type: string, params: any): void;
}

/** The names of XState's own actions that a pure chart may leave in its action list, and what the kernel makes of them. */
export const EMIT = 'xstate.emit';
export const RAISE = 'xstate.raise';

const VOCABULARY = ['send', 'arm', 'disarm', 'draw', 'store', 'tell', 'open', 'close'] as const;
const VOCABULARY_SET: ReadonlySet<string> = new Set(VOCABULARY);

/** What a step asks of its host: effects of the vocabulary, and what is emitted. */
export class Effects implements Collector {
  private readonly performed: Effect[] = [];
  /** Kept apart: a live actor emits when its macrostep is over, after all other effects. */
  private emitted: Effect[] | null = null;

  add(type: string, params: any): void {
    if (type === EMIT) (this.emitted ??= []).push({ type: 'emit', event: params.event });
    else if (type === RAISE && params.delay === undefined) return;
    else if (!VOCABULARY_SET.has(type)) {
      throw new ProtocolError(`a chart used "${type}": charts are pure, use the effects of machines/effects.ts instead`);
    } else if (params !== undefined) this.performed.push({ type: type as Effect['type'], ...params });
  }

  all(): Effect[] {
    return this.emitted === null ? this.performed : [...this.performed, ...this.emitted];
  }
}

/** Transitions without an event and raised events in one step: more than this have no end, and XState would follow them for ever. */
const MICROSTEPS_MAX = 10_000;

let microsteps = 0;
let collector: Collector = new Effects();
let observers = 0;

const inert = createActor(createMachine({}));

/** Hears of every microstep, for coverage to be counted from, and ends a step that has no end. */
const system = Object.assign(Object.create(inert.system) as typeof inert.system, {
  _sendInspectionEvent(inspected: { readonly event?: Message }) {
    if (++microsteps > MICROSTEPS_MAX) throw new ProtocolError('the chart goes on by itself without end, by "always" or "raise"');
    (inert.system as unknown as { _sendInspectionEvent(inspected: unknown): void })._sendInspectionEvent(inspected);
  },
});

const scope = {
  self: inert,
  system,
  id: '',
  sessionId: '',
  defer: () => {},
  logger: () => {},
  stopChild: () => {},
  emit: () => {},
  actionExecutor: ({ type, params }: ExecutableAction) => collector.add(type, params),
};
const anyScope = scope as any;

/** Whether anybody hears of microsteps: then every step is XState's own. */
export const isObserved = (): boolean => observers > 0;

/** Every step within is XState's own: to look at what was remembered with other eyes. */
export function byXState<T>(act: () => T): T {
  observers++;
  try {
    return act();
  } finally {
    observers--;
  }
}

/** The steps of a chart as XState itself takes them, whatever collects what they ask for. */
export const interpreter = {
  begin(machine: AnyStateMachine, input: unknown, asked: Collector): AnyMachineSnapshot {
    collector = asked;
    microsteps = 0;
    const snapshot = machine.getInitialSnapshot(anyScope, input) as AnyMachineSnapshot;
    // What an entry action throws is caught by XState in the first step alone.
    if (snapshot.status === 'error') throw snapshot.error;
    return snapshot;
  },

  /** An event without a transition, or after the end, leaves the very same snapshot. */
  step(machine: AnyStateMachine, snapshot: AnyMachineSnapshot, event: Message, asked: Collector): AnyMachineSnapshot {
    if (snapshot.status !== 'active') return snapshot;
    collector = asked;
    microsteps = 0;
    return inDocumentOrder(machine.transition(snapshot, event, anyScope) as AnyMachineSnapshot);
  },

  accepts(machine: AnyStateMachine, snapshot: AnyMachineSnapshot, event: Message): boolean {
    return snapshot.status === 'active' && (machine.getTransitionData(snapshot, event) ?? []).length > 0;
  },

  restore(machine: AnyStateMachine, value: unknown, context: unknown): AnyMachineSnapshot {
    return inDocumentOrder(machine.resolveState({ value: value as any, context }) as AnyMachineSnapshot);
  },
};

interface OrderedNode {
  readonly order: number;
}

/**
 * The same snapshot with its active states in the order of the document.
 *
 * XState keeps them in the order in which they were entered, takes parallel regions in that order, and shows it neither in value nor in
 * context; a snapshot that is restored has forgotten it, and lists outer states before inner ones. So one state could take one event in
 * several ways, by its history (docs/xstate-order.md). Put in order, a state does the same in a live run, after a restart and in the
 * checker.
 */
function inDocumentOrder(snapshot: AnyMachineSnapshot): AnyMachineSnapshot {
  const { _nodes: nodes } = snapshot as unknown as { readonly _nodes: readonly OrderedNode[] };
  for (let i = 1; i < nodes.length; i++) {
    if (nodes[i - 1]!.order < nodes[i]!.order) continue;
    const { machine, value } = snapshot;
    const resolved = machine.resolveState({ value: value as any, context: {} }) as AnyMachineSnapshot;
    return { ...snapshot, value: resolved.value, _nodes: nodes.toSorted((a, b) => a.order - b.order) } as AnyMachineSnapshot;
  }
  return snapshot;
}

/** The effects that live actors ask for, in order; the host empties it around every `send`. */
export interface EffectOutbox {
  effects: Effect[];
}

/** The same chart with its effects written to `outbox`. Providing rebuilds the chart, so do it once for all actors. */
export function provideEffects(machine: AnyStateMachine, outbox: EffectOutbox): AnyStateMachine {
  const actions = Object.fromEntries(
    VOCABULARY.map((type) => [type, (_: unknown, params: any) => void outbox.effects.push({ type, ...params })]),
  );
  const provided = machine.provide({ actions } as any) as AnyStateMachine;
  const transition = provided.transition.bind(provided);
  provided.transition = (snapshot, event, actorScope) => inDocumentOrder(transition(snapshot, event, actorScope));
  return provided;
}

/** One table of listeners for all actors of a host: it hears everything that any of them emits. */
export class Listeners extends Map<string, Set<(event: Message) => void>> {
  /** An actor that ends clears its table, and this one is everybody's. */
  override clear(): void {}
}

export const listenersTo = (outbox: EffectOutbox): Listeners =>
  new Listeners([['*', new Set([(event: Message) => void outbox.effects.push({ type: 'emit', event })])]]);

/**
 * A live actor under a common parent, not started yet. All of a host's actors share one actor system and one table of listeners,
 * which together halves their memory.
 */
export function createLive(
  machine: AnyStateMachine,
  parent: AnyActor,
  listeners: Listeners,
  input: unknown,
  snapshot?: AnyMachineSnapshot,
  id?: string,
): AnyActor {
  const options = { parent, ...(snapshot ? { snapshot } : { input }), ...(id === undefined ? {} : { id }) };
  const actor = createActor(machine, options as any) as AnyActor;
  (actor as unknown as { eventListeners: Listeners }).eventListeners = listeners;
  return actor;
}

/** XState's `inspect` option: an observer of what actors do. */
export type Inspect = NonNullable<ActorOptions<AnyStateMachine>['inspect']>;

/** The parent of live actors that are inspected. */
export const createInspected = (id: string, inspect: Inspect): AnyActor =>
  createActor(createMachine({ id }), { id, inspect }).start();

/** Stands in a family of live actors for one that is elsewhere. */
export const createStranger = (id: string, parent: AnyActor): AnyActor =>
  createActor(createMachine({ id }), { id, parent } as any).start();

/** Sends an event as if from another actor, which inspectors then know of. */
export const relay = (source: AnyActor | undefined, target: AnyActor, event: Message): void =>
  (target.system as unknown as { _relay(...args: readonly unknown[]): void })._relay(source, target, event);

/** Ends a live actor that has a parent, which `stop()` refuses to do. */
export const stopLive = (actor: AnyActor): void => (actor as unknown as { _stop(): void })._stop();

/** A transition that the interpreter selected: `source` is the id of its state, `index` its place among those for the event. */
export interface TakenTransition {
  readonly machine: AnyStateMachine;
  readonly source: string;
  readonly eventType: string;
  readonly index: number;
  readonly event: Message;
}

/** The system of what runs on the kernel without an actor of its own: it knows whether anybody observes it. */
export const kernelSystem: AnyActor['system'] = Object.assign(system, {
  inspect(observer: Parameters<AnyActor['system']['inspect']>[0]) {
    const subscription = inert.system.inspect(observer);
    observers++;
    return {
      unsubscribe() {
        subscription.unsubscribe();
        observers--;
      },
    };
  },
});

/** Its place among the choices of its state for its event; -1 for the step into a first state, which no config spells out. */
export const indexOf = (transition: AnyTransitionDefinition): number =>
  choicesOf(transition.source, transition.eventType).indexOf(transition);

/** The choices of a state for an event descriptor, '' for eventless ones. */
export const choicesOf = (node: AnyStateNode, descriptor: string): readonly AnyTransitionDefinition[] =>
  (descriptor === '' ? node.always : node.transitions.get(descriptor)) ?? [];

/** Reports every transition that the kernel takes, until the returned function is called: what coverage is counted from. */
export function onTransition(listener: (taken: TakenTransition) => void): () => void {
  const subscription = kernelSystem.inspect((inspected) => {
    if (inspected.type === '@xstate.microstep') report(inspected, listener);
  });
  return () => subscription.unsubscribe();
}

function report({ _transitions, event }: Microstep, listener: (taken: TakenTransition) => void): void {
  for (const transition of _transitions) {
    const { source, eventType } = transition;
    listener({ machine: source.machine, source: source.id, eventType, index: indexOf(transition), event });
  }
}

interface Microstep {
  readonly event: Message;
  readonly _transitions: readonly AnyTransitionDefinition[];
}

/** The event descriptors that the active states of a chart have transitions for. */
export const descriptorsOf = (snapshot: AnyMachineSnapshot): readonly string[] => [
  ...new Set(snapshot._nodes.flatMap((node) => [...node.transitions.keys()])),
];

const factories = {
  promise: fromPromise(async () => {}),
  callback: fromCallback(() => {}),
  observable: fromObservable(() => ({ subscribe: () => ({ unsubscribe() {} }) })),
  events: fromEventObservable(() => ({ subscribe: () => ({ unsubscribe() {} }) })),
  transition: fromTransition((state: unknown) => state, undefined),
};

/** What made an actor's logic: the chart's `createMachine`, one of XState's `from…` functions, or somebody's own hands. */
export type LogicKind = 'machine' | keyof typeof factories | 'other';

export function kindOfLogic(logic: AnyActorLogic): LogicKind {
  if ('getStateNodeById' in logic) return 'machine';
  const source = String((logic as Partial<AnyActorLogic>).transition);
  const found = Object.entries(factories).find(([, made]) => String(made.transition) === source);
  return (found?.[0] as LogicKind | undefined) ?? 'other';
}

/** A delayed event that waits for the clock. */
export interface Scheduled {
  readonly source: AnyActor;
  readonly target: AnyActor;
  readonly event: Message;
  /** What it is cancelled by. */
  readonly id: string;
}

/** An action of the application as it is about to be performed, with the context that it gets to see. */
export interface PerformedAction {
  readonly type: string;
  readonly params: unknown;
  readonly info: { readonly context: unknown };
  /** Absent where nobody has written it: XState performs nothing then, and says nothing. */
  readonly exec?: (info: unknown, params: unknown) => unknown;
}

/** What the host of a staged actor system is asked and told. */
export interface StageHooks {
  /** A new actor, nothing of it run yet. Whatever logic is given runs in place of its own. */
  created(actor: AnyActor, kind: LogicKind): AnyActorLogic;
  /** Whether an action of the application is performed. */
  performs(actor: AnyActor, action: PerformedAction): boolean;
  /** What an action that was performed gave back; XState waits for no promise. */
  gave(action: PerformedAction, value: unknown): void;
  /** An event goes from one actor to another, or to itself; what this throws breaks the one that sends. */
  relays(event: Message): void;
  taken(transition: TakenTransition): void;
  /** The clock is about to be asked for a timer for this. */
  schedules(scheduled: Scheduled): void;
  /** The root has ended with an error. */
  broke(thrown: unknown): void;
}

/**
 * A root actor, not started yet, whose whole system is in the hands of its host: what its services do, its time and its actions. With a
 * snapshot of a machine that has neither actors nor timers it goes on from there, as if it had come there itself.
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
      // As its observers would hear of it, without a copy for each.
      actor.system._sendInspectionEvent = (inspected: any) => {
        if (inspected.type === '@xstate.actor') prepare(inspected.actorRef);
        if (inspected.type === '@xstate.event') hooks.relays(inspected.event as Message);
        if (inspected.type === '@xstate.microstep') report(inspected, hooks.taken);
      };
      sessions = 1;
    }
    actor.logic = hooks.created(actor as AnyActor, kindOfLogic(actor.logic as AnyActorLogic));
    const perform = actor._actorScope.actionExecutor;
    actor._actorScope.actionExecutor = (action: PerformedAction) => {
      if (action.type.startsWith('xstate.')) return perform(action);
      const { exec } = action;
      const isPerformed = hooks.performs(actor as AnyActor, action) && exec !== undefined;
      const told = (info: unknown, params: unknown) => hooks.gave(action, exec!(info, params));
      perform({ ...action, exec: isPerformed ? told : undefined });
    };
  };
  const first = (inspected: { readonly type: string; readonly actorRef?: unknown }) => {
    if (sessions === 0 && inspected.type === '@xstate.actor') prepare(inspected.actorRef);
  };
  const actor = createActor(logic, { ...options, ...(from && { snapshot: from }), inspect: first });
  // What XState restores has forgotten in which order its states were entered.
  if (from) (actor as unknown as { _snapshot: unknown })._snapshot = from;
  actor.subscribe({ error: (thrown: unknown) => hooks.broke(thrown) });
  return actor;
}

/** Arms a delayed event as the actor itself would. */
export const schedule = ({ source, target, event, id }: Scheduled, delay: number): void =>
  source.system.scheduler.schedule(source, target, event, delay, id);

/** Tells a held callback to fail: one of XState's own fails by what it throws. */
const BREAKS = 'quiver.breaks';

/** The same kind of logic that does nothing by itself: what comes of it, `settle` says. */
export function heldLogic(logic: AnyActorLogic, heard: (event: Message) => void): AnyActorLogic {
  return {
    ...logic,
    start: () => {},
    transition: (state: any, event: any, scope: any) => {
      if (event.type === 'xstate.stop') return { ...state, status: 'stopped', input: undefined };
      if (event.type === BREAKS) throw event.data;
      if (/^xstate\.(promise|observable)\./.test(event.type as string)) return logic.transition(state, event, scope);
      heard(event as Message);
      return state;
    },
  } as AnyActorLogic;
}

/** What a service that does nothing by itself comes to. */
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

/** Lets a held service come to something, as XState's own would. */
export function settleService(actor: AnyActor, kind: LogicKind, settling: Settling): void {
  const { how } = settling;
  const self = actor as any;
  if (how === 'sends') return relay(actor, self._parent as AnyActor, settling.value);
  const type = SETTLED_BY[kind]![how]!;
  relay(actor, actor, { type, ...('value' in settling && { data: settling.value }) });
}

/** A promise that stands in for a chart or another logic whose work is held. */
export const standIn = factories.promise as AnyActorLogic;

/** Which options an actor was made with: its source's name, where it has one. */
export const actorSource = ({ src }: AnyActor): string | undefined =>
  typeof src === 'string' && !src.startsWith('xstate.invoke.') ? src : undefined;

/** The actor that invoked or spawned this one. */
export const parentOf = (actor: AnyActor): AnyActor | undefined => actor._parent as AnyActor | undefined;

/** Whether an actor has been started and neither ended nor been stopped. */
export const isRunning = (actor: AnyActor): boolean =>
  (actor as unknown as { _processingStatus: number })._processingStatus === 1;
