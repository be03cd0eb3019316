/**
 * Locks by name over a transport, with the habits of the Web Locks API and without a server.
 *
 *     const locks = createLocks({ transport, peers: ['a', 'b', 'c'] });
 *     await locks.request('printer', async (lock) => print(lock.fence));
 *     await using lock = await locks.acquire('printer');
 *
 * Every lock is a token of its own (see lock-node.ts), which exists on all peers as soon as one of them asks for it. Requests of one
 * peer are served in their order; between peers the queue of the protocol decides, and serves everybody.
 *
 * Assumes, as the protocol does, that the peers on the list stay: a peer that leaves takes the tokens that lie at it along, so close
 * when all are done. `lock.fence` grows with every grant of that lock: hand it to what the lock protects, and let that refuse
 * anything older than it has seen.
 */
import { createActor, type ActorRefFrom } from 'xstate';
import type { NodeId } from '../machines/effects.js';
import { UsageError } from '../machines/errors.js';
import { Channels } from './channels.js';
import { ClosedError } from './errors.js';
import { LockDesk } from './lock-desk.js';
import { LOCKS } from './lock-node.js';
import { lockLogic } from './lock.js';
import type { Lock } from './lock-handle.js';
import { abortable } from './promises.js';
import type { Reliable, Transport } from './transport.js';

export type { Lock } from './lock-handle.js';

export interface LocksOptions {
  /** Connected by the locks, closed by whoever made it. */
  readonly transport: Transport<Reliable>;
  /** All who may ask for locks; everybody gives the same list. */
  readonly peers: readonly NodeId[];
}

export interface LockOptions {
  /** The only mode there is. */
  readonly mode?: 'exclusive';
  /** Rather no lock than waiting for one: the callback gets `null` when somebody else has it or is before us. */
  readonly ifAvailable?: boolean;
  /** Gives up waiting; the promise rejects with its reason. */
  readonly signal?: AbortSignal;
}

export interface LockInfo {
  readonly name: string;
  readonly mode: 'exclusive';
  readonly clientId: NodeId;
}

export const createLocks = (options: LocksOptions): Locks => new Locks(options);

/** Every name costs memory on every peer, so a peer gone mad must not open them without end. */
const NAMES_MAX = 100_000;

export class Locks implements AsyncDisposable {
  /** Resolves once the transport is connected. */
  readonly ready: Promise<void>;
  private readonly desks = new Map<string, LockDesk>();
  private readonly channels: Channels;
  private isClosed = false;

  constructor(private readonly options: LocksOptions) {
    const { transport, peers } = options;
    if (!peers.includes(transport.id)) {
      throw new UsageError(`peer "${transport.id}" is not among the peers ${peers.join(', ')}; list it`);
    }
    this.channels = Channels.of(transport);
    this.channels.serve(LOCKS, (conversation, from) => {
      if (peers.includes(from)) this.desk(conversation.slice(LOCKS.length + 1));
    });
    this.ready = transport.connect();
    this.ready.catch(() => {});
  }

  /** Runs the callback while holding the lock, and settles as the callback does; if the lock is lost, it rejects at once. */
  async request<T>(name: string, callback: (lock: Lock) => T | Promise<T>): Promise<T>;
  async request<T>(
    name: string,
    options: LockOptions & { readonly ifAvailable: true },
    callback: (lock: Lock | null) => T | Promise<T>,
  ): Promise<T>;
  async request<T>(name: string, options: LockOptions, callback: (lock: Lock) => T | Promise<T>): Promise<T>;
  async request<T>(name: string, ...rest: [unknown, unknown?]): Promise<T> {
    const [options, callback] = rest.length === 1 ? [{}, rest[0]] : rest;
    if (typeof callback !== 'function')
      throw new UsageError(`locks.request("${name}") needs a callback: hand one over as the last argument`);
    const lock = await this.take(name, options as LockOptions);
    if (lock === null) return callback(null);
    try {
      return await abortable(Promise.resolve(callback(lock)), lock.signal);
    } finally {
      lock.release();
    }
  }

  /** The lock itself, until `release` or the end of an `await using` block. */
  async acquire(name: string, options?: LockOptions & { readonly ifAvailable?: false }): Promise<Lock>;
  async acquire(name: string, options: LockOptions): Promise<Lock | null>;
  async acquire(name: string, options: LockOptions = {}): Promise<Lock | null> {
    return this.take(name, options);
  }

  /** What this peer holds and waits for; nobody knows this of the others. */
  async query(): Promise<{ held: LockInfo[]; pending: LockInfo[] }> {
    const all = (count: (desk: LockDesk) => number): LockInfo[] =>
      [...this.desks].flatMap(([name, desk]) =>
        Array.from({ length: count(desk) }, () => ({ name, mode: 'exclusive' as const, clientId: this.options.transport.id })),
      );
    return { held: all((desk) => (desk.isHeld ? 1 : 0)), pending: all((desk) => desk.pending) };
  }

  /** The actor behind a lock, for tools that watch XState; it opens the lock. */
  actor(name: string): ActorRefFrom<typeof lockLogic> {
    return this.desk(name).actor;
  }

  /** Takes no more part. Who waits is told with a `ClosedError`, who holds by the signal of the lock. */
  async close(): Promise<void> {
    if (this.isClosed) return;
    this.isClosed = true;
    this.channels.stopServing(LOCKS);
    for (const desk of this.desks.values()) desk.close(this.closedError());
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  private take(name: string, { mode = 'exclusive', ifAvailable = false, signal }: LockOptions): Promise<Lock | null> {
    signal?.throwIfAborted();
    if (mode !== 'exclusive') throw new UsageError(`lock mode "${String(mode)}" is not supported; the only mode is "exclusive"`);
    return this.desk(name).take(ifAvailable, signal);
  }

  private desk(name: string): LockDesk {
    if (this.isClosed) throw this.closedError();
    let desk = this.desks.get(name);
    if (!desk) {
      if (typeof name !== 'string' || name === '') throw new UsageError('a lock needs a name: give a non-empty string');
      if (this.desks.size >= NAMES_MAX) throw new UsageError(`${NAMES_MAX} locks are open here; use fewer names`);
      const actor = createActor(lockLogic, { input: { ...this.options, name } });
      desk = new LockDesk(name, actor, () => this.desks.delete(name));
      this.desks.set(name, desk);
      actor.start();
    }
    return desk;
  }

  private closedError(): ClosedError {
    return new ClosedError(`the locks of peer "${this.options.transport.id}" are closed`);
  }
}
