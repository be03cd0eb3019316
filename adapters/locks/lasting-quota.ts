/**
 * A budget that outlives the peers that draw on it: a majority of them keeps the remaining amount, see register.ts.
 *
 * Peers never give out more than the budget. Every member keeps a stock of at most its part of `waste`, from which it answers at once. If a
 * take is refused, at most `waste` is left in the stocks of other members (and what was fetched there when there were fewer members). A
 * peer that crashes loses its stock and any fetch in progress. If peers do not crash, the controllers behind `createQuota` need no majority
 * and fewer messages.
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
  /** The locks whose peers keep the remaining amount; see `createLocks`. */
  readonly locks: Locks;
  /**
   * The total number of permits for all peers, forever. Pass the same value at all peers; a peer with another one is reported on the
   * console.
   */
  readonly budget: number;
  /**
   * The number of permits that may be in the stocks of the members, of which each has a part. At most the budget. With 0, every take asks a
   * majority.
   *
   * @defaultValue 0
   */
  readonly waste?: number;
  /** The name of the quota. Only peers with the same name share it. @defaultValue `quota` */
  readonly name?: string;
}

const isCount = (value: unknown): value is number => wholeNumber.refused(value) === null;

const CHECKS = { locks: someLocks, budget: wholeNumber, waste: optional(wholeNumber), name: optional(someText) };

/**
 * A lasting budget at one peer, created by `createQuota`. It ends with its locks and needs no `close`.
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
      throw new UsageError(`createQuota: waste is ${waste}, which exceeds the budget of ${budget}. Pass at most the budget`);
    this.locks = locks;
    this.waste = waste;
    this.left = new Register(locks, name, budget, isCount);
  }

  /** Resolves when its locks have closed: with the error that closed them, or with `null`. */
  get closed(): Promise<Error | null> {
    return this.left.closed;
  }

  /** The number of permits that this peer can give without other peers. */
  get remaining(): number {
    return this.stock;
  }

  /**
   * Takes `amount` permits together, or none. Takes of one peer are answered in their order.
   *
   * @throws UsageError for an amount that is not a whole number of at least 1.
   * @throws LostError if it is unknown whether a fetch for this take counts, as in `Register`. The permits are not given then, and are
   * wasted if it counts.
   * @throws ForgottenError if too many peers have restarted without storage.
   * @throws ClosedError if the locks are closed, and the signal's reason if that aborts.
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
      // A repeated attempt starts from the amount that is left then. The holder of the lock knows the present members.
      const share = Math.floor(this.waste / this.locks.members.length);
      fetched = left < needed ? 0 : needed + Math.min(share, left - needed);
      return left - fetched;
    }, options);
    this.stock += fetched;
  }
}
