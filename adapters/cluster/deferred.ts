/**
 * A user's machine whose actions wait: an action that XState would run at once is handed over as an `Execution`, and runs when the version
 * that it belongs to is durable.
 *
 * Only functions that act are replaced. `assign`, `raise`, `sendTo` and the other actions of XState compute the next state, and stay. A
 * function in the config is named by its place, so that another process finds it again. The start of a promise, a callback or an observable
 * waits as well; child machines are wrapped in the same way.
 */
import { StateMachine, type AnyActorLogic, type AnyActorRef, type AnyStateMachine, type EventObject } from 'xstate';
import { isObject } from '../../machines/checks.js';
import { HOSTED } from '../../network/cluster-observation.js';
import { builtin } from '../../network/world/internals.js';

type Args = { readonly context: unknown; readonly event: EventObject; readonly self: AnyActorRef; readonly system: unknown };
/** Like XState, it accepts functions that return something: a promise is awaited. */
type Action = (args: Args, params: unknown) => unknown;

/** An action that was due, or the start of a child. */
export interface Execution {
  /** The idempotency key of one that may have begun before. */
  readonly key?: string;
  /** The name of the action; `null` for the start of a child, which another process does not repeat. */
  readonly name: string | null;
  readonly context: unknown;
  readonly event: EventObject;
  readonly params: unknown;
  /** Returns the result of the action. */
  run(): unknown;
}

export interface DeferredMachine {
  readonly machine: AnyStateMachine;
  /** The actions by name, to repeat one that another process has left unfinished. */
  readonly actions: ReadonlyMap<string, Action>;
}

/** The event of a child whose start threw an error. */
const THREW = '@cluster.threw';
/** The field of a child's snapshot that contains its idempotency key. */
const KEY = '@cluster.key';

type Config = Readonly<Record<string, unknown>>;

const isAction = (value: unknown): value is Action => typeof value === 'function' && !builtin(value);
const isMachine = (logic: unknown): logic is AnyStateMachine => logic instanceof StateMachine;
const isLogic = (value: unknown): value is AnyActorLogic => isObject(value) && typeof value['transition'] === 'function';

class Wrapping {
  readonly actions = new Map<string, Action>();

  constructor(
    private readonly defer: (execution: Execution) => void,
    private readonly newKey: () => string,
  ) {}

  machine(machine: AnyStateMachine, path: string): AnyStateMachine {
    const implementations: { readonly actions: Config; readonly actors: Config } = machine.implementations;
    const named = (record: Config, wrap: (value: unknown, name: string) => unknown) =>
      Object.fromEntries(Object.entries(record).map(([name, value]) => [name, wrap(value, `${path}${name}`)]));
    const config = this.node(machine.config, `${path}#`);
    return new StateMachine(config, {
      ...machine.implementations,
      actions: named(implementations.actions, (value, name) => this.action(value, name)),
      actors: named(implementations.actors, (value, name) => this.logic(value, `${name}/`)),
    } as never);
  }

  private action(value: unknown, name: string): unknown {
    if (!isAction(value)) return this.enqueuing(value, name);
    this.actions.set(name, value);
    return this.deferred(name, value);
  }

  private deferred(name: string | null, action: Action): Action {
    return (args, params) => {
      const { context, event } = args;
      this.defer({ name, context, event, params, run: () => action(args, params) });
    };
  }

  /** Functions that `enqueueActions` enqueues are new each time, and cannot be found again. */
  private enqueuing(value: unknown, name: string): unknown {
    const collect = builtin(value)?.collect;
    if (!collect) return value;
    const wrapped = Object.assign((...args: readonly unknown[]) => (value as Function)(...args), value, {
      collect: (args: { enqueue: Function }, params: unknown) => {
        const enqueue = Object.assign(
          (action: unknown) => args.enqueue(isAction(action) ? this.deferred(null, action) : this.action(action, name)),
          args.enqueue,
        );
        collect({ ...args, enqueue }, params);
      },
    });
    return wrapped;
  }

  private list(actions: unknown, path: string): unknown {
    return Array.isArray(actions) ? actions.map((one, i) => this.action(one, `${path}.${i}`)) : this.action(actions, path);
  }

  private transition(value: unknown, path: string): unknown {
    if (Array.isArray(value)) return value.map((one, i) => this.transition(one, `${path}.${i}`));
    if (!isObject(value) || !('actions' in value)) return value;
    return { ...value, actions: this.list(value['actions'], path) };
  }

  private transitions(value: unknown, path: string): unknown {
    if (!isObject(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, this.transition(one, `${path}.${key}`)]));
  }

  private invoke(value: unknown, path: string): unknown {
    if (Array.isArray(value)) return value.map((one, i) => this.invoke(one, `${path}.${i}`));
    if (!isObject(value)) return value;
    const wrapped: Record<string, unknown> = { ...value, src: this.logic(value['src'], `${path}/`) };
    for (const key of ['onDone', 'onError', 'onSnapshot'])
      if (value[key] !== undefined) wrapped[key] = this.transition(value[key], `${path}.${key}`);
    return wrapped;
  }

  /** Wraps a state node of the config. */
  private node(config: Config, path: string): Config {
    const wrapped: Record<string, unknown> = { ...config };
    const set = (key: string, how: (value: unknown, path: string) => unknown) => {
      if (config[key] !== undefined) wrapped[key] = how.call(this, config[key], `${path}.${key}`);
    };
    for (const key of ['entry', 'exit']) set(key, this.list);
    for (const key of ['on', 'after']) set(key, this.transitions);
    for (const key of ['always', 'onDone']) set(key, this.transition);
    set('invoke', this.invoke);
    set('states', (states) =>
      Object.fromEntries(Object.entries(states as Config).map(([key, one]) => [key, this.node(one as Config, `${path}.${key}`)])),
    );
    return wrapped;
  }

  private logic(value: unknown, path: string): unknown {
    if (isMachine(value)) return this.machine(value, path);
    return isLogic(value) && value.start !== undefined ? this.starting(value) : value;
  }

  /** Wraps the logic of a child, which starts when the version is durable. Events to it wait until then. */
  private starting(logic: AnyActorLogic): AnyActorLogic {
    const waiting = new WeakMap<object, { isStopped: boolean; readonly events: EventObject[] }>();
    return {
      ...logic,
      // The key persists with the child: a child that starts again has the same one.
      getInitialSnapshot: (scope, input) => ({ ...logic.getInitialSnapshot(scope, input), [KEY]: this.newKey() }),
      start: (snapshot, scope) => {
        const wait = { isStopped: false, events: [] };
        waiting.set(scope.self, wait);
        const run = () => {
          waiting.delete(scope.self);
          if (wait.isStopped) return;
          try {
            logic.start!(snapshot, scope);
          } catch (error) {
            return scope.self.send({ type: THREW, error });
          }
          for (const event of wait.events) scope.self.send(event);
        };
        const { [KEY]: key } = snapshot as { readonly [KEY]: string };
        this.defer({ key, name: null, context: null, event: { type: 'xstate.init' }, params: undefined, run });
      },
      transition: (snapshot, event, scope) => {
        if (event.type === THREW) return { ...snapshot, status: 'error', error: event.error };
        const wait = waiting.get(scope.self);
        if (!wait) return logic.transition(snapshot, event, scope);
        if (event.type === 'xstate.stop') {
          wait.isStopped = true;
          return { ...snapshot, status: 'stopped', error: undefined };
        }
        wait.events.push(event);
        return snapshot;
      },
    };
  }
}

/** Returns the machine with actions that wait: each is passed to `defer`. Each new child has the idempotency key that `newKey` returns. */
export function deferredMachine(
  machine: AnyStateMachine,
  defer: (execution: Execution) => void,
  newKey: () => string,
): DeferredMachine {
  const wrapping = new Wrapping(defer, newKey);
  const hosted = Object.assign(wrapping.machine(machine, ''), { [HOSTED]: true });
  return { machine: hosted, actions: wrapping.actions };
}
