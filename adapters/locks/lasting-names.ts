/**
 * Short unique numbers that stay unique when peers crash: a majority of peers keeps the count of issued numbers, see register.ts.
 *
 * No number is issued twice. A peer fetches a few at a time, and loses the rest when it crashes, so some numbers are never issued. After n
 * numbers, all are below n + 8 for every peer and every crash or lost lock. If peers do not crash, the controller behind `createNames`
 * needs no majority.
 */
import { limitsHere } from '../limits.js';
import type { Locks } from './locks.js';
import { checkOptions, optional, someLocks, someText, wholeNumber } from '../options.js';
import { LostError } from '../transports/errors.js';
import { Register } from './register.js';

/**
 * Options for `createNames`. Each member calls it at its start.
 *
 * @public
 */
export interface LastingNamesOptions {
  /** The locks whose peers keep the count; see `createLocks`. */
  readonly locks: Locks;
  /**
   * The name of the sequence. Only peers with the same name share it. The name of the register's lock consists of the names of the locks
   * and of the sequence: `locks/names`.
   *
   * @defaultValue `names`
   */
  readonly name?: string;
}

const isCount = (value: unknown): value is number => wholeNumber.refused(value) === null;

/**
 * Unique numbers at one peer, created by `createNames`. It ends with its locks and needs no `close`.
 *
 * @public
 */
export class LastingNames {
  private readonly given: Register<number>;
  private readonly fetched = limitsHere().names;
  private stock: number[] = [];
  private last: Promise<unknown> = Promise.resolve();

  constructor(options: LastingNamesOptions) {
    checkOptions('createNames', options, { locks: someLocks, name: optional(someText) });
    const { locks, name = 'names' } = options;
    this.given = new Register(locks, name, 0, isCount);
  }

  /** Resolves when its locks have closed: with the error that closed them, or with `null`. */
  get closed(): Promise<Error | null> {
    return this.given.closed;
  }

  /**
   * Returns the next number, from 0: at once if this peer has some left, or after a majority has stored that it fetches the next eight.
   *
   * @throws ForgottenError if too many peers have restarted without storage.
   * @throws ClosedError if the locks are closed, and the signal's reason if that aborts.
   */
  next(options: { readonly signal?: AbortSignal } = {}): Promise<number> {
    const name = this.last.then(() => this.nextNow(options));
    this.last = name.catch(() => {});
    return name;
  }

  private async nextNow(options: { readonly signal?: AbortSignal }): Promise<number> {
    options.signal?.throwIfAborted();
    while (this.stock.length === 0) await this.fetch(options);
    return this.stock.shift()!;
  }

  private async fetch(options: { readonly signal?: AbortSignal }): Promise<void> {
    try {
      const end = await this.given.change((given) => given + this.fetched, options);
      this.stock = Array.from({ length: this.fetched }, (_, i) => end - this.fetched + i);
    } catch (error) {
      // It is unknown whether these were fetched: they are skipped.
      if (!(error instanceof LostError) || !error.isRetryable || options.signal?.aborted) throw error;
    }
  }
}
