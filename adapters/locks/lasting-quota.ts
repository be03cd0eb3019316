/**
 * A budget that outlives the peers who draw on it: what is left is kept by a majority of them, see register.ts.
 *
 * Never more than the budget is given out. Every member keeps a stock of at most its part of `waste`, from which it answers at once; who
 * is refused knows that no more than `waste` is left, in the stocks of others (and what was fetched there when the members were fewer). A peer that crashes takes its stock with it, and what it
 * was just fetching. Where peers stay, the controllers behind `createQuota` need no majority and fewer messages.
 */
import { UsageError } from '../../machines/errors.js';
import type { Locks } from './locks.js';
import { requireAmount } from '../controller/controller-node.js';
import { checkOptions, optional, someLocks, someText, wholeNumber } from '../options.js';
import { Register } from './register.js';
import type { Taken } from '../controller/quota.js';

/**
 * Options for `createQuota`. All peers pass the same budget, and each member calls it at its start.
 *
 * @public
 */
export interface LastingQuotaOptions {
  /** Whose peers keep what is left; see `createLocks`. */
  readonly locks: Locks;
  /** How many permits there are, for all peers together and for good: the same for everybody. Who begins with another one is named on the console. */
  readonly budget: number;
  /**
   * How many of them may lie in the stocks of the members, each of which has a part; none unless given, and then every take asks a majority. No
   * more than the budget.
   */
  readonly waste?: number;
  /** Only those of the same name share. @defaultValue `quota` */
  readonly name?: string;
}

const isCount = (value: unknown): value is number => wholeNumber.refused(value) === null;

const CHECKS = { locks: someLocks, budget: wholeNumber, waste: optional(wholeNumber), name: optional(someText) };

/**
 * A lasting budget as one peer draws on it; `createQuota` makes it. It lives as long as its locks: there is nothing to
 * close.
 *
 * @public
 */
export class LastingQuota {
  private readonly left: Register<number>;
  private readonly locks: Locks;
  private readonly waste: number;
  private stock = 0;
  /** Takes of this peer are answered one after the other. */
  private last: Promise<unknown> = Promise.resolve();

  constructor(options: LastingQuotaOptions) {
    checkOptions('createQuota', options, CHECKS);
    const { locks, budget, waste = 0, name = 'quota' } = options;
    if (waste > budget)
      throw new UsageError(
        `createQuota: waste is ${waste}, and more than the budget of ${budget}. Pass what may lie in stocks of it`,
      );
    this.locks = locks;
    this.waste = waste;
    this.left = new Register(locks, name, budget, isCount);
  }

  /** Resolves when its locks have closed, with the error that closed them or with `null`. */
  get closed(): Promise<Error | null> {
    return this.left.closed;
  }

  /** What this peer can give without asking anybody. */
  get remaining(): number {
    return this.stock;
  }

  /**
   * Takes `amount` permits together, or none. Takes of one peer are answered in their order.
   *
   * @throws UsageError for an amount that is not a whole number of at least 1; LostError when it is not known whether what was fetched
   * for it counts, as `Register` says (it is not given then, and wasted if it does); ForgottenError when too many peers have started again
   * without storage; ClosedError when the locks are closed; the signal's reason.
   */
  take(amount = 1, options: { readonly signal?: AbortSignal } = {}): Promise<Taken> {
    const taken = this.last.then(() => this.takeNow(amount, options));
    this.last = taken.catch(() => {});
    return taken;
  }

  private async takeNow(amount: number, options: { readonly signal?: AbortSignal }): Promise<Taken> {
    requireAmount(amount);
    options.signal?.throwIfAborted();
    if (this.stock < amount) await this.refill(amount, options);
    const ok = this.stock >= amount;
    if (ok) this.stock -= amount;
    return { ok, remaining: this.stock };
  }

  private async refill(amount: number, options: { readonly signal?: AbortSignal }): Promise<void> {
    const needed = amount - this.stock;
    let fetched = 0;
    await this.left.change((left) => {
      // Tried again after a failure, it begins from what is left then. Who has the lock knows who votes.
      const share = Math.floor(this.waste / this.locks.members.length);
      fetched = left < needed ? 0 : needed + Math.min(share, left - needed);
      return left - fetched;
    }, options);
    this.stock += fetched;
  }
}
