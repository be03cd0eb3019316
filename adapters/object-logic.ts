/**
 * Actor logic for the objects of this package: an application's machine invokes an election, a quota and so on as a child.
 *
 * The application creates the object, passes it as input and closes it; several actors may use one object. The actor announces the current
 * state when it starts, and each later change: to its parent, to listeners (`on`) and in its snapshot. Each notice contains `from`, the id
 * of the actor, so that a parent can distinguish its children. If a request fails, the actor sends `failed`. When the object closes, the
 * actor is done. When the object ends with an error, the actor ends with the same error.
 *
 * Snapshots persist without the object, which is not data. A restored actor needs an object of the new process: `of(object)` binds one.
 */
import { from, shareReplay, type Observable } from 'rxjs';
import type { ActorLogic, AnyActor, AnyActorRef, AnyEventObject, EventObject, Snapshot } from 'xstate';
import { UsageError } from '../machines/errors.js';
import { parentOf } from '../network/world/internals.js';
import { unknownWord } from '../network/scenario/read.js';

/** Field of every notice: the id of the actor that sends it. */
export interface FromActor {
  /** Id of the actor, as in `invoke: { id }`. */
  readonly from: string;
}

/**
 * Notice of an actor after an event that failed.
 *
 * @public
 */
export interface Failed<E> extends FromActor {
  readonly type: 'failed';
  readonly error: unknown;
  /** The event that failed. */
  readonly event: E;
}

/** A notice before its actor adds its id. */
export type WithoutFrom<N> = N extends FromActor ? Omit<N, 'from'> : never;

/** Function with which an attached object changes its actor. */
export interface ReportChange<S, N> {
  /** Updates the snapshot, then sends the notice. */
  (state: Partial<S>, notice?: WithoutFrom<N>): void;
}

/** Rules that turn one kind of object into an actor. */
interface Adapter<O, S, E extends EventObject, N extends EventObject> {
  /** Key of the input, and first part of the logic's name. */
  readonly key: string;
  /** A method that distinguishes the object from its persisted form. */
  readonly method: keyof O & string;
  /** The state before the first report. */
  readonly initial: NoInfer<S>;
  /** Starts to watch the object; what it returns handles the events. The signal aborts when the actor stops. */
  attach(object: O, report: ReportChange<S, N>, signal: AbortSignal): Handlers<E>;
  /** Resolves when the object has closed, with its error or `null`. */
  closed(object: O): Promise<Error | null>;
}

type Handlers<E extends EventObject> = {
  readonly [T in E['type']]: (event: Extract<E, { readonly type: T }>) => void | Promise<void>;
};

/** The snapshot of an object's actor: the state `S` of the object as this peer knows it. */
export type ObjectSnapshot<S> = Snapshot<undefined> & S;

/**
 * Actor logic of an object of this package, such as `electionLogic`. Invoke it with the object as input, or bind one with `of`.
 *
 * @public
 */
export interface ObjectLogic<
  K extends string,
  O,
  S,
  E extends EventObject,
  N extends EventObject,
  I = { readonly [key in K]: O },
> extends ActorLogic<ObjectSnapshot<S>, E, I, AnyActor['system'], N> {
  /** The same logic bound to this object, without input. Use it for a machine that is restored from persisted text. */
  of(object: O): ObjectLogic<K, O, S, E, N, I | undefined>;
}

/**
 * Calls `announce` once the object participates; an object without `ready` participates at once. An object that cannot connect closes with
 * its error, which ends the actor.
 */
export const whenReady = ({ ready = Promise.resolve() }: { readonly ready?: Promise<void> }, announce: () => void): void =>
  void ready.then(announce, () => {});

const ends = new WeakMap<object, Observable<Error | null>>();

/** How an object ends. All its actors share one reaction to the promise, which would keep an actor that has stopped. */
export function endOf(object: object, closed: Promise<Error | null>): Observable<Error | null> {
  const end = ends.get(object) ?? from(closed).pipe(shareReplay(1));
  ends.set(object, end);
  return end;
}

/** The error of an event that the logic does not have. */
export const unknownEvent = (logic: string, type: string, known: readonly string[]): UsageError =>
  unknownWord(`${logic} has no event "${type}"`, type, known);

const REPORT = '@object.report';

interface Reported<S, N> {
  readonly type: typeof REPORT;
  readonly state: Partial<ObjectSnapshot<S>>;
  readonly notice?: N;
}

export function objectLogic<K extends string, O extends object, S, E extends EventObject, N extends EventObject>(
  adapter: Adapter<O, S, E, N> & { readonly key: K },
  bound?: O,
): ObjectLogic<K, O, S, E, N> {
  type State = ObjectSnapshot<S> & { readonly input?: { readonly [key in K]?: O } };
  const attached = new WeakMap<AnyActorRef, { readonly handlers: Handlers<E>; readonly stopping: AbortController }>();
  const logic: ActorLogic<State, AnyEventObject, any, AnyActor['system'], any> = {
    getInitialSnapshot: (_, input) => ({ status: 'active', output: undefined, error: undefined, ...adapter.initial, input }),
    start: ({ input }, { self, id }) => {
      const stopping = new AbortController();
      const send = (event: Reported<S, N>) => {
        if (self.getSnapshot().status === 'active') self.send(event);
      };
      const end = (state: object) => send({ type: REPORT, state: state });
      try {
        const object = objectIn(adapter, bound ?? input?.[adapter.key]);
        const report: ReportChange<S, N> = (state, notice) =>
          send({
            type: REPORT,
            state: state as Partial<ObjectSnapshot<S>>,
            ...(notice && { notice: { ...(notice as object), from: id } as unknown as N }),
          });
        // Before the object announces that it is ready: an object that has closed ends its actor first.
        const ending = endOf(object, adapter.closed(object)).subscribe((error) =>
          end(error ? { status: 'error', error } : { status: 'done' }),
        );
        stopping.signal.addEventListener('abort', () => ending.unsubscribe());
        attached.set(self, { handlers: adapter.attach(object, report, stopping.signal), stopping });
      } catch (error) {
        end({ status: 'error', error });
      }
    },
    transition: (snapshot, event, { self, id, emit, defer }) => {
      const announce = (notice: EventObject) =>
        defer(() => {
          emit(notice);
          parentOf(self)?.send(notice);
        });
      const here = attached.get(self);
      if (event.type === 'xstate.stop') {
        here?.stopping.abort();
        return { ...snapshot, status: 'stopped', output: undefined, error: undefined };
      }
      if (event.type === REPORT) {
        const { state, notice } = event;
        if (notice) announce(notice);
        if (state.status !== undefined) here?.stopping.abort();
        return { ...snapshot, ...state };
      }
      if (!here) return snapshot;
      void answered(adapter, here.handlers, event as E).catch((error: unknown) => {
        if (here.stopping.signal.aborted || self.getSnapshot().status !== 'active') return;
        self.send({ type: REPORT, state: {}, notice: { type: 'failed', from: id, error, event } });
      });
      return snapshot;
    },
    // The state is not persisted: a restored actor announces the state of its new object.
    getPersistedSnapshot: ({ status, output, error }) => ({ status, output, error }) as Snapshot<undefined>,
    restoreSnapshot: (snapshot) => ({ ...adapter.initial, ...snapshot }) as State,
  };
  return { ...logic, of: (object: O) => objectLogic(adapter, object) } as unknown as ObjectLogic<K, O, S, E, N>;
}

async function answered<E extends EventObject>(
  { key }: { readonly key: string },
  handlers: Handlers<E>,
  event: E,
): Promise<void> {
  const handle = Object.hasOwn(handlers, event.type) ? handlers[event.type as E['type']] : undefined;
  if (!handle) throw unknownEvent(`${key}Logic`, event.type, Object.keys(handlers));
  await handle(event as Extract<E, { readonly type: E['type'] }>);
}

function objectIn<O extends object>(
  { key, method }: { readonly key: string; readonly method: keyof O & string },
  object: O | undefined,
): O {
  if (typeof object?.[method] === 'function') return object;
  const name = key[0]!.toUpperCase() + key.slice(1);
  throw new UsageError(
    object === undefined
      ? `${key}Logic needs its ${key}. Pass input: { ${key}: create${name}(…) }, or use ${key}Logic.of(${key}), as a restored machine must`
      : `${key}Logic: input.${key} is not what create${name} returns. Pass input: { ${key}: create${name}(…) }`,
  );
}
