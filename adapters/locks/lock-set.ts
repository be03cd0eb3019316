/**
 * Several locks that are held together. They are acquired one after the other in the order of their names, which is the same at every
 * peer, so two callers never wait for each other. They are released together.
 */
import type { LostError } from '../transports/errors.js';
import { onAbort } from '../transports/promises.js';
import type { Lock } from './lock-handle.js';

/**
 * Several locks that are held together, from `request` and `acquire` of `createLocks` with a list of names.
 *
 * @public
 */
export class LockSet implements AsyncDisposable {
  /** The names, in the order in which they were requested. */
  readonly names: readonly string[];
  /** The fencing tokens of the locks, in the order of `names`. */
  readonly fences: readonly number[];
  readonly #locks: readonly Lock[];
  readonly #losing = new AbortController();

  constructor(locks: readonly Lock[]) {
    this.#locks = locks;
    this.names = locks.map(({ name }) => name);
    this.fences = locks.map(({ fence }) => fence);
    for (const { signal } of locks) onAbort(signal, () => this.#losing.abort(signal.reason));
  }

  /** Aborts with the reason when one of the locks is lost. Another peer may then hold that lock. */
  get signal(): AbortSignal {
    return this.#losing.signal;
  }

  /** True if `release` was called. */
  get isGivenBack(): boolean {
    return this.#locks.every(({ isGivenBack }) => isGivenBack);
  }

  /** Releases all locks. Further calls have no effect. */
  release(): void {
    for (const lock of this.#locks) lock.release();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.release();
  }
}

/**
 * Acquires all locks, or none: if one is not granted, those that are already held are released. If one is lost while others are waited for,
 * it begins again, because no caller has seen a grant yet.
 *
 * @param take Acquires one lock; `null` if it is not available.
 */
export async function takeAll(names: readonly string[], take: (name: string) => Promise<Lock | null>): Promise<LockSet | null> {
  for (;;) {
    const held = new Map<string, Lock>();
    const giveBack = () => held.forEach((lock) => lock.release());
    try {
      // By code units, which does not depend on the language of a peer.
      for (const name of names.toSorted()) {
        const lock = await take(name);
        if (lock === null) return (giveBack(), null);
        held.set(name, lock);
      }
    } catch (error) {
      giveBack();
      throw error;
    }
    const lost = [...held.values()].find(({ signal }) => signal.aborted);
    if (lost === undefined) return new LockSet(names.map((name) => held.get(name)!));
    giveBack();
    if (!(lost.signal.reason as LostError).isRetryable) throw lost.signal.reason;
  }
}
