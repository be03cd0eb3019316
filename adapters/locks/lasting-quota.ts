/**
 * A budget that outlives the peers who draw on it: what is left is kept by a majority of them, see register.ts.
 *
 *     const quota = createLastingQuota({ locks, budget: 100_000, waste: 1_000 });
 *     const { ok } = await quota.take(5);
 *
 * Never more than the budget is given out. Every peer keeps a stock of at most its part of `waste`, from which it answers at once; who
 * is refused knows that no more than `waste` is left, in the stocks of others. A peer that crashes takes its stock with it, and what it
 * was just fetching. Where peers stay, the controllers behind `createQuota` need no majority and fewer messages.
 */
import type { Locks } from './locks.js';
import { requireAmount } from '../controller/controller-node.js';
import { UsageError } from '../../machines/errors.js';
import { Register } from './register.js';
import type { Taken } from '../controller/quota.js';

export interface LastingQuotaOptions {
  readonly locks: Locks;
  /** How many permits there are, for all peers together and for good. */
  readonly budget: number;
  /** How many of them may lie in the stocks of peers; none unless given, and then every take asks a majority. */
  readonly waste?: number;
  readonly name?: string;
}

export const createLastingQuota = (options: LastingQuotaOptions): LastingQuota => new LastingQuota(options);

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0;

export class LastingQuota {
  private readonly left: Register<number>;
  private readonly share: number;
  private stock = 0;
  /** Takes of this peer are answered one after the other. */
  private last: Promise<unknown> = Promise.resolve();

  constructor({ locks, budget, waste = 0, name = 'quota' }: LastingQuotaOptions) {
    for (const [what, count] of Object.entries({ budget, waste }))
      if (!isCount(count)) throw new UsageError(`a ${what} of ${count}: give a whole number of at least 0`);
    this.left = new Register(locks, name, budget, isCount);
    this.share = Math.floor(waste / locks.peers.length);
  }

  /** What this peer can give without asking anybody. */
  get remaining(): number {
    return this.stock;
  }

  /** Takes `amount` permits together, or none. */
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
      // Tried anew after a failure, it begins from what is left then.
      fetched = left < needed ? 0 : needed + Math.min(this.share, left - needed);
      return left - fetched;
    }, options);
    this.stock += fetched;
  }
}
