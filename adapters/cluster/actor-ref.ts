/**
 * A reference to a cluster actor, with the interface of XState's `ActorRef`: it works in `waitFor`, `toPromise`, `useSelector` and as the
 * target of `sendTo`.
 */
import {
  createActor,
  type AnyActor,
  type AnyStateMachine,
  type EmittedFrom,
  type EventFromLogic,
  type SnapshotFrom,
  type Subscribable,
} from 'xstate';
import { checkOptions, optional, signal as abortSignal } from '../options.js';
import { abortable } from '../transports/promises.js';
import { ActorError } from './errors.js';
import type { StoredState } from './stored-state.js';

/** A durable version of an actor, as this process has received it. */
export interface ReceivedVersion {
  readonly fence: number;
  readonly seq: number;
  readonly state: StoredState;
  readonly emitted: readonly { readonly type: string }[];
}

/**
 * Options for waiting.
 *
 * @public
 */
export interface WaitOptions {
  /** Ends the waiting when it aborts. */
  readonly signal?: AbortSignal;
}

const checkWait = (what: string, options: WaitOptions | undefined): void => {
  if (options !== undefined) checkOptions(what, options, { signal: optional(abortSignal) });
};

type Observer<T> = {
  readonly next?: ((value: T) => void) | undefined;
  readonly error?: ((error: unknown) => void) | undefined;
  readonly complete?: (() => void) | undefined;
};

/** The functions that a reference needs from its cluster. */
export interface RefHost {
  /** XState's actor system that references belong to. */
  readonly system: AnyActor['system'];
  send(ref: AnyClusterActor, event: unknown): Promise<void>;
  /** The last version that this process has received; null if it has none. */
  latest(ref: AnyClusterActor): ReceivedVersion | null;
  /** Requests versions of the actor, or ends the request. */
  subscribe(ref: AnyClusterActor): void;
  unsubscribe(ref: AnyClusterActor): void;
  where(ref: AnyClusterActor): Promise<string | null>;
  /** Reports the failure of an event whose promise is not used. */
  failed(error: unknown, what: string): void;
}

export type AnyClusterActor = ClusterActorRef<any>;

/** A promise of callers that wait. */
class Waiting {
  resolve!: () => void;
  reject!: (error: unknown) => void;
  readonly promise = new Promise<void>((resolve, reject) => {
    this.resolve = resolve;
    this.reject = reject;
  });
}

let references = 0;

/** The key under which RxJS and XState look for an observable. */
const OBSERVABLE: typeof Symbol.observable = Symbol.observable ?? '@@observable';

/**
 * A reference to a cluster actor, made by `createCluster(…).actor(kind, id)`.
 *
 * @public
 */
export class ClusterActorRef<M extends AnyStateMachine> {
  readonly id: string;
  readonly sessionId: string;
  readonly src: string;
  readonly system: AnyActor['system'];
  /** @internal */
  readonly _processingStatus = 1;
  private readonly observers = new Set<Observer<SnapshotFrom<M>>>();
  private readonly listeners = new Map<string, Set<(event: any) => void>>();
  /** The snapshot of `shown`, or the initial one. */
  private current: SnapshotFrom<M> | undefined;
  private shown: ReceivedVersion | null = null;
  private version: ReceivedVersion | null = null;
  /** The last version that observers and listeners have received. */
  private announced: ReceivedVersion | null = null;
  /** The callers that wait for the first version. */
  private readonly waiting = new Set<Waiting>();
  /** The promise of `ready` before the first version. */
  private awaited: Promise<void> | null = null;

  /** @internal */
  constructor(
    readonly kind: string,
    /** The id that the application gave it. */
    readonly actorId: string,
    private readonly machine: M,
    private readonly input: unknown,
    private readonly host: RefHost,
  ) {
    this.id = `${kind}/${actorId}`;
    this.sessionId = `${this.id}#${++references}`;
    this.src = kind;
    this.system = host.system;
  }

  /**
   * Sends an event. Resolves once the event is durable and applied; the snapshot of this reference contains it then.
   *
   * @param options `signal`: stops waiting. The event may still be applied; if the signal has aborted before, it is not sent.
   * @throws ActorError if the event was not applied, or its effect is not known: the reason is `doubtful` if `signal` aborts. ClosedError if
   * the cluster is closed.
   * @example
   * ```ts
   * await order.send({ type: 'PAY', amount: 10 }, { signal: AbortSignal.timeout(5_000) });
   * ```
   */
  readonly send = async (event: EventFromLogic<M>, options?: WaitOptions): Promise<void> => {
    checkWait('actor.send', options);
    const { signal } = options ?? {};
    signal?.throwIfAborted();
    const sent = this.host.send(this, event);
    await abortable(sent, signal).catch((error: unknown) => {
      if (!signal?.aborted || error !== signal.reason) throw error;
      const message = `Actor "${this.id}": the signal of an event aborted, and the event may still be applied. Read the state before you send it again.`;
      throw new ActorError('doubtful', message, { cause: error });
    });
    this.refresh();
  };

  /** The method that XState calls for `sendTo`. @internal */
  _send(event: unknown): Promise<void> {
    return this.send(event as EventFromLogic<M>).catch((error: unknown) => this.host.failed(error, `an event for ${this.id}`));
  }

  /**
   * The last durable snapshot that this process has received. Before the first one it is the initial snapshot of the machine; `await
   * actor.ready` for the real one.
   */
  readonly getSnapshot = (): SnapshotFrom<M> => {
    this.refresh();
    if (!this.version) this.ready.catch(() => {});
    if (this.shown !== this.version) this.show(this.version!);
    return (this.current ??= createActor(this.machine as AnyStateMachine, {
      input: this.input,
    }).getSnapshot() as SnapshotFrom<M>);
  };

  /** A reference without subscribers looks up the last version of this process. */
  private refresh(): void {
    const latest = this.host.latest(this);
    if (latest && isLater(latest, this.version)) this.version = latest;
  }

  private show(version: ReceivedVersion): void {
    const actor = createActor(this.machine as AnyStateMachine, {
      // A reference at the host has the state that the actor continues from.
      snapshot: structuredClone(version.state.snapshot),
    });
    // XState's own observers would report a snapshot of a machine that has stopped with an error as unhandled.
    actor.subscribe({ error: () => {} });
    this.current = actor.getSnapshot() as SnapshotFrom<M>;
    this.shown = version;
  }

  /**
   * Resolves when a durable snapshot of the actor has been received. Activates the actor if it has no host.
   *
   * @throws ActorError if the actor does not exist and this reference does not create it, if it cannot be created, or if its snapshots are of
   * another version.
   */
  get ready(): Promise<void> {
    return this.version ? Promise.resolve() : (this.awaited ??= this.wait().promise);
  }

  /**
   * Resolves as `ready` does, and stops waiting when `signal` aborts.
   *
   * @throws the errors of `ready`, and the reason of `signal`.
   * @example
   * ```ts
   * await order.whenReady({ signal: AbortSignal.timeout(5_000) });
   * ```
   */
  async whenReady(options?: WaitOptions): Promise<void> {
    checkWait('actor.whenReady', options);
    const { signal } = options ?? {};
    signal?.throwIfAborted();
    if (this.version) return;
    const waiting = this.wait();
    await abortable(waiting.promise, signal).finally(() => this.endOne(waiting));
  }

  private wait(): Waiting {
    const waiting = new Waiting();
    this.waiting.add(waiting);
    this.host.subscribe(this);
    return waiting;
  }

  private endOne(waiting: Waiting): void {
    if (this.waiting.delete(waiting)) this.host.unsubscribe(this);
  }

  private endWaiting(end: (waiting: Waiting) => void): void {
    this.awaited = null;
    for (const waiting of this.waiting) {
      end(waiting);
      this.endOne(waiting);
    }
  }

  /**
   * As in XState's own references: a part of the snapshot, whose observers are called when it changes.
   *
   * @param isEqual compares two parts, `Object.is` by default.
   */
  readonly select = <T>(
    selector: (snapshot: SnapshotFrom<M>) => T,
    isEqual: (one: T, other: T) => boolean = Object.is,
  ): Subscribable<T> & { readonly get: () => T } => ({
    get: () => selector(this.getSnapshot()),
    subscribe: (observer: Observer<T> | ((part: T) => void), error?: (error: unknown) => void, complete?: () => void) => {
      const given = typeof observer === 'function' ? { next: observer, error, complete } : bound(observer);
      let part = selector(this.getSnapshot());
      return this.subscribe({
        next: (snapshot) => {
          const next = selector(snapshot);
          if (isEqual(part, next)) return;
          part = next;
          given.next?.(next);
        },
        error: given.error,
        complete: given.complete,
      });
    },
  });

  getPersistedSnapshot(): SnapshotFrom<M> {
    return (this.machine as AnyStateMachine).getPersistedSnapshot(this.getSnapshot() as never) as SnapshotFrom<M>;
  }

  /**
   * Calls the observer with every durable snapshot from now on. The snapshots of all subscribers have the same order; events that were
   * committed together make one snapshot.
   */
  readonly subscribe = (
    observer: Observer<SnapshotFrom<M>> | ((snapshot: SnapshotFrom<M>) => void),
    error?: (error: unknown) => void,
    complete?: () => void,
  ): { unsubscribe(): void } => {
    const given: Observer<SnapshotFrom<M>> =
      typeof observer === 'function' ? { next: observer, error, complete } : bound(observer);
    const { status, error: stopped } = this.version ? endOf(this.getSnapshot()) : ACTIVE;
    if (status !== 'active') {
      if (status === 'error') given.error?.(stopped);
      else given.complete?.();
      return { unsubscribe: () => {} };
    }
    this.observers.add(given);
    this.host.subscribe(this);
    return {
      unsubscribe: () => {
        if (this.observers.delete(given)) this.host.unsubscribe(this);
      },
    };
  };

  /** Calls the listener with every event that the actor emits from now on (`'*'` for all types), once it is durable. */
  readonly on = <T extends EmittedFrom<M>['type'] | '*'>(
    type: T,
    listener: (event: T extends '*' ? EmittedFrom<M> : Extract<EmittedFrom<M>, { readonly type: T }>) => void,
  ): { unsubscribe(): void } => {
    const ofType = this.listeners.get(type) ?? new Set();
    this.listeners.set(type, ofType);
    ofType.add(listener);
    this.host.subscribe(this);
    return {
      unsubscribe: () => {
        if (ofType.delete(listener)) this.host.unsubscribe(this);
      },
    };
  };

  /** The peer that hosts the actor now; `null` if it has no host. */
  where(): Promise<string | null> {
    return this.host.where(this);
  }

  /** A cluster actor runs by itself. */
  start(): this {
    return this;
  }

  /** Without effect: the actor ends with its machine. */
  stop(): this {
    return this;
  }

  toJSON(): { readonly kind: string; readonly id: string } {
    return { kind: this.kind, id: this.actorId };
  }

  [OBSERVABLE](): this {
    return this;
  }

  /** The cluster was closed. @internal */
  closed(error: unknown): void {
    this.endWaiting(({ reject }) => reject(error));
  }

  /** The actor cannot be used, or this process cannot read its snapshots: that ends subscriptions, as in XState. @internal */
  failed(error: unknown): void {
    this.closed(error);
    for (const observer of this.observers) {
      this.observers.delete(observer);
      this.host.unsubscribe(this);
      this.call(() => observer.error?.(error));
    }
  }

  /** Handles a durable version. @internal */
  received(version: ReceivedVersion): void {
    const isNew = isLater(version, this.announced);
    if (isLater(version, this.version)) this.version = version;
    this.endWaiting(({ resolve }) => resolve());
    if (!isNew) return;
    this.announced = version;
    for (const event of version.emitted)
      for (const type of [event.type, '*'])
        for (const listener of this.listeners.get(type) ?? []) this.call(() => listener(event));
    if (this.observers.size === 0) return;
    const snapshot = this.getSnapshot();
    for (const observer of this.observers) this.notify(observer, snapshot);
  }

  private notify(observer: Observer<SnapshotFrom<M>>, snapshot: SnapshotFrom<M>): void {
    const { status, error } = endOf(snapshot);
    if (status === 'error') this.call(() => observer.error?.(error));
    else this.call(() => observer.next?.(snapshot));
    if (status === 'done') this.call(() => observer.complete?.());
    if (status !== 'active' && this.observers.delete(observer)) this.host.unsubscribe(this);
  }

  private call(listener: () => void): void {
    try {
      listener();
    } catch (error) {
      this.host.failed(error, `a listener of ${this.id}`);
    }
  }
}

const isLater = (one: ReceivedVersion, other: ReceivedVersion | null): boolean =>
  other === null || one.fence > other.fence || (one.fence === other.fence && one.seq > other.seq);

const ACTIVE = { status: 'active', error: undefined };
const endOf = (snapshot: unknown) => snapshot as { readonly status: string; readonly error: unknown };

const bound = <T>(observer: Observer<T>): Observer<T> => ({
  next: observer.next?.bind(observer),
  error: observer.error?.bind(observer),
  complete: observer.complete?.bind(observer),
});
