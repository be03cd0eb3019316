/**
 * Short unique numbers that stay unique when peers crash: how many were handed out is kept by a majority of them, see register.ts.
 *
 * No number is given twice. A peer fetches a few at a time, and one that crashes takes those with it, so that some are given never:
 * after n names all are below n + 8 for every peer and every crash, or loss of the lock on the way. Where peers stay, the controller behind `createNames` needs no
 * majority.
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
  /** Whose peers keep the count; see `createLocks`. */
  readonly locks: Locks;
  /**
   * Only those of the same name share; `names` unless given. The count is changed under a lock that is called after the name of the locks and
   * this one: `locks/names`.
   */
  readonly name?: string;
}

const isCount = (value: unknown): value is number => wholeNumber.refused(value) === null;

/**
 * Unique numbers as one peer draws them; `createNames` makes it. It lives as long as its locks: there is nothing to close.
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

  /** Resolves when its locks have closed, with the error that closed them or with `null`. */
  get closed(): Promise<Error | null> {
    return this.given.closed;
  }

  /**
   * The next number of this peer, from 0: at once if it has fetched some, or once a majority has stored that it fetches the next
   * eight.
   *
   * @throws ForgottenError when too many peers have started again without storage; ClosedError when the locks are closed; the
   * signal's reason.
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
      // Whether these were fetched is not known: they are skipped.
      if (!(error instanceof LostError) || !error.isRetryable || options.signal?.aborted) throw error;
    }
  }
}
