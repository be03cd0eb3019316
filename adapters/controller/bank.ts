/**
 * An account that many peers pay into and draw on, and that is never overdrawn, in no order of events.
 *
 *     const bank = createBank({ transport, peers: ['a', 'b', 'c'], waste: 100 });
 *     await bank.deposit(50);
 *     await bank.withdraw(20);
 *
 * A deposit is acknowledged at once. A withdrawal waits until there is enough; up to `waste` may lie in the bins of others meanwhile.
 * It gathers what it gets: two large withdrawals may each hold a part and wait until more is deposited.
 *
 * That holds while peers stay: one that dies takes along what its bins hold, and the first, started anew under the same name, begins
 * anew with `balance`. There is no lasting one: docs/shipping.md says why.
 */
import type { ControllerOptions } from '../../machines/controller/options.js';
import { createControllerNode, Questions, requireAmount, type PeersOptions } from './controller-node.js';
import type { LiveNode } from '../node/node.js';
import { abortable } from '../transports/promises.js';

export interface BankOptions extends PeersOptions {
  /** What is on the account at the start; nothing unless given. */
  readonly balance?: number;
  /** The more may lie in bins, the fewer messages. Nothing unless given. */
  readonly waste?: number;
}

export const createBank = (options: BankOptions): Bank => new Bank(options);

export class Bank implements AsyncDisposable {
  readonly node: LiveNode<ControllerOptions>;
  readonly ready: Promise<void>;
  private readonly deposits: Questions;
  private readonly withdrawals: Questions;

  constructor({ balance = 0, waste = 0, ...peers }: BankOptions) {
    this.node = createControllerNode({ name: 'bank', ...peers }, { kind: 'bank', M: balance, W: waste });
    this.ready = this.node.ready;
    this.deposits = new Questions(this.node, ['deposited']);
    this.withdrawals = new Questions(this.node, ['granted']);
  }

  async deposit(amount: number): Promise<void> {
    requireAmount(amount);
    // What is asked of a node before it takes part stands in one line, and there a withdrawal might be ahead.
    await this.ready;
    await this.deposits.ask('deposit', { amount });
  }

  /** Withdrawals of one peer are answered in their order. One that is given up is paid back when its turn comes. */
  async withdraw(amount: number, { signal }: { readonly signal?: AbortSignal } = {}): Promise<void> {
    requireAmount(amount);
    signal?.throwIfAborted();
    const granted = this.withdrawals.ask('withdraw', { amount });
    try {
      await abortable(granted, signal);
    } catch (error) {
      if (signal?.aborted) {
        granted
          .then(
            () => this.deposit(amount),
            () => {},
          )
          .catch(() => {});
      }
      throw error;
    }
  }

  close(): Promise<void> {
    return this.node.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}
