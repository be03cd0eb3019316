/**
 * An account that many peers pay into and draw on, and that is never overdrawn, in no order of events.
 *
 * A deposit is acknowledged at once. A withdrawal waits until there is enough; up to `waste` may lie in the bins of others meanwhile.
 * It gathers what it gets: two large withdrawals may each hold a part and wait until more is deposited.
 *
 * That holds while peers stay: one that dies takes along what its bins hold, and the first, started again under the same name, begins
 * again with `balance`. There is no lasting one: docs/shipping.md says why.
 */
import type { ControllerOptions } from '../../machines/controller/options.js';
import { checkOptions, wholeNumber, optional } from '../options.js';
import { PEERS_CHECKS } from './checks.js';
import { createControllerNode, Questions, requireAmount, type PeersOptions } from './controller-node.js';
import type { LiveNode } from '../node/node.js';
import { objectLogic, type Failed, type FromActor, type ObjectLogic } from '../object-logic.js';
import { abortable } from '../transports/promises.js';
import type { NodeActor } from '../node/node-logic.js';

/**
 * Options for `createBank`. All peers pass the same balance and waste.
 *
 * @public
 */
export interface BankOptions extends PeersOptions {
  /** What is on the account at the start; nothing unless given. */
  readonly balance?: number;
  /** The more may lie in bins, the fewer messages. Nothing unless given. */
  readonly waste?: number;
}

/**
 * An account that many peers pay into and draw on, and that is never overdrawn. It lasts as long as its peers stay: see `Bank`.
 *
 * @throws UsageError for an option that is missing, wrong or not known, when the transport's id is not among `peers` or `parents` has
 * no root, and for a transport that promises too little.
 * @example
 * ```ts
 * import { createBank } from 'xstate-quiver/bank';
 * import { InProcessBus } from 'xstate-quiver/transports';
 *
 * const bus = new InProcessBus();
 * const [a, b] = ['a', 'b'].map((id) => createBank({ transport: bus.transport(id), peers: ['a', 'b'] }));
 * await a.deposit(50);
 * await b.withdraw(20);
 * await Promise.all([a.close(), b.close()]);
 * ```
 * @public
 */
export function createBank(options: BankOptions): Bank {
  checkOptions('createBank', options, { ...PEERS_CHECKS, balance: optional(wholeNumber), waste: optional(wholeNumber) });
  return new Bank(options);
}

/**
 * An account as one peer has it; `createBank` makes it. A peer that dies takes along what its bins hold, and the root of the tree
 * (the first peer, unless `parents` says otherwise), started again under the same name, begins again with `balance`.
 *
 * @public
 */
export class Bank implements AsyncDisposable {
  /** The node under the account: its notices and state, for those who want to see more. */
  readonly node: LiveNode<ControllerOptions>;
  /** Resolves once this peer takes part; rejects if its transport cannot connect. */
  readonly ready: Promise<void>;
  private readonly deposits: Questions;
  private readonly withdrawals: Questions;

  constructor({ balance = 0, waste = 0, ...peers }: BankOptions) {
    this.node = createControllerNode({ name: 'bank', ...peers }, { kind: 'bank', M: balance, W: waste });
    this.ready = this.node.ready;
    this.deposits = new Questions(this.node, ['deposited']);
    this.withdrawals = new Questions(this.node, ['granted']);
  }

  /** The object as an XState actor: see `LiveNode`. */
  get actor(): NodeActor {
    return this.node.actor;
  }

  /**
   * Pays in; resolves once it is acknowledged.
   *
   * @throws UsageError for an amount that is not a whole number of at least 1; ClosedError when the account is closed; ConnectionError
   * when this peer has lost its way to the others.
   */
  async deposit(amount: number): Promise<void> {
    requireAmount(amount);
    // What is asked of a node before it takes part is in one line, and there a withdrawal might be ahead.
    await this.ready;
    await this.deposits.ask('deposit', { amount });
  }

  /**
   * Draws, and waits until there is enough. Withdrawals of one peer are answered in their order. One that is given up is paid back
   * when its turn comes.
   *
   * @throws as `deposit` does, and the reason of `signal` when that aborts first.
   */
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

  /** Stops at once: what this peer's bins hold is lost to the others. The transport stays open. */
  close(): Promise<void> {
    return this.node.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}

/**
 * The events of `bankLogic`.
 *
 * @public
 */
export interface BankEvent {
  readonly type: 'deposit' | 'withdraw';
  readonly amount: number;
}

/**
 * The notices of `bankLogic`: `ready` at the start, `deposited` or `withdrawn` for each event, `failed` for one without an answer.
 *
 * @public
 */
export type BankNotice =
  | (FromActor & { readonly type: 'ready' })
  | (FromActor & { readonly type: 'deposited' | 'withdrawn'; readonly amount: number })
  | Failed<BankEvent>;

/**
 * An account as actor logic: send it `deposit` and `withdraw`, and receive `deposited` and `withdrawn`. Stopping the actor leaves the account
 * open and cancels withdrawals that wait.
 *
 * @example
 * ```ts
 * import { createActor } from 'xstate';
 * import { bankLogic, createBank } from 'xstate-quiver/bank';
 * import { InProcessBus } from 'xstate-quiver/transports';
 *
 * const bank = createBank({ transport: new InProcessBus().transport('a'), peers: ['a'], balance: 10 });
 * const account = createActor(bankLogic, { input: { bank } });
 * account.on('withdrawn', async ({ amount }) => {
 *   console.log(amount); // 4
 *   account.stop();
 *   await bank.close();
 * });
 * account.start().send({ type: 'withdraw', amount: 4 });
 * ```
 * @public
 */
export const bankLogic: ObjectLogic<'bank', Bank, object, BankEvent, BankNotice> = objectLogic({
  key: 'bank',
  method: 'withdraw',
  initial: {},
  attach(bank, report, signal) {
    bank.ready.then(
      () => report({}, { type: 'ready' }),
      () => {},
    );
    return {
      async deposit({ amount }) {
        await bank.deposit(amount);
        report({}, { type: 'deposited', amount });
      },
      async withdraw({ amount }) {
        await bank.withdraw(amount, { signal });
        report({}, { type: 'withdrawn', amount });
      },
    };
  },
  closed: ({ node }) => node.closed,
});
