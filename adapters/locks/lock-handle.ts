import type { NodeId } from '../../machines/effects.js';
import type { LockMode } from '../../machines/locks/messages.js';

/**
 * A lock that is held, from `request` and `acquire` of `createLocks`.
 *
 * @public
 */
export class Lock implements AsyncDisposable {
  readonly #losing = new AbortController();
  readonly #giveBack: (lock: Lock) => void;
  #isGivenBack = false;

  constructor(
    /** The name of the lock, as it was requested. */
    readonly name: string,
    /**
     * The fencing token: larger than that of every earlier grant of this lock at any peer. Readers at one peer that share a grant have the
     * same one.
     */
    readonly fence: number,
    /** `exclusive`, or `shared` with other readers. */
    readonly mode: LockMode,
    giveBack: (lock: Lock) => void,
  ) {
    this.#giveBack = giveBack;
  }

  /** Aborts with the reason when the lock is lost. Another peer may then hold the lock. */
  get signal(): AbortSignal {
    return this.#losing.signal;
  }

  /** True if `release` was called. */
  get isGivenBack(): boolean {
    return this.#isGivenBack;
  }

  /** Releases the lock. Further calls have no effect. */
  release(): void {
    this.#isGivenBack = true;
    this.#giveBack(this);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.release();
  }

  /** Called by the queue when the lock is lost. */
  lose(reason: Error): void {
    this.#losing.abort(reason);
  }
}

/** Runs the callback and releases the lock, or all locks, when it ends. */
export async function during<T, L extends { release(): void }>(lock: L, callback: (lock: L) => T | Promise<T>): Promise<T> {
  try {
    return await callback(lock);
  } finally {
    lock.release();
  }
}

/**
 * One lock in the result of `locks.query()`: its name, its mode, and the peer that holds it or waits for it, which is always the queried
 * one.
 *
 * @public
 */
export interface LockInfo {
  readonly name: string;
  readonly mode: LockMode;
  readonly clientId: NodeId;
}
