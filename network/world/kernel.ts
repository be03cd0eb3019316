/**
 * The steps of a chart as XState takes them, and live actors that share one system. Private fields of XState are in `internals.ts`.
 *
 * `interpreter.step` runs XState through `machine.transition` with one scope that is reused: XState's own `transition()` builds an actor
 * for every call and is four to seven times slower. It is used if the private fields are not as expected. `macrostep` of `remembering.ts`
 * comes here for each path that a chart takes for the first time.
 */
import {
  createActor,
  createMachine,
  initialTransition,
  transition,
  type ActorOptions,
  type AnyActor,
  type AnyActorScope,
  type AnyMachineSnapshot,
  type AnyStateMachine,
  type AnyStateNode,
  type AnyTransitionDefinition,
  type StateValue,
} from 'xstate';
import type { Effect, Message } from '../../machines/effects.js';
import { ProtocolError } from '../../machines/errors.js';
import {
  activeNodes,
  missingFieldNames,
  orderOf,
  replaceListeners,
  reportingSystem,
  reportInspected,
  withNodes,
} from './internals.js';

interface ExecutableAction {
  readonly type: string;
  readonly params?: any;
}

/** Collects the effects that a step requests, in order. */
export interface Collector {
  add(type: string, params: any): void;
}

/** Names of XState's own actions that a pure chart may leave in its action list. */
export const EMIT = 'xstate.emit';
export const RAISE = 'xstate.raise';

const VOCABULARY = ['send', 'arm', 'disarm', 'draw', 'store', 'tell', 'open', 'close'] as const;
const VOCABULARY_SET: ReadonlySet<string> = new Set(VOCABULARY);

/** The requests of a step to its host: effects of the vocabulary, and emitted events. */
export class Effects implements Collector {
  private readonly performed: Effect[] = [];
  /** Separate, because a live actor emits after its macrostep, after all other effects. */
  private emitted: Effect[] | null = null;

  add(type: string, params: any): void {
    if (type === EMIT) (this.emitted ??= []).push({ type: 'emit', event: params.event });
    else if (type === RAISE && params.delay === undefined) return;
    else if (!VOCABULARY_SET.has(type)) {
      throw new ProtocolError(
        `A chart used "${type}". Charts are pure: use the effects that xstate-quiver exports, such as send and arm.`,
      );
    } else if (params !== undefined) this.performed.push({ type, ...params });
  }

  all(): Effect[] {
    return this.emitted === null ? this.performed : [...this.performed, ...this.emitted];
  }
}

/** Limit of eventless transitions and raised events in one step. XState would follow an infinite loop forever. */
const MICROSTEPS_MAX = 10_000;

let microsteps = 0;
let collector: Collector = new Effects();
let observers = 0;

const inert = createActor(createMachine({}));

/** Receives every microstep, for coverage and to stop an infinite step. */
const system = reportingSystem(inert, (inspected) => {
  if (++microsteps > MICROSTEPS_MAX)
    throw new ProtocolError(
      'A step of the chart never ends, because "always" or "raise" loops forever. Add a guard that ends the loop.',
    );
  reportInspected(inert, inspected);
});

const scope: AnyActorScope = {
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

/** True if something observes microsteps. XState itself then takes every step, because only it reports them. */
export const isObserved = (): boolean => observers > 0 || missingFieldNames.length > 0;

/** Runs a function during which XState takes every step, to compare the results with cached ones. */
export function byXState<T>(act: () => T): T {
  observers++;
  try {
    return act();
  } finally {
    observers--;
  }
}

/** The steps of a chart by XState's public functions, for a version with other private fields. */
export const publicSteps = {
  begin(machine: AnyStateMachine, input: unknown, asked: Collector): AnyMachineSnapshot {
    const [snapshot, actions] = initialTransition(machine, input);
    if (snapshot.status === 'error') throw snapshot.error;
    for (const { type, params } of actions) asked.add(type, params);
    return snapshot;
  },

  step(machine: AnyStateMachine, snapshot: AnyMachineSnapshot, event: Message, asked: Collector): AnyMachineSnapshot {
    if (snapshot.status !== 'active') return snapshot;
    const [next, actions] = transition(machine, snapshot, event);
    for (const { type, params } of actions) asked.add(type, params);
    return next;
  },
};

const scopedSteps = {
  begin(machine: AnyStateMachine, input: unknown, asked: Collector): AnyMachineSnapshot {
    collector = asked;
    microsteps = 0;
    const snapshot: AnyMachineSnapshot = machine.getInitialSnapshot(scope, input);
    // XState catches errors of entry actions only in the first step.
    if (snapshot.status === 'error') throw snapshot.error;
    return snapshot;
  },

  /** An event without a transition, or after the end, returns the same snapshot object. */
  step(machine: AnyStateMachine, snapshot: AnyMachineSnapshot, event: Message, asked: Collector): AnyMachineSnapshot {
    if (snapshot.status !== 'active') return snapshot;
    collector = asked;
    microsteps = 0;
    return inDocumentOrder(machine.transition(snapshot, event, scope));
  },
};

/** Computes the steps of a chart with XState, and passes their effects to any collector. */
export const interpreter = {
  ...(missingFieldNames.length > 0 ? publicSteps : scopedSteps),

  accepts(machine: AnyStateMachine, snapshot: AnyMachineSnapshot, event: Message): boolean {
    return snapshot.status === 'active' && (machine.getTransitionData(snapshot, event) ?? []).length > 0;
  },

  restore(machine: AnyStateMachine, value: StateValue, context: unknown): AnyMachineSnapshot {
    return inDocumentOrder(machine.resolveState({ value, context }) as AnyMachineSnapshot);
  },
};

/**
 * The same snapshot with its active states in the order of the document.
 *
 * XState keeps active states in the order of entry, processes parallel regions in that order, and shows it neither in value nor in context.
 * A restored snapshot has lost it, and lists outer states before inner ones. So one state could react to one event in several ways,
 * depending on its history (docs/compile.md). In document order, a state reacts the same way in a live run, after a restart and in the
 * checker.
 */
function inDocumentOrder(snapshot: AnyMachineSnapshot): AnyMachineSnapshot {
  const nodes = activeNodes(snapshot);
  for (let i = 1; i < nodes.length; i++) {
    if (orderOf(nodes[i - 1]!) < orderOf(nodes[i]!)) continue;
    const { machine, value } = snapshot;
    const resolved: AnyMachineSnapshot = machine.resolveState({ value, context: {} });
    const ordered = nodes.toSorted((a, b) => orderOf(a) - orderOf(b));
    return withNodes({ ...snapshot, value: resolved.value }, ordered);
  }
  return snapshot;
}

/** The effects that live actors request, in order. Their host empties it for every event that it sends. */
export interface EffectOutbox {
  effects: Effect[];
}

/** The same chart with its effects written to `outbox`. Providing rebuilds the chart, so do it once for all actors. */
export function provideEffects(machine: AnyStateMachine, outbox: EffectOutbox): AnyStateMachine {
  const actions = Object.fromEntries(
    VOCABULARY.map((type) => [type, (_: unknown, params: any) => void outbox.effects.push({ type, ...params })]),
  );
  const provided: AnyStateMachine = machine.provide({ actions });
  provided.options = {
    ...provided.options,
    maxIterations: Math.min(MICROSTEPS_MAX, provided.options?.maxIterations ?? Infinity),
  };
  const transition = provided.transition.bind(provided);
  provided.transition = (snapshot, event, actorScope) => inDocumentOrder(transition(snapshot, event, actorScope));
  return provided;
}

/** One table of listeners for all actors of a host: it receives all events that they emit. */
export class Listeners extends Map<string, Set<(event: Message) => void>> {
  /** An actor clears its table when it ends, but all actors share this one. */
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
  const actor: AnyActor = createActor(machine, options);
  replaceListeners(actor, listeners);
  return actor;
}

/** XState's `inspect` option: an observer of what actors do. */
export type Inspect = NonNullable<ActorOptions<AnyStateMachine>['inspect']>;

/** Creates a parent for live actors, through which XState reports them to `inspect`. */
export const createInspected = (id: string, inspect: Inspect): AnyActor =>
  createActor(createMachine({ id }), { id, inspect }).start();

/** Creates a placeholder for a remote actor in a family of live actors. */
export const createRemoteActor = (id: string, parent: AnyActor): AnyActor =>
  createActor(createMachine({ id }), { id, parent }).start();

/** A transition that the interpreter selected: `source` is the id of its state, `index` its place among those for the event. */
export interface TakenTransition {
  readonly machine: AnyStateMachine;
  readonly source: string;
  readonly eventType: string;
  readonly index: number;
  readonly event: Message;
}

/** The system of charts on the kernel, without actors: it knows whether observers exist. */
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

/** Index among the transitions of its state for its event; -1 for the step into the initial state, which no config contains. */
export const indexOf = (transition: AnyTransitionDefinition): number =>
  choicesOf(transition.source, transition.eventType).indexOf(transition);

/** The choices of a state for an event descriptor, '' for eventless ones. */
export const choicesOf = (node: AnyStateNode, descriptor: string): readonly AnyTransitionDefinition[] =>
  (descriptor === '' ? node.always : node.transitions.get(descriptor)) ?? [];

/** Reports every transition that the kernel takes, until the returned function is called. Coverage uses it. */
export function onTransition(listener: (taken: TakenTransition) => void): () => void {
  const subscription = kernelSystem.inspect((inspected) => {
    if (inspected.type === '@xstate.microstep') report(inspected, listener);
  });
  return () => subscription.unsubscribe();
}

/** Reports each transition of a microstep to the listener. */
export function report({ _transitions, event }: Microstep, listener: (taken: TakenTransition) => void): void {
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
  ...new Set(activeNodes(snapshot).flatMap((node) => [...node.transitions.keys()])),
];
