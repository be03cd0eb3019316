/**
 * Leader election: soon after changes stop, every group of connected peers has exactly one leader.
 *
 * A leader is not a lock: while the network changes there may be none or several, and each part of a partitioned network has its own. Work
 * that must never happen twice needs a lock and its fencing token; see docs/locks.md.
 *
 * If `links` restricts the connections, peers reach each other through others. `radii` adds levels of leaders. The lowest level has a
 * leader within the given number of hops of every peer, and `nearest` finds one.
 */
import { BehaviorSubject, filter, firstValueFrom, type Subscription } from 'rxjs';
import { electionCore, nearest } from '../machines/election/index.js';
import type { ElectionContext } from '../machines/election/machine.js';
import type { LeaderChange } from '../machines/election/messages.js';
import type { NodeId } from '../machines/effects.js';
import { UsageError } from '../machines/errors.js';
import type { Inspect } from '../network/world/kernel.js';
import { ClosedError, LostError } from './transports/errors.js';
import type { InEnvironment } from './environment.js';
import type { Lock, Locks } from './locks/locks.js';
import { createNode, type LiveNode } from './node/node.js';
import {
  anything,
  milliseconds,
  checkOptions,
  environment,
  hasMethods,
  eachOf,
  must,
  optional,
  peers,
  signal,
  someText,
  transport,
} from './options.js';
import { abortable } from './transports/promises.js';
import { Watchers } from './election-watch.js';
import { nodeOnLink } from './links.js';
import type { Transport } from './transports/transport.js';
import type { NodeActor } from './node/node-logic.js';
import { isCount } from '../machines/shapes.js';

/**
 * Options for `createElection`. All peers pass the same `peers`, `links` and `radii`.
 *
 * @public
 */
export interface ElectionOptions extends InEnvironment {
  /** Transport with ordered delivery and reported presence, such as `linked`. The election connects it; its creator closes it. */
  readonly transport: Transport;
  /** Ids of all peers that may ever participate, including this one. All peers pass the same list. */
  readonly peers: readonly NodeId[];
  /** Name of the election. Only peers with the same name elect together. @defaultValue `election` */
  readonly name?: string;
  /** Pairs of peers that may be linked. @defaultValue all pairs */
  readonly links?: readonly (readonly [NodeId, NodeId])[];
  /** Distance in hops that leaders of each further level cover, the lowest level first. @defaultValue no further levels */
  readonly radii?: readonly number[];
  /**
   * Milliseconds that a peer waits for others before it elects itself. It elects itself at once if all peers that it may be linked with
   * already follow it. @defaultValue 30
   */
  readonly settleMs?: number;
  /** Observer of the node's live actors, as in XState. */
  readonly inspect?: Inspect | undefined;
}

const RUN_CHECKS = {
  signal: optional(signal),
  locks: optional(must('locks, as in createLocks({ transport, peers })', (value) => hasMethods(value, 'acquire'))),
};

const isPair = (value: unknown): boolean => Array.isArray(value) && value.length === 2;

const CHECKS = {
  transport,
  peers,
  name: optional(someText),
  links: optional(eachOf('pairs of peers', isPair)),
  radii: optional(eachOf('hops, whole numbers', isCount)),
  settleMs: optional(milliseconds(0)),
  inspect: optional(anything),
  ...environment,
};

/**
 * Result of `election.nearest`: a leader, its level (1 is the lowest) and its distance.
 *
 * @public
 */
export interface Nearest {
  readonly leader: NodeId;
  readonly level: number;
  /** Distance in hops. */
  readonly distance: number;
}

/**
 * State of an election as one peer sees it.
 *
 * @public
 */
export interface ElectionStatus {
  /** Id of the leader; `null` while it is unknown. */
  readonly leader: NodeId | null;
  readonly isLeader: boolean;
  /**
   * Possible neighbors that are not known to follow the same leader: they are absent, not linked yet, or follow another one. While the list
   * is not empty, another peer may also be leader.
   */
  readonly unconfirmed: readonly NodeId[];
}

/**
 * Options for `election.run`.
 *
 * @public
 */
export interface RunOptions {
  /** Stops the run. `run` rejects with the reason of the signal. */
  readonly signal?: AbortSignal;
}

/**
 * Options for `election.run` with a lock: the callback runs on one peer at a time.
 *
 * @public
 */
export interface RunOnceOptions extends RunOptions {
  /** Locks among the same peers. The callback holds the lock named `leader of` and the name of the election. */
  readonly locks: Pick<Locks, 'acquire'>;
}

/**
 * Creates an election and connects its transport, without waiting. Soon after changes stop, every group of connected peers has exactly one
 * leader. A leader is not a lock: while the network changes there may be none or several. After a cold start several peers may be leaders,
 * from `settleMs` after the start until they are linked and notified of each other. No time limits that.
 *
 * @throws UsageError for an option that is missing, wrong or unknown, for a transport with too few guarantees (wrap it in `linked`), and if
 * `peers` does not contain the transport's id.
 * @example
 * ```ts
 * import { createElection } from 'xstate-quiver/election';
 * import { InProcessBus } from 'xstate-quiver/transports';
 *
 * const bus = new InProcessBus();
 * const elections = ['a', 'b'].map((id) => createElection({ transport: bus.transport(id), peers: ['a', 'b'] }));
 * // Each peer runs the callback while it is the leader; the signal aborts when it loses the leadership.
 * await Promise.race(elections.map((each) => each.run((signal) => console.log(`${each.leader} leads`, signal.aborted))));
 * await Promise.all(elections.map((each) => each.close()));
 * ```
 * @public
 */
export const createElection = (options: ElectionOptions): Election => new Election(options);

/**
 * An election as one peer sees it. Create it with `createElection`. It dispatches `change` when the leader changes or becomes unknown;
 * `leader` contains its id.
 *
 * @public
 */
export class Election extends EventTarget implements AsyncDisposable, AsyncIterable<NodeId> {
  /** Node of the election, with its notifications and state. */
  readonly node: LiveNode;
  /** Resolves once a leader is known. Rejects with the error of the election if it ends before. */
  readonly ready: Promise<void>;
  private readonly leaders = new BehaviorSubject<NodeId | null>(null);
  private readonly ending = new AbortController();
  /** Signal of this peer's current term as leader. */
  private office = new AbortController();
  private settling: Subscription | undefined;
  private readonly settleMs: number;
  private readonly hasLevels: boolean;
  /** All peers that this one may be linked with. */
  private readonly others: readonly NodeId[];

  constructor(options: ElectionOptions) {
    checkOptions('createElection', options, CHECKS);
    super();
    const { peers, name = 'election', links, radii = [], settleMs = 30, inspect, clock, crypto } = options;
    const { id } = options.transport;
    this.settleMs = settleMs;
    this.hasLevels = radii.length > 0;
    const neighbors = links && linkedWith(id, links);
    this.others = (neighbors ?? peers).filter((peer) => peer !== id);
    const how = {
      protocol: electionCore,
      topology: { nodes: [...new Set(peers)].sort(), links: [] },
      // Processes do not share a clock.
      options: { clock: 'logical', ...(radii.length === 0 ? {} : { radii }) },
      name,
      clock,
      crypto,
      inspect,
      ...(neighbors ? { neighbors } : {}),
    };
    const { node, transport } = nodeOnLink('createElection', options, (transport) => createNode({ transport, ...how }));
    this.node = node;
    this.node.steps$.subscribe(() => {
      if (this.settling?.closed === false && this.isFollowed) this.change(transport.id);
    });
    this.node.notifications$.subscribe((notification) => {
      if (notification.type === 'leader') this.follow((notification as LeaderChange).leader);
    });
    // By default a peer follows itself.
    this.node.ready.then(
      () => this.follow(transport.id),
      () => {},
    );
    const watchers = new Watchers(transport, name, peers, () => this.leader);
    this.leaders.subscribe(() => watchers.report());
    void this.node.closed.then(() => watchers.close());
    void this.node.closed.then((error) =>
      this.end(error ?? new ClosedError(`election "${name}" of peer "${transport.id}" is closed`)),
    );
    this.ready = this.until((leader) => leader !== null);
    this.ready.catch(() => {});
  }

  /** The election as an XState actor: see `LiveNode`. */
  get actor(): NodeActor {
    return this.node.actor;
  }

  /** Id of the leader as far as this peer knows; `null` while it is unknown. */
  get leader(): NodeId | null {
    return this.leaders.value;
  }

  /** True if this peer is the leader, as far as it knows. */
  get isLeader(): boolean {
    return this.leader === this.node.id;
  }

  /**
   * Returns the leader, and the peers that may not follow it.
   *
   * @example
   * ```ts
   * const { isLeader, unconfirmed } = election.status();
   * ```
   * @public
   */
  status(): ElectionStatus {
    const { leader, isLeader } = this;
    return { leader, isLeader, unconfirmed: this.notFollowing(leader) };
  }

  /** Resolves when this peer is the leader, at once if it already is. */
  get elected(): Promise<void> {
    const elected = this.until((leader) => leader === this.node.id);
    // A caller may ignore the promise, so its rejection is handled here.
    elected.catch(() => {});
    return elected;
  }

  /**
   * Runs the callback whenever this peer is the leader, and settles as the callback does once it has finished within one term. The
   * callback's signal aborts when this peer loses the leadership. The outcome of an aborted callback is ignored, and `run` waits for it
   * before the next call.
   *
   * @throws the reason of `signal`, a ClosedError if the election is closed, or the error that ended it.
   */
  async run<T>(callback: (signal: AbortSignal) => T | Promise<T>, options?: RunOptions): Promise<T>;
  /**
   * Runs the callback under a lock: if several peers are leaders, only one of them works at a time, and its writes can carry the fencing
   * token of the lock. The signal also aborts when the lock is lost.
   *
   * @example
   * ```ts
   * await election.run(async (signal, { fence }) => fire({ fence, signal }), { locks });
   * ```
   */
  async run<T>(callback: (signal: AbortSignal, lock: Lock) => T | Promise<T>, options: RunOnceOptions): Promise<T>;
  async run<T>(
    callback: (signal: AbortSignal, lock: Lock) => T | Promise<T>,
    options: RunOptions & Partial<RunOnceOptions> = {},
  ): Promise<T> {
    checkOptions('election.run', options, RUN_CHECKS);
    if (typeof callback !== 'function')
      throw new UsageError('election.run takes a function, as in election.run(async (signal) => …)');
    const { signal, locks } = options;
    const over = signal ? AbortSignal.any([signal, this.ending.signal]) : this.ending.signal;
    for (;;) {
      await abortable(this.elected, over);
      const inOffice = AbortSignal.any([over, this.office.signal]);
      const lock = locks ? await this.enter(locks, inOffice) : null;
      if (inOffice.aborted) {
        lock?.release();
        over.throwIfAborted();
        continue;
      }
      const active = lock ? AbortSignal.any([inOffice, lock.signal]) : inOffice;
      const work = (async () => callback(active, lock as Lock))().finally(() => lock?.release());
      const [outcome] = await abortable(Promise.allSettled([work]), over);
      if (lock?.signal.aborted && !lock.signal.reason.isRetryable) throw lock.signal.reason;
      if (active.aborted) continue;
      if (outcome.status === 'rejected') throw outcome.reason;
      return outcome.value;
    }
  }

  /**
   * Returns the nearest leader of any level at most `within` hops away, as far as this peer knows. Returns `null` if there is none, or if
   * this peer is not participating yet.
   *
   * @throws UsageError if `createElection` was called without `radii`; the error of the election after it has ended.
   */
  nearest({ within }: { readonly within: number }): Nearest | null {
    if (!this.hasLevels) throw new UsageError('election.nearest needs radii. Pass them to createElection');
    if (this.ending.signal.aborted) throw this.ending.signal.reason;
    const view = this.node.view();
    return Object.keys(view).length === 0 ? null : nearest(view, within);
  }

  /** Iterates over the current leader and each later one. Ends when the election is closed; throws when the network is lost. */
  async *[Symbol.asyncIterator](): AsyncGenerator<NodeId, void, undefined> {
    let last: NodeId | null = null;
    for (;;) {
      const isNews = (leader: NodeId | null) => leader !== null && leader !== last;
      last = await firstValueFrom(this.leaders.pipe(filter(isNews)), { defaultValue: null });
      if (last !== null) yield last;
      else if (this.ending.signal.reason instanceof ClosedError) return;
      else throw this.ending.signal.reason;
    }
  }

  /** Leaves the election. If this peer was the leader, the others elect another one. The transport stays open. */
  async close(): Promise<void> {
    await this.node.close();
    await this.node.closed;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** Acquires the lock; returns `null` if this peer loses the leadership before. */
  private async enter(locks: RunOnceOptions['locks'], inOffice: AbortSignal): Promise<Lock | null> {
    try {
      return await locks.acquire(`leader of ${this.node.name}`, { signal: inOffice });
    } catch (error) {
      if (!inOffice.aborted) throw error;
      return null;
    }
  }

  private follow(leader: NodeId): void {
    if (this.ending.signal.aborted) return;
    if (leader !== this.node.id) return this.change(leader);
    if (this.isLeader) return;
    this.change(null);
    if (this.isFollowed) this.change(leader);
    else this.settling = this.node.environment.clock.schedule(() => this.change(leader), this.settleMs);
  }

  /** True if all possible neighbors follow this peer. */
  private get isFollowed(): boolean {
    return this.others.length > 0 && this.notFollowing(this.node.id).length === 0;
  }

  private notFollowing(leader: NodeId | null): NodeId[] {
    const context: ElectionContext | undefined = this.node.role('election')?.context;
    const links = context?.links ?? [];
    const follows = (peer: NodeId) => links.some((link) => link.peer === peer && link.height?.lid[1] === leader);
    return this.others.filter((peer) => !follows(peer));
  }

  private change(leader: NodeId | null): void {
    this.settling?.unsubscribe();
    if (this.ending.signal.aborted || leader === this.leader) return;
    if (this.isLeader) this.office.abort(new LostError(`peer "${this.node.id}" no longer leads`));
    if (leader === this.node.id) this.office = new AbortController();
    this.leaders.next(leader);
    this.dispatchEvent(new CustomEvent('change', { detail: { leader } }));
  }

  private async until(holds: (leader: NodeId | null) => boolean): Promise<void> {
    const found = await firstValueFrom(this.leaders.pipe(filter(holds)), { defaultValue: null });
    if (found === null) throw this.ending.signal.reason;
  }

  private end(error: Error): void {
    this.change(null);
    this.ending.abort(error);
    this.leaders.complete();
  }
}

const linkedWith = (id: NodeId, links: readonly (readonly [NodeId, NodeId])[]): NodeId[] =>
  links.flatMap(([a, b]) => (a === id ? [b] : b === id ? [a] : []));
