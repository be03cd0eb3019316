/**
 * Short unique numbers that stay unique when peers crash: how many were handed out is kept by a majority of them, see register.ts.
 *
 *     const names = createLastingNames({ locks });
 *     const id = await names.next();
 *
 * No number is given twice. A peer fetches a few at a time, and one that crashes takes those with it, so that some are given never:
 * after n names all are below n + 8 for every peer and every crash. Where peers stay, the controller behind `createNames` needs no
 * majority.
 */
import type { Locks } from './locks.js';
import { Register } from './register.js';

export interface LastingNamesOptions {
  readonly locks: Locks;
  readonly name?: string;
}

export const createLastingNames = (options: LastingNamesOptions): LastingNames => new LastingNames(options);

const FETCHED = 8;

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0;

export class LastingNames {
  private readonly given: Register<number>;
  private stock: number[] = [];
  private last: Promise<unknown> = Promise.resolve();

  constructor({ locks, name = 'names' }: LastingNamesOptions) {
    this.given = new Register(locks, name, 0, isCount);
  }

  next(options: { readonly signal?: AbortSignal } = {}): Promise<number> {
    const name = this.last.then(() => this.nextNow(options));
    this.last = name.catch(() => {});
    return name;
  }

  private async nextNow(options: { readonly signal?: AbortSignal }): Promise<number> {
    options.signal?.throwIfAborted();
    if (this.stock.length === 0) {
      const end = await this.given.change((given) => given + FETCHED, options);
      this.stock = Array.from({ length: FETCHED }, (_, i) => end - FETCHED + i);
    }
    return this.stock.shift()!;
  }
}
