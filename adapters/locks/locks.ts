/**
 * Locks by name over a transport. What holds when peers fail is in docs/locks.md.
 *
 * Requests of one peer are served in their order; between peers the queue of the protocol decides, and serves everybody. A lock whose
 * holder is gone for longer than the transport's detector waits is given to the next, as long as more than half of the peers reach
 * each other. `lock.fence` grows with every grant of that lock: hand it to what the lock protects, and let that refuse anything older
 * than it has seen.
 */
import type { Message, NodeId } from '../../machines/effects.js';
import { UsageError } from '../../machines/errors.js';
import { statePath } from '../../machines/checks.js';
import type { MembershipChange } from '../../machines/locks/membership.js';
import { lockRole, type LockMode, type LocksNotification } from '../../machines/locks/messages.js';
import { filter, firstValueFrom, last, map, race, ReplaySubject, Subject, switchMap, type Observable } from 'rxjs';
import { checkOptions, milliseconds, optional } from '../options.js';
import { ClosedError, ConfigurationError, type LostError } from '../transports/errors.js';
import { Availability } from './availability.js';
import { LockQueues } from './lock-queues.js';
import { LockQueue, LoopTurns, type LockQueueNotification, type LockQueueCommand } from './lock-queue.js';
import { reportMetrics } from './locks-metrics.js';
import { statusesOf, statusOf, type LocksStatus } from './locks-status.js';
import { during, type Lock, type LockInfo } from './lock-handle.js';
import { createLocksNode } from './locks-node.js';
import { clientNamed, differingLists, firstPeersOf, Members, shorterList, type MembersOptions, type Moving } from './members.js';
import {
  checkAcquire,
  checkName,
  checkOfClient,
  checkRequest,
  checkLocks,
  type CloseOptions,
  type LockOptions,
  type LocksOptions,
  type RequestOptions,
} from './locks-options.js';
import { warnOfEnd, warnWhenUnserved } from './unserved.js';
import type { LiveNode } from '../node/node.js';
import { linkFor } from '../links.js';
import type { NodeActor } from '../node/node-logic.js';
import { ClosePatience } from './patience.js';
import { abortable } from '../transports/promises.js';
import type { Visits } from './visits.js';
import type { PeerStorage } from '../storage/storage.js';
import type { Linked, Transport } from '../transports/transport.js';

export type { LockMode } from '../../machines/locks/messages.js';
export type { Lock, LockInfo } from './lock-handle.js';
export type { LocksStatus } from './locks-status.js';
export type { CloseOptions, LockOptions, LocksOptions, RequestOptions } from './locks-options.js';

/** How long `close` waits for those who still work. */
const CLOSE_MS = 5_000;

/**
 * Locks by name that peers share over a transport, with the habits of the Web Locks API and without a server. It returns at once
 * and connects the transport; locks are granted while more than half of the peers reach each other.
 *
 * @param options the transport and the same list of peers for everybody; see `LocksOptions`.
 * @throws UsageError for an option that is missing, wrong or unknown, for peers whose list is too long for the messages of the transport, and
 * when the transport's id is not among `peers`.
 * @example
 * ```ts
 * import { createLocks } from 'xstate-quiver/locks';
 * import { InProcessBus } from 'xstate-quiver/transports';
 *
 * const bus = new InProcessBus();
 * const [a, b] = ['a', 'b'].map((id) => createLocks({ transport: bus.transport(id), peers: ['a', 'b'] }));
 *
 * await a.request('printer', async (lock) => console.log('a prints with fence', lock.fence));
 * await b.request('printer', async (lock) => console.log('b prints with fence', lock.fence));
 * await Promise.all([a.close(), b.close()]);
 * ```
 * @public
 */
export function createLocks(options: LocksOptions): Locks {
  checkLocks(options);
  const link = linkFor('createLocks', options);
  return new Locks({ ...options, transport: link.transport }, undefined, link.release);
}

/**
 * Locks by name as one peer has them; `createLocks` makes them. Hand each lock's `fence` to what the lock protects, and let that
 * refuse a smaller one than it has seen: a holder that was stopped may go on when its lock is somebody else's already.
 *
 * @public
 */
export class Locks implements AsyncDisposable {
  /** All with whom the cluster began, as they were given; `members` are those who vote now. */
  readonly peers: readonly NodeId[];
  /** Where this peer keeps what it must not forget, if it was given one. */
  readonly storage: PeerStorage | undefined;
  /** True if this peer votes once it is a member, and so keeps registers. @internal */
  readonly isKeeper: boolean;
  /** Those that were made here: a change of members waits until they have moved. @internal */
  readonly registers = new Set<Moving>();
  // Private to the letter: what is live here is no data, and XState walks all of a context that it persists.
  #transport: Transport<Linked>;
  #node!: LiveNode;
  #availability!: Availability;
  #members!: Members;
  /** Of a tab: when it comes, and comes again. */
  readonly #visits: Visits | undefined;
  /** The node that stands for this peer, and the one that comes after it. */
  readonly #nodes$ = new ReplaySubject<LiveNode>(1);
  readonly #queues = new LockQueues();
  readonly #turns = new LoopTurns(() => this.#node.environment.clock);
  /** What happens at the desks; ends with the locks. */
  readonly #notifications$ = new Subject<LockQueueNotification>();
  /** The first epoch in which this peer was one of a majority. */
  readonly #served: Promise<number>;
  readonly #ready: Promise<void>;
  /** True if somebody has asked for one of them, and hears by it how a start ends. */
  #isAwaited = false;
  readonly #isConfirmed: boolean;
  readonly #isClient: boolean;
  #isServed = false;
  #hasServed = false;
  #closing: Error | null = null;
  /** Of `close`, with those who hold locks. */
  #patience: ClosePatience | undefined;
  #isEnded = false;
  readonly #release: (() => Promise<void>) | undefined;

  constructor(given: LocksOptions & { readonly transport: Transport<Linked> }, visits?: Visits, release?: () => Promise<void>) {
    this.#release = release;
    const { transport, name = 'locks', metrics, join: _, peers: __, ...options } = given;
    const peers = visits ? [] : firstPeersOf(given);
    this.#transport = transport;
    this.#visits = visits;
    this.peers = [...peers];
    this.storage = options.storage;
    this.#isConfirmed = options.confirm ?? false;
    this.#isClient = options.client ?? false;
    this.isKeeper = !this.#isClient && visits === undefined;
    const epochs$ = this.#nodes$.pipe(
      switchMap(({ notifications$ }) => notifications$),
      filter((notification): notification is LocksNotification & { type: 'serving' } => notification.type === 'serving'),
      map(({ epoch }) => epoch),
    );
    this.#served = firstValueFrom(epochs$).catch(() => Promise.reject(this.#closing as Error));
    this.#ready = this.#served.then(() => {});
    for (const promise of [this.#served, this.#ready]) promise.catch(() => {});
    const begin = (transport: Transport<Linked>) => {
      const node = createLocksNode({ transport, peers, name, tabs: visits !== undefined, ...options });
      this.#begin(node, transport);
      if (visits) visits.begin(node);
      else
        node.ready.then(
          () => this.#compare(node),
          () => {},
        );
      void node.closed.then((error) => this.#stop(error, begin));
    };
    begin(transport);
    if (metrics) reportMetrics(metrics, this.#node, epochs$, this.#notifications$, () => this.status());
  }

  #begin(node: LiveNode, transport: Transport<Linked>): void {
    this.#transport = transport;
    this.#node = node;
    warnWhenUnserved(node, transport, this.peers, () => this.status());
    this.#members = new Members(node, transport, this.peers, this.registers);
    this.#availability = new Availability(node, transport, (lock) => this.#queues.get(lock)?.resolveUnavailable());
    node.notifications$.subscribe((notification) => this.hear(notification));
    this.#nodes$.next(node);
  }

  /** A tab that is only away loses what it holds; what it waits for it asks for again as it comes back. */
  #stop(error: Error | null, begin: (transport: Transport<Linked>) => void): void {
    if (!this.#visits || this.#closing) {
      this.end(error ?? new ClosedError(`the locks of peer "${this.#node.id}" are closed`));
      return;
    }
    this.#isServed = false;
    for (const queue of this.#queues.values()) queue.lost();
    this.#visits.next((transport) => {
      begin(transport);
      for (const queue of this.#queues.values()) queue.lost();
    });
  }

  /** With the list that was stored. */
  #compare(node: LiveNode): void {
    const mistake = shorterList(node, this.peers);
    if (!mistake) return;
    this.#notifyOf(mistake);
    if (!this.#hasServed) this.#node.fail(mistake);
  }

  /** Resolves once this peer is one of a majority, which grants locks. Waiting for it is not needed. */
  get ready(): Promise<void> {
    this.#isAwaited = true;
    return this.#ready;
  }

  /** Resolves with the first epoch in which it was; both reject with the error with which the locks ended before. */
  get served(): Promise<number> {
    this.#isAwaited = true;
    return this.#served;
  }

  /** The transport under the locks. */
  get transport(): Transport<Linked> {
    return this.#transport;
  }

  /** The node under the locks, for those who want to see more. */
  get node(): LiveNode {
    return this.#node;
  }

  /** The locks as an XState actor: see `LiveNode`. */
  get actor(): NodeActor {
    return this.#node.actor;
  }

  /** In a persisted snapshot locks are where they were, not what they do: see `lockLogic`. */
  toJSON(): { readonly peer: NodeId; readonly name: string } {
    return { peer: this.#node.id, name: this.#node.name };
  }

  /**
   * Runs the callback while holding the lock, and settles as the callback does; if the lock is lost, it rejects at once with a
   * `LostError`, or asks again (`retry`). A lock is not reentrant: a second request for it from inside the callback waits for the
   * first to end.
   *
   * @throws UsageError for options that are not known or make no sense, a callback that is none, or a name that is not 1 to 256
   * characters.
   * @throws ClosedError when the locks are closed before the lock is granted; the reason of `signal` when that aborts first.
   * @example
   * ```ts
   * await locks.request('printer', { signal: AbortSignal.timeout(5_000) }, async (lock) => print(page, lock.fence));
   * await locks.request('printer', { mode: 'shared' }, (lock) => console.log('nobody prints while', lock.fence, 'looks'));
   * ```
   */
  async request<T>(name: string, callback: (lock: Lock) => T | Promise<T>): Promise<T>;
  async request<T>(
    name: string,
    options: RequestOptions & { readonly ifAvailable: true },
    callback: (lock: Lock | null) => T | Promise<T>,
  ): Promise<T>;
  async request<T>(name: string, options: RequestOptions, callback: (lock: Lock) => T | Promise<T>): Promise<T>;
  async request<T>(name: string, ...rest: [unknown, unknown?]): Promise<T> {
    checkName(name);
    const [options = {}, callback] = rest.length === 1 ? [{}, rest[0]] : rest;
    if (typeof callback !== 'function')
      throw new UsageError(`locks.request("${name}") needs a callback. Pass it as the last argument`);
    checkRequest(name, options);
    const { retry, signal, ...how } = options as RequestOptions;
    for (;;) {
      const lock = await this.take(name, { ...how, ...(signal && { signal }) });
      if (lock === null) return callback(null);
      const work = during(lock, callback as (lock: Lock) => T | Promise<T>);
      try {
        return await abortable(work, lock.signal);
      } catch (error) {
        const { reason } = lock.signal as { reason: unknown };
        if (!retry || error !== reason || !(reason as LostError).isRetryable) throw error;
        // It does not run twice at once here, whatever happens elsewhere.
        await abortable(firstValueFrom(race(Promise.allSettled([work]), this.#notifications$.pipe(last(null, null)))), signal);
      }
    }
  }

  /**
   * The lock itself, until `release` or the end of an `await using` block; `null` only with `ifAvailable`.
   *
   * @throws UsageError, ClosedError and the signal's reason, as `request` does.
   * @example
   * ```ts
   * await using lock = await locks.acquire('printer');
   * await print(page, lock.fence);
   * ```
   */
  async acquire(name: string, options?: LockOptions & { readonly ifAvailable?: false }): Promise<Lock>;
  async acquire(name: string, options: LockOptions): Promise<Lock | null>;
  async acquire(name: string, options: LockOptions = {}): Promise<Lock | null> {
    checkName(name);
    checkAcquire(name, options);
    return this.take(name, options);
  }

  /**
   * Says that the cluster is new, so that a majority may begin before all peers are there. For its very first start, on one peer, once:
   * where peers have served before, two majorities that have forgotten each other could both begin.
   */
  bootstrap(): void {
    if (this.#visits) throw new UsageError('tab locks start without bootstrap. Remove the call of locks.bootstrap()');
    this.#node.attempt('bootstrap');
  }

  /** Who votes, as far as it is decided and known here: none, while this peer waits to be added. */
  get members(): readonly NodeId[] {
    return this.#members.voters;
  }

  /**
   * A peer votes from now on. It has been started with `join: true`, and is reached from here. On any member; resolves with all members
   * once a majority of the old ones and of the new ones has decided it, and the registers that were made here are kept with the new ones, or have waited ten
   * seconds for it in vain (docs/locks.md). Locks stay with those who hold them.
   *
   * @throws UsageError when this peer is no member, the new one is not reached, or the list would be too long for a message; ConfigurationError when a register
   * cannot move to the new list, which is decided all the same: call once more when that is mended.
   * @example
   * ```ts
   * await locks.addMember('d');
   * ```
   * @public
   */
  addMember(id: NodeId, options?: MembersOptions): Promise<readonly NodeId[]> {
    return this.#change({ add: id, remove: null }, options);
  }

  /**
   * A peer votes no more, as `addMember`. Let go of what it holds first: it keeps that for this epoch only.
   *
   * @throws UsageError when this peer is no member, and for one that never was a member.
   * @example
   * ```ts
   * await locks.removeMember('c');
   * ```
   * @public
   */
  removeMember(id: NodeId, options?: MembersOptions): Promise<readonly NodeId[]> {
    return this.#change({ add: null, remove: id }, options);
  }

  /**
   * One peer votes in the place of another, who may be gone for good: as `addMember` and `removeMember` at once.
   *
   * @throws UsageError when this peer is no member, the new one is not reached, or the old one never was a member.
   * @example
   * ```ts
   * await locks.replaceMember('c', 'd');
   * ```
   * @public
   */
  replaceMember(old: NodeId, id: NodeId, options?: MembersOptions): Promise<readonly NodeId[]> {
    return this.#change({ add: id, remove: old }, options);
  }

  async #change(change: MembershipChange, options: MembersOptions | undefined): Promise<readonly NodeId[]> {
    if (this.#closing) throw this.#closing;
    return this.#members.change(change, options);
  }

  /**
   * Where this peer stands now: whether it is served, with whom, and what is held and waited for here.
   *
   * @example
   * ```ts
   * const { state, epoch, members, missing } = locks.status();
   * ```
   * @public
   */
  status(): LocksStatus {
    return statusOf(this.#node, this.peers, this.#queues, this.#isEnded);
  }

  /**
   * The status now, and then when it has changed, at most once a turn of the event loop, until the locks end. An Observable of RxJS: for its operators, and for XState's
   * `fromObservable(() => locks.status$)`.
   *
   * @example
   * ```ts
   * locks.status$.subscribe(({ state, missing }) => health.set(state === 'serving', missing));
   * ```
   * @public
   */
  get status$(): Observable<LocksStatus> {
    return statusesOf(this.#notifications$, this.#nodes$, () => this.status());
  }

  /** What this peer holds and waits for; nobody knows this of the others. */
  async query(): Promise<{ held: LockInfo[]; pending: LockInfo[] }> {
    const all = (modes: (queue: LockQueue) => readonly LockMode[]): LockInfo[] =>
      [...this.#queues].flatMap(([name, queue]) => modes(queue).map((mode) => ({ name, mode, clientId: this.#node.id })));
    return { held: all(({ inside }) => inside), pending: all(({ pending }) => pending) };
  }

  /**
   * Takes no more part. Who waits is told with a `ClosedError`, who holds by the signal of the lock: its `request` rejects at once, with
   * a `LostError` that has the `ClosedError` as its cause, while the callback still has the lock. It goes on to somebody else once the
   * callback has ended or it was released, or when the time is over. A second call may shorten that time. The transport stays open. Resolves
   * once nothing is being saved any more.
   *
   * @throws UsageError for an option that is wrong or not known.
   * @example
   * ```ts
   * await locks.close({ withinMs: 1_000 });
   * ```
   */
  async close(options: CloseOptions = {}): Promise<void> {
    checkOptions('locks.close', options, { withinMs: optional(milliseconds(0)) });
    const { withinMs = CLOSE_MS } = options;
    this.#patience?.atMost(withinMs);
    if (!this.#closing) {
      this.#closing = new ClosedError(`the locks of peer "${this.#node.id}" are closed`);
      await this.givenBack(this.#closing, withinMs);
      // What is held still goes on to others now, though its callback has not ended.
      for (const [lock, { fence }] of this.#queues) if (fence !== undefined) this.#node.attempt('release', { lock });
      await this.#node.close();
      await this.#visits?.end();
    }
    await this.#node.closed;
    if (!this.#isEnded) this.end(this.#closing);
    await this.#node.close();
    await this.#release?.(); // the link that createLocks added
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #notifyOf(error: ConfigurationError): void {
    this.#node.notify({ type: 'peers.differ', error } as Message);
  }

  private async take(name: string, { mode = 'exclusive', ifAvailable = false, signal }: LockOptions): Promise<Lock | null> {
    signal?.throwIfAborted();
    if (this.#closing) throw this.#closing;
    if (this.#isClient) checkOfClient(this.#node.id, mode, ifAvailable);
    if (ifAvailable && !this.#isServed) {
      this.#notifications$.next({ type: 'unavailable', ms: 0 });
      return null;
    }
    return this.#turns.after(await this.queue(name).take(mode, ifAvailable, signal));
  }

  private queue(name: string): LockQueue {
    let queue = this.#queues.get(name);
    if (!queue) {
      this.#queues.requireRoom(name, this.#node, this.#transport.guarantees.messageBytesMax, this.members);
      queue = new LockQueue(name, {
        ask: (what) => this.ask(what, name),
        hear: (notification) => this.#notifications$.next(notification),
        now: () => this.#node.environment.clock.now(),
        isConfirmed: this.#isConfirmed,
        isOpen: () => {
          const lock = this.#node.role(lockRole(name));
          return lock !== undefined && statePath(lock) === 'using.shared.open';
        },
      });
      this.#queues.set(name, queue);
    }
    return queue;
  }

  private ask(what: LockQueueCommand, lock: string): void {
    if (what === 'probe') this.#availability.ask(lock);
    // What is under way when the node closes is settled by `end`.
    else this.#node.attempt(what, { lock });
    this.#queues.removeIdle(lock);
  }

  private hear(notification: Message): void {
    const locksNotification = notification as LocksNotification;
    if (locksNotification.type === 'differs') this.#notifyOf(differingLists(this.#node, locksNotification));
    // Rule 14.
    if (locksNotification.type === 'outvoted') this.#node.fail(differingLists(this.#node, locksNotification));
    if (locksNotification.type === 'named') this.#node.fail(clientNamed(this.#node, locksNotification.peer));
    else if (locksNotification.type === 'serving' || locksNotification.type === 'apart') {
      this.#isServed = locksNotification.type === 'serving';
      this.#hasServed ||= this.#isServed;
      // A new epoch asks for all locks again: they are not free now.
      for (const queue of this.#queues.values()) {
        queue.resolveUnavailable();
        queue.letIn();
        if (!this.#isServed) queue.cancelIfUnwanted();
      }
    } else if (locksNotification.type === 'lock.granted')
      this.#queues.get(locksNotification.lock)?.granted(locksNotification.fence);
    else if (
      locksNotification.type === 'lock.lost' ||
      locksNotification.type === 'lock.refused' ||
      locksNotification.type === 'lock.canceled'
    )
      this.#queues.ended(locksNotification);
  }

  /** Resolves when nothing is held, the time is over, or the node has ended. */
  private givenBack(error: Error, withinMs: number): Promise<unknown> {
    const { environment, closed } = this.#node;
    const patience = (this.#patience = new ClosePatience(environment.clock));
    patience.atMost(withinMs);
    const all = Promise.all([...this.#queues.values()].map((queue) => queue.close(error, true)));
    return Promise.race([all, patience.over, closed]).finally(() => patience.end());
  }

  private end(error: Error): void {
    this.#closing ??= error;
    const isTold = (this.#isAwaited && !this.#hasServed) || [...this.#queues.values()].some((queue) => queue.hasCallers);
    if (!isTold) warnOfEnd(this.#node, this.#closing);
    for (const queue of this.#queues.values()) void queue.close(this.#closing, false);
    this.#queues.clear();
    this.#isEnded = true;
    this.#nodes$.complete();
    this.#notifications$.complete();
  }
}
