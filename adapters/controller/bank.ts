/**
 * An account into which many peers pay and from which they withdraw. It is never overdrawn, whatever the order of events.
 *
 * A deposit is acknowledged immediately. A withdrawal waits until there is enough; up to `waste` may be in the bins of other peers meanwhile.
 * A withdrawal collects what it gets: two large withdrawals may each hold a part and wait until more is deposited.
 *
 * *Limitations.* The guarantees require that peers stay. A peer that crashes loses what its bins contain. If the first peer restarts under
 * the same name, it starts with `balance` again. Accounts are not durable.
 */
import { controllerCore, DEPOSIT_MAX } from '../../machines/controller/core.js';
import type { ControllerOptions } from '../../machines/controller/options.js';
import { UsageError } from '../../machines/errors.js';
import { checkOptions, wholeNumber, optional } from '../options.js';
import { PEERS_CHECKS } from './checks.js';
import { createControllerNode, requireAmount, type PeersOptions } from './controller-node.js';
import type { LiveNode } from '../node/node.js';
import { Questions } from '../node/questions.js';
import { objectLogic, whenReady, type Failed, type FromActor, type ObjectLogic } from '../object-logic.js';
import { abortable } from '../transports/promises.js';
import type { NodeActor } from '../node/node-logic.js';

/**
 * Options for `createBank`. All peers pass the same balance and waste.
 *
 * @public
 */
export interface BankOptions extends PeersOptions {
  /**
   * Initial balance.
   *
   * @defaultValue 0
   */
  readonly balance?: number;
  /**
   * Amount that may be in the bins of other peers while a withdrawal waits. A larger one needs fewer messages.
   *
   * @defaultValue 0
   */
  readonly waste?: number;
}

/**
 * Creates an account into which many peers pay and from which they withdraw. It is never overdrawn. See `Bank` for its limitations.
 *
 * @param options the peers and the transport; `balance` is the amount at the start (default 0).
 * @returns the account as this peer sees it.
 * @throws UsageError for a missing, invalid or unknown option, if `peers` does not contain the transport's id, if `parents` has no root, and
 * for a transport with too few guarantees.
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
 * One peer's access to an account; `createBank` creates it. A peer that crashes loses what its bins contain. The root of the tree (by
 * default the first peer) starts with `balance` again if it restarts under the same name.
 *
 * @public
 */
export class Bank implements AsyncDisposable {
  /** The node of the account, with its notifications and its state. */
  readonly node: LiveNode<ControllerOptions>;
  /** Resolves when this peer participates; rejects if its transport cannot connect. */
  readonly ready: Promise<void>;
  private readonly deposits: Questions;
  private readonly withdrawals: Questions;

  constructor({ balance = 0, waste = 0, ...peers }: BankOptions) {
    this.node = createControllerNode({ name: 'bank', ...peers }, { kind: 'bank', M: balance, W: waste });
    this.ready = this.node.ready;
    this.deposits = new Questions('bank', this.node, ['deposited']);
    this.withdrawals = new Questions('bank', this.node, ['granted']);
  }

  /** The object as an XState actor: see `LiveNode`. */
  get actor(): NodeActor {
    return this.node.actor;
  }

  /**
   * Deposits an amount; resolves when it is acknowledged.
   *
   * @param amount an integer from 1 to 100,000.
   * @throws UsageError for any other amount; ClosedError if the account is closed; ConnectionError if this peer has lost its connection to
   * the others.
   */
  async deposit(amount: number): Promise<void> {
    requireAmount(amount);
    const refusal = controllerCore.commands['deposit'].refusal!({ kind: 'bank' }, { amount });
    if (refusal !== null) throw new UsageError(refusal);
    // Commands before the start share one queue, in which the deposit could wait for a withdrawal.
    await this.ready;
    await this.deposits.ask('deposit', { amount });
  }

  /**
   * Withdraws an amount, and waits until there is enough. Withdrawals of one peer are served in order. The amount of an aborted withdrawal
   * is paid back when its turn comes.
   *
   * @param amount an integer of at least 1.
   * @throws like `deposit`, and the reason of `signal` if it aborts first.
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
            () => this.payBack(amount),
            () => {},
          )
          .catch(() => {});
      }
      throw error;
    }
  }

  private async payBack(amount: number): Promise<void> {
    for (let rest = amount; rest > 0; rest -= DEPOSIT_MAX) await this.deposit(Math.min(rest, DEPOSIT_MAX));
  }

  /** Stops immediately. The contents of this peer's bins are lost to the others. The transport stays open. */
  close(): Promise<void> {
    return this.node.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}

/**
 * Events of `bankLogic`.
 *
 * @public
 */
export interface BankEvent {
  readonly type: 'deposit' | 'withdraw';
  readonly amount: number;
}

/**
 * Notifications of `bankLogic`: `ready` at the start, `deposited` or `withdrawn` for each event, and `failed` for an event without a result.
 *
 * @public
 */
export type BankNotice =
  | (FromActor & { readonly type: 'ready' })
  | (FromActor & { readonly type: 'deposited' | 'withdrawn'; readonly amount: number })
  | Failed<BankEvent>;

/**
 * An account as XState actor logic. It accepts `deposit` and `withdraw` with an integer `amount`, and emits `ready`, `deposited`, `withdrawn`
 * and, for an event that fails, `failed`.
 *
 * A withdrawal waits until the account contains enough. Stopping the actor cancels waiting withdrawals and leaves the account open.
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
    whenReady(bank, () => report({}, { type: 'ready' }));
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
