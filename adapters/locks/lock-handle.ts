import type { NodeId } from '../../machines/effects.js';
import type { LockMode } from '../../machines/locks/messages.js';

/**
 * A lock as its holder sees it; `request` and `acquire` of what `createLocks` makes hand it out.
 *
 * @public
 */
export class Lock implements AsyncDisposable {
  readonly #losing = new AbortController();
  readonly #giveBack: (lock: Lock) => void;
  #isGivenBack = false;

  constructor(
    /** Of the lock, as it was asked for. */
    readonly name: string,
    /** Larger than that of every earlier grant of this lock, whoever held it; those who read together at one peer have the same. */
    readonly fence: number,
    /** Held alone, or together with others who read. */
    readonly mode: LockMode,
    giveBack: (lock: Lock) => void,
  ) {
    this.#giveBack = giveBack;
  }

  /** Aborts, with the reason, when the lock is lost: what it protects may belong to somebody else then. */
  get signal(): AbortSignal {
    return this.#losing.signal;
  }

  /** True if `release` was called. */
  get isGivenBack(): boolean {
    return this.#isGivenBack;
  }

  /** Gives the lock back. Once is enough, more often is harmless. */
  release(): void {
    this.#isGivenBack = true;
    this.#giveBack(this);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.release();
  }

  /** Called by those who hand out locks. */
  lose(reason: Error): void {
    this.#losing.abort(reason);
  }
}

/** The lock is given back as the callback ends. */
export async function during<T>(lock: Lock, callback: (lock: Lock) => T | Promise<T>): Promise<T> {
  try {
    return await callback(lock);
  } finally {
    lock.release();
  }
}

/**
 * One lock in the answer of `locks.query()`: its name, and who holds it or waits for it, which is always the peer that was asked.
 *
 * @public
 */
export interface LockInfo {
  readonly name: string;
  readonly mode: LockMode;
  readonly clientId: NodeId;
}
