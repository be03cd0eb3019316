/** Locks by name over a transport. docs/locks.md describes the guarantees under failures. */
import type { NodeId } from '../../machines/effects.js';
import { UsageError } from '../../machines/errors.js';
import { statePath } from '../../machines/checks.js';
import { lockRole, type LocksNotification } from '../../machines/locks/messages.js';
import { filter, firstValueFrom, lastValueFrom, map, race, ReplaySubject, Subject, switchMap, type Observable } from 'rxjs';
import { checkOptions, milliseconds, optional } from '../options.js';
import { Availability } from './availability.js';
import { Inspection, type LocksInspection } from './inspection.js';
import { LockQueues } from './lock-queues.js';
import { LockQueue, LoopTurns, type LockQueueNotification, type LockQueueCommand } from './lock-queue.js';
import { reportMetrics } from './locks-metrics.js';
import { statusesOf, statusOf, type LocksStatus } from './locks-status.js';
import type { Lock, LockInfo } from './lock-handle.js';
import { acquire, request, type LockTaker } from './lock-requests.js';
import type { LockSet } from './lock-set.js';
import { createLocksNode } from './locks-node.js';
import { firstPeersOf, locksClosed, Members, type MembersOptions, type Moving } from './members.js';
import {
  checkOfClient,
  checkLocks,
  type CloseOptions,
  type LockOptions,
  type LocksOptions,
  type RequestOptions,
} from './locks-options.js';
import { warnOfEnd, warnWhenUnserved } from './unserved.js';
import type { LiveNode } from '../node/node.js';
import { withLink } from '../links.js';
import type { NodeActor } from '../node/node-logic.js';
import { ClosePatience } from './patience.js';
import type { Visits } from './visits.js';
import type { PeerStorage } from '../storage/storage.js';
import type { Linked, Transport } from '../transports/transport.js';

export type { LockMode } from '../../machines/locks/messages.js';
export type { Lock, LockInfo } from './lock-handle.js';
export type { LockSet } from './lock-set.js';
export type { LocksStatus } from './locks-status.js';
export type { CloseOptions, LockOptions, LocksOptions, RequestOptions } from './locks-options.js';

type Available = RequestOptions & { readonly ifAvailable: true };

/** The defaults of `withinMs` and `timeoutMs`: how long `close` waits for holders, and `inspect` for answers. */
const CLOSE_MS = 5_000;
const INSPECT_MS = 1_000;

/**
 * Creates locks by name that peers share over a transport, with the conventions of the Web Locks API and without a server. It returns at
 * once and connects the transport. Locks are granted while a majority of the members is connected. A new cluster without storage waits for
 * all its peers first, unless all of them pass `bootstrap: 'majority'`.
 *
 * @param options The transport, and the same list of peers at every peer; see `LocksOptions`.
 * @returns the locks of this peer, which connect in the background.
 * @throws UsageError for an option that is missing, wrong or unknown, and for a list of peers that is too long for the messages of the
 * transport. The transport's id must be one of `peers`, and with `client` none of them.
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
  return withLink('createLocks', options, ({ transport, release }) => new Locks({ ...options, transport }, undefined, release));
}

/**
 * Locks by name at one peer, created by `createLocks`. Pass each lock's `fence` to the protected resource, which has to reject smaller
 * fences than it has seen: a holder that was paused may continue after its lock was granted to another peer.
 *
 * @public
 */
export class Locks implements AsyncDisposable {
  /** The peers with which the cluster began, as they were given. `members` are the present voters. */
  readonly peers: readonly NodeId[];
  /** The storage of this peer, if it was given one. */
  readonly storage: PeerStorage | undefined;
  /** True if this peer votes once it is a member, and therefore keeps registers. @internal */
  readonly isKeeper: boolean;
  /** The registers that were created here. A change of members waits until they have moved. @internal */
  readonly registers = new Set<Moving>();
  // Private fields: XState traverses all of a context that it persists, and live objects are not data.
  #transport: Transport<Linked>;
  #node!: LiveNode;
  #availability!: Availability;
  #members!: Members;
  #inspection!: Inspection;
  /** The visits of a browser tab: each arrival of the page is a new peer. */
  readonly #visits: Visits | undefined;
  /** The node of this peer, followed by the nodes of later visits. */
  readonly #nodes$ = new ReplaySubject<LiveNode>(1);
  readonly #queues = new LockQueues();
  readonly #turns = new LoopTurns(() => this.#node.environment.clock);
  /** The notifications of the queues. They end with the locks. */
  readonly #notifications$ = new Subject<LockQueueNotification>();
  /** Resolves when the locks have closed: with the error that ended them, or with `null`. The holders are notified before. */
  readonly closed = lastValueFrom(this.#notifications$, { defaultValue: null }).then(() => this.#node.closed);
  /** The first epoch that this peer served. */
  readonly #served: Promise<number>;
  readonly #ready: Promise<void>;
  /** True if a caller has requested one of these promises, and therefore receives the error of a failed start. */
  #isAwaited = false;
  readonly #isConfirmed: boolean;
  readonly #isClient: boolean;
  #isServed = false;
  #hasServed = false;
  #closing: Error | null = null;
  /** The time limit of `close` for holders. */
  #patience: ClosePatience | undefined;
  #isEnded = false;
  readonly #release: (() => Promise<void>) | undefined;
  readonly #taker: LockTaker = {
    take: (name, how) => this.take(name, how),
    settled: (work) => firstValueFrom(race(Promise.allSettled([work]), this.closed)),
  };

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
      void node.closed.then((error) => this.#stop(error, begin));
    };
    begin(transport);
    if (metrics) reportMetrics(metrics, this.#node, epochs$, this.#notifications$, () => this.status());
  }

  #begin(node: LiveNode, transport: Transport<Linked>): void {
    this.#transport = transport;
    this.#node = node;
    const status = () => this.status();
    const problem = warnWhenUnserved(node, transport, this.peers, status);
    this.#inspection = new Inspection({ node, transport, queues: this.#queues, status, voters: () => this.members, problem });
    this.#members = new Members(node, transport, this.peers, this.registers);
    this.#availability = new Availability(node, transport, (lock) => this.#queues.get(lock)?.resolveUnavailable());
    node.notifications$.subscribe((notification) => this.receive(notification as LocksNotification));
    this.#nodes$.next(node);
  }

  /** Loses all held locks. A tab that is only away requests the locks that it waits for again when it comes back. */
  #stop(error: Error | null, begin: (transport: Transport<Linked>) => void): void {
    if (!this.#visits || this.#closing) return this.end(error ?? locksClosed(this.#node.id));
    this.#isServed = false;
    for (const queue of this.#queues.values()) queue.lost();
    this.#visits.next((transport) => {
      begin(transport);
      for (const queue of this.#queues.values()) queue.lost();
    });
  }

  /** Resolves when this peer is connected with a majority, which grants locks. You do not need to await it. */
  get ready(): Promise<void> {
    this.#isAwaited = true;
    return this.#ready;
  }

  /** Resolves with the first epoch that this peer serves. Like `ready`, it rejects if the locks close before that. */
  get served(): Promise<number> {
    this.#isAwaited = true;
    return this.#served;
  }

  /** The transport under the locks. */
  get transport(): Transport<Linked> {
    return this.#transport;
  }

  /** The node under the locks, for inspection. */
  get node(): LiveNode {
    return this.#node;
  }

  /** The locks as an XState actor; see `LiveNode`. */
  get actor(): NodeActor {
    return this.#node.actor;
  }

  /** The reference that a persisted snapshot contains instead of the live locks; see `lockLogic`. */
  toJSON(): { readonly peer: NodeId; readonly name: string } {
    return { peer: this.#node.id, name: this.#node.name };
  }

  /**
   * Runs the callback while it holds the lock, and settles as the callback does. If the lock is lost, it rejects at once with a
   * `LostError`, or requests the lock again (`retry`). Locks are not reentrant: a second request for the lock inside the callback waits for
   * the first to end.
   *
   * Takes a list of names for several locks at once: all or none. Callers with the same names in another order do not block each other.
   *
   * @param name The name of the lock, of 1 to 256 characters, or a list of different names.
   * @param options See `RequestOptions`. `mode` and `ifAvailable` are for all locks of a list.
   * @param callback Receives the lock, or the `LockSet` of a list; `null` only with `ifAvailable`.
   * @throws UsageError for unknown or contradictory options, a missing callback, an invalid name, and an empty list or a name twice in it.
   * @throws ClosedError if the locks are closed before the lock is granted, and the reason of `signal` if that aborts first.
   * @example
   * ```ts
   * await locks.request('printer', { signal: AbortSignal.timeout(5_000) }, async (lock) => print(page, lock.fence));
   * await locks.request('printer', { mode: 'shared' }, (lock) => console.log('no writer holds it while', lock.fence, 'reads'));
   * await locks.request(['account 7', 'account 3'], ({ fences: [from, to], signal }) => transfer(from, to, signal));
   * ```
   */
  async request<T>(name: string, callback: (lock: Lock) => T | Promise<T>): Promise<T>;
  async request<T>(name: string, options: Available, callback: (lock: Lock | null) => T | Promise<T>): Promise<T>;
  async request<T>(name: string, options: RequestOptions, callback: (lock: Lock) => T | Promise<T>): Promise<T>;
  async request<T>(names: readonly string[], callback: (locks: LockSet) => T | Promise<T>): Promise<T>;
  async request<T>(names: readonly string[], options: Available, callback: (locks: LockSet | null) => T | Promise<T>): Promise<T>;
  async request<T>(names: readonly string[], options: RequestOptions, callback: (locks: LockSet) => T | Promise<T>): Promise<T>;
  async request<T>(names: string | readonly string[], ...rest: [unknown, unknown?]): Promise<T> {
    return request(names, rest, this.#taker);
  }

  /**
   * Waits for the lock, or for all locks of a list, and returns it. It is held until `release` or the end of an `await using` block. `null`
   * only with `ifAvailable`.
   *
   * @param name The name of the lock, of 1 to 256 characters, or a list of names, as `request` takes it.
   * @throws UsageError, ClosedError and the signal's reason, as `request` does.
   * @example
   * ```ts
   * await using lock = await locks.acquire('printer');
   * await print(page, lock.fence);
   * ```
   */
  async acquire(name: string, options?: LockOptions & { readonly ifAvailable?: false }): Promise<Lock>;
  async acquire(name: string, options: LockOptions): Promise<Lock | null>;
  async acquire(names: readonly string[], options?: LockOptions & { readonly ifAvailable?: false }): Promise<LockSet>;
  async acquire(names: readonly string[], options: LockOptions): Promise<LockSet | null>;
  async acquire(names: string | readonly string[], options: LockOptions = {}): Promise<Lock | LockSet | null> {
    return acquire(names, options, this.#taker);
  }

  /**
   * Declares that the cluster is new, so that a majority may begin before all peers are connected. Call it once, on one peer, at the very
   * first start. In a cluster that has served before, two majorities that have forgotten each other could both begin.
   */
  bootstrap(): void {
    if (this.#visits) throw new UsageError('tab locks start without bootstrap. Remove the call of locks.bootstrap()');
    this.#node.attempt('bootstrap');
  }

  /** The voters, as far as they are decided and known here; empty while this peer waits to be added. */
  get members(): readonly NodeId[] {
    return this.#members.voters;
  }

  /**
   * Adds a voter. Call it on any member. The new peer has been started with `join: true` and is connected with this peer. Resolves with all
   * members after majorities of the old and the new ones have decided the change. It also waits until the registers that were created here
   * have moved to the new members, for ten seconds at most (docs/locks.md). Holders keep their locks.
   *
   * @param id The id of the new voter.
   * @throws UsageError if this peer is not a member, the new one is not connected, or the list would be too long for a message;
   * ConfigurationError if a register cannot move to the new list. The change is still decided then: fix the problem and repeat the call.
   * @example
   * ```ts
   * await locks.addMember('d'); // or removeMember('c'), or replaceMember('c', 'd') in one step
   * ```
   * @public
   */
  addMember(id: NodeId, options?: MembersOptions): Promise<readonly NodeId[]> {
    return this.#change({ add: id, remove: null }, options);
  }

  /**
   * Removes a voter, as `addMember` adds one. Release its locks first: it keeps them only in the present epoch.
   *
   * @throws UsageError if this peer is not a member, or the other one never was a member.
   * @public
   */
  removeMember(id: NodeId, options?: MembersOptions): Promise<readonly NodeId[]> {
    return this.#change({ add: null, remove: id }, options);
  }

  /**
   * Replaces a voter, which may be gone for good, with another one: `addMember` and `removeMember` in one step.
   *
   * @throws UsageError if this peer is not a member, the new one is not connected, or the old one never was a member.
   * @public
   */
  replaceMember(old: NodeId, id: NodeId, options?: MembersOptions): Promise<readonly NodeId[]> {
    return this.#change({ add: id, remove: old }, options);
  }

  /**
   * Withdraws the change of members that was requested at this peer, or at one that is not connected. A caller that still waits is rejected
   * with an `AbortError`. A list that was already proposed may still be decided: then `status().changing` contains it.
   *
   * @returns The voters that are not connected. One that led earlier may still make the change when it is back: call again then.
   * @throws UsageError if this peer is not a member, or another connected one requested the change.
   * @example
   * ```ts
   * await locks.removeMember('c', { signal: AbortSignal.timeout(10_000) }).catch(() => locks.withdrawChange());
   * ```
   * @public
   */
  withdrawChange(): readonly NodeId[] {
    if (this.#closing) throw this.#closing;
    return this.#members.withdraw();
  }

  async #change(...how: Parameters<Members['change']>): Promise<readonly NodeId[]> {
    if (this.#closing) throw this.#closing;
    return this.#members.change(...how);
  }

  /**
   * The present status of this peer: its state, its epoch, and the locks that are held and waited for here.
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
   * The present status, followed by each change, at most once for each turn of the event loop, until the locks end. It is an RxJS
   * Observable, for RxJS operators and for XState's `fromObservable(() => locks.status$)`.
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

  /**
   * The state of the whole cluster, from any peer: peers, holders, waiters with their ages, and the reasons why requests wait. It asks all
   * connected peers, and lists those that do not answer in time as `silent`.
   *
   * @param options `timeoutMs`: the time limit in milliseconds, 1,000 by default.
   * @throws UsageError for an option that is wrong or unknown, and ClosedError if the locks are closed.
   * @example
   * ```ts
   * const { locks: held, peers } = await locks.inspect();
   * ```
   * @public
   */
  async inspect(options: { readonly timeoutMs?: number } = {}): Promise<LocksInspection> {
    checkOptions('locks.inspect', options, { timeoutMs: optional(milliseconds(0)) });
    if (this.#closing) throw this.#closing;
    return this.#inspection.inspect(options.timeoutMs ?? INSPECT_MS);
  }

  /** The locks that this peer holds and waits for. Other peers' locks are not included. */
  async query(): Promise<{ held: LockInfo[]; pending: LockInfo[] }> {
    return this.#queues.query(this.#node.id);
  }

  /**
   * Closes the locks. Waiting requests reject with a `ClosedError`. Holders are notified by the signal of their lock: `request` rejects at
   * once with a `LostError` whose cause is the `ClosedError`, while the callback still has the lock. The lock passes to the next waiter
   * after the callback has ended, the lock was released, or the time is over. A second call can shorten that time. The transport stays
   * open. Resolves when no write to the storage is pending.
   *
   * @param options `withinMs`: the time limit in milliseconds, 5,000 by default.
   * @throws UsageError for an option that is wrong or unknown.
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
      this.#closing = locksClosed(this.#node.id);
      await this.givenBack(this.#closing, withinMs);
      // Locks that are still held pass to other peers now, although their callbacks have not ended.
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
        notify: (notification) => this.#notifications$.next(notification),
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
    // Commands that are pending when the node closes are settled by `end`.
    else this.#node.attempt(what, { lock });
    this.#queues.removeIdle(lock);
  }

  private receive(notification: LocksNotification): void {
    if (notification.type === 'serving' || notification.type === 'apart') {
      this.#isServed = notification.type === 'serving';
      this.#hasServed ||= this.#isServed;
    }
    this.#queues.receive(notification);
  }

  /** Resolves when no lock is held, the time is over, or the node has ended. */
  private givenBack(error: Error, withinMs: number): Promise<unknown> {
    const { environment, closed } = this.#node;
    const patience = (this.#patience = new ClosePatience(environment.clock));
    patience.atMost(withinMs);
    const all = Promise.all([...this.#queues.values()].map((queue) => queue.close(error, true)));
    return Promise.race([all, patience.over, closed]).finally(() => patience.end());
  }

  private end(error: Error): void {
    this.#closing ??= error;
    const isReported = (this.#isAwaited && !this.#hasServed) || [...this.#queues.values()].some((queue) => queue.hasCallers);
    if (!isReported) warnOfEnd(this.#node, this.#closing);
    for (const queue of this.#queues.values()) void queue.close(this.#closing, false);
    this.#queues.clear();
    this.#isEnded = true;
    this.#nodes$.complete();
    this.#notifications$.complete();
  }
}
