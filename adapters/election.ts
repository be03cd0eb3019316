/**
 * A leader among peers: every group of peers that reach each other has one, soon after changes stop.
 *
 * A leader is not a lock: while the network changes there may be none or several, and each part of a divided network has its own. What
 * must never happen twice needs a lock and its fence; see docs/locks.md.
 *
 * With `links`, who is not linked is reached through others; with `radii` there are leaders on several levels too, the lowest
 * within so many hops of everybody, and `nearest` finds one.
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
import { linkFor } from './links.js';
import type { Transport } from './transports/transport.js';
import type { NodeActor } from './node/node-logic.js';

/**
 * Options for `createElection`; everybody gives the same `peers`, `links` and `radii`.
 *
 * @public
 */
export interface ElectionOptions extends InEnvironment {
  /** Connected by the election, closed by whoever made it. It keeps its order and tells who is there: `linked` makes one. */
  readonly transport: Transport;
  /** All who may ever take part, this one included; everybody gives the same list. */
  readonly peers: readonly NodeId[];
  /** Only peers of the same name elect together. @defaultValue `election` */
  readonly name?: string;
  /** Who may be linked with whom; everybody with everybody unless given. */
  readonly links?: readonly (readonly [NodeId, NodeId])[];
  /** How far leaders of each further level reach, in hops, the lowest level first. */
  readonly radii?: readonly number[];
  /**
   * So long a peer waits for others to be heard of before it takes itself for the leader, unless everybody whom it may be linked with
   * says so at once, in milliseconds. @defaultValue 30 */
  readonly settleMs?: number;
  /** XState's own option: an observer of the node's live actors. */
  readonly inspect?: Inspect | undefined;
}

const RUN_CHECKS = {
  signal: optional(signal),
  locks: optional(must('locks, as in createLocks({ transport, peers })', (value) => hasMethods(value, 'acquire'))),
};

const isPair = (value: unknown): boolean => Array.isArray(value) && value.length === 2;
const isCount = (value: unknown): boolean => Number.isSafeInteger(value) && (value as number) >= 0;

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
 * What `election.nearest` finds: a leader of some level, 1 the lowest, and how far away it is.
 *
 * @public
 */
export interface Nearest {
  readonly leader: NodeId;
  readonly level: number;
  /** In hops. */
  readonly distance: number;
}

/**
 * What a peer knows of the election at a moment.
 *
 * @public
 */
export interface ElectionStatus {
  /** `null` while none is known. */
  readonly leader: NodeId | null;
  readonly isLeader: boolean;
  /**
   * Of the peers that this one may be linked with, those of whom it has not heard that they follow the same leader: they are not there, not
   * linked yet, or of another mind. While there is one, somebody else may be in office as well.
   */
  readonly unheard: readonly NodeId[];
}

/**
 * How `election.run` runs its callback.
 *
 * @public
 */
export interface RunOptions {
  /** Gives up; `run` rejects with its reason. */
  readonly signal?: AbortSignal;
}

/**
 * How `election.run` runs its callback one at a time, under a lock.
 *
 * @public
 */
export interface RunOnceOptions extends RunOptions {
  /** Locks among the same peers: the callback runs under the lock named `leader of` the election, one at a time. */
  readonly locks: Pick<Locks, 'acquire'>;
}

/**
 * A leader among peers: every group of peers that reach each other has one, soon after changes stop. It returns at once and
 * connects the transport. A leader is no lock: while the network changes there may be none or several. A cold start may have several in office
 * from `settleMs` after the first has started until they are linked and have heard of each other; no time bounds that.
 *
 * @throws UsageError for an option that is missing, wrong or not known, for a transport that promises too little (`linked` makes
 * one that does), and when the transport's id is not among `peers`.
 * @example
 * ```ts
 * import { createElection } from 'xstate-quiver/election';
 * import { InProcessBus } from 'xstate-quiver/transports';
 *
 * const bus = new InProcessBus();
 * const elections = ['a', 'b'].map((id) => createElection({ transport: bus.transport(id), peers: ['a', 'b'] }));
 * // Each runs it while it leads; the signal aborts when it leads no more.
 * await Promise.race(elections.map((each) => each.run((signal) => console.log(`${each.leader} leads`, signal.aborted))));
 * await Promise.all(elections.map((each) => each.close()));
 * ```
 * @public
 */
export const createElection = (options: ElectionOptions): Election => new Election(options);

/**
 * Who leads, as one peer knows it; `createElection` makes it. It dispatches `change` when another peer leads or nobody is known to,
 * and `leader` says who.
 *
 * @public
 */
export class Election extends EventTarget implements AsyncDisposable, AsyncIterable<NodeId> {
  /** The node under the election: its notices and state, for those who want to see more. */
  readonly node: LiveNode;
  /** Resolves once a leader is known; rejects with the error with which the election ended before. */
  readonly ready: Promise<void>;
  private readonly leaders = new BehaviorSubject<NodeId | null>(null);
  private readonly ending = new AbortController();
  /** Of the present time in office of this peer. */
  private office = new AbortController();
  private settling: Subscription | undefined;
  private readonly settleMs: number;
  private readonly hasLevels: boolean;
  /** All whom this peer may be linked with. */
  private readonly others: readonly NodeId[];

  constructor(options: ElectionOptions) {
    checkOptions('createElection', options, CHECKS);
    super();
    const { peers, name = 'election', links, radii = [], settleMs = 30, inspect, clock, crypto } = options;
    const { transport, release } = linkFor('createElection', options);
    this.settleMs = settleMs;
    this.hasLevels = radii.length > 0;
    const neighbors = links && linkedWith(transport.id, links);
    this.others = (neighbors ?? peers).filter((peer) => peer !== transport.id);
    this.node = createNode({
      transport,
      protocol: electionCore,
      topology: { nodes: [...new Set(peers)].sort(), links: [] },
      // No two processes have the same clock.
      options: { clock: 'logical', ...(radii.length === 0 ? {} : { radii }) },
      name,
      clock,
      crypto,
      inspect,
      ...(neighbors ? { neighbors } : {}),
    });
    this.node.steps$.subscribe(() => {
      if (this.settling?.closed === false && this.isFollowed) this.change(transport.id);
    });
    this.node.notifications$.subscribe((notification) => {
      if (notification.type === 'leader') this.hear((notification as LeaderChange).leader);
    });
    // A peer that is notified of nobody has itself.
    this.node.ready.then(
      () => this.hear(transport.id),
      () => {},
    );
    void this.node.closed.then(release);
    void this.node.closed.then((error) =>
      this.end(error ?? new ClosedError(`election "${name}" of peer "${transport.id}" is closed`)),
    );
    this.ready = this.until((leader) => leader !== null);
    this.ready.catch(() => {});
  }

  /** The object as an XState actor: see `LiveNode`. */
  get actor(): NodeActor {
    return this.node.actor;
  }

  /** Who leads, as far as this peer knows; `null` while none is known. */
  get leader(): NodeId | null {
    return this.leaders.value;
  }

  /** True if this peer leads, as far as it knows. */
  get isLeader(): boolean {
    return this.leader === this.node.id;
  }

  /**
   * Who leads, and who may not know of it.
   *
   * @example
   * ```ts
   * const { isLeader, unheard } = election.status();
   * ```
   * @public
   */
  status(): ElectionStatus {
    const { leader, isLeader } = this;
    return { leader, isLeader, unheard: this.unheardOf(leader) };
  }

  /** Resolves when this peer leads: at once, if it does already. */
  get elected(): Promise<void> {
    const elected = this.until((leader) => leader === this.node.id);
    // Who has asked need not wait for the answer.
    elected.catch(() => {});
    return elected;
  }

  /**
   * Runs the callback whenever this peer leads, until it has come to an end while it does: then `run` settles as the callback has.
   * The callback's signal aborts when the peer leads no more; what it does after that counts for nothing, and `run` waits for it
   * before it begins again.
   *
   * @throws the reason of `signal`, a ClosedError when the election is closed, or the error that ended it.
   */
  async run<T>(callback: (signal: AbortSignal) => T | Promise<T>, options?: RunOptions): Promise<T>;
  /**
   * The same, under a lock: of several in office one works at a time, and what it does can carry the fence of the lock. The signal aborts when
   * the lock is lost, too.
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
      throw new UsageError(
        'election.run takes what the leader does first. Pass a function, as in election.run(async (signal) => …)',
      );
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
      if (lock?.signal.aborted && !(lock.signal.reason as LostError).isRetryable) throw lock.signal.reason;
      if (active.aborted) continue;
      if (outcome.status === 'rejected') throw outcome.reason;
      return outcome.value;
    }
  }

  /**
   * The nearest leader of any level at most `within` hops away, as far as this peer knows; `null` when there is none or it does not
   * take part yet.
   *
   * @throws UsageError unless `createElection` was given `radii`; the error that ended the election, once it has ended.
   */
  nearest({ within }: { readonly within: number }): Nearest | null {
    if (!this.hasLevels) throw new UsageError('nearest needs levels of leaders: give createElection their radii');
    if (this.ending.signal.aborted) throw this.ending.signal.reason;
    const view = this.node.view();
    return Object.keys(view).length === 0 ? null : nearest(view, within);
  }

  /** Who leads now, and then whenever that has changed; ends when the election is closed, throws when the network is lost. */
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

  /** Takes part no longer; the others elect somebody else if this peer led. The transport stays open. */
  async close(): Promise<void> {
    await this.node.close();
    await this.node.closed;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** `null` when this peer leads no more before it is granted the lock. */
  private async enter(locks: RunOnceOptions['locks'], inOffice: AbortSignal): Promise<Lock | null> {
    try {
      return await locks.acquire(`leader of ${this.node.name}`, { signal: inOffice });
    } catch (error) {
      if (!inOffice.aborted) throw error;
      return null;
    }
  }

  private hear(leader: NodeId): void {
    if (leader !== this.node.id) return this.change(leader);
    if (this.isLeader) return;
    this.change(null);
    if (this.isFollowed) this.change(leader);
    else this.settling = this.node.environment.clock.schedule(() => this.change(leader), this.settleMs);
  }

  /** Nobody is left who might say otherwise. */
  private get isFollowed(): boolean {
    return this.others.length > 0 && this.unheardOf(this.node.id).length === 0;
  }

  private unheardOf(leader: NodeId | null): NodeId[] {
    const links = (this.node.role('election')?.context as ElectionContext | undefined)?.links ?? [];
    const follows = (peer: NodeId) => links.some((link) => link.peer === peer && link.height?.lid[1] === leader);
    return this.others.filter((peer) => !follows(peer));
  }

  private change(leader: NodeId | null): void {
    this.settling?.unsubscribe();
    if (this.ending.signal.aborted || leader === this.leader) return;
    if (this.isLeader) this.office.abort(new LostError(`peer "${this.node.id}" leads no more`));
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
