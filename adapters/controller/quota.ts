/**
 * A budget that many peers share. Most permits are issued without a message.
 *
 * The total never exceeds the budget. Once a request is rejected, all permits except `waste` are issued eventually; without waste exactly the
 * budget, if peers that go call `leave`. A peer that crashes loses the contents of its bins, and a root that restarts under the same
 * name starts from the beginning. For peers that may crash, use `createQuota({ locks })`. The kind of controller (bins for each node, the
 * bin hierarchy, or halving) is chosen by the depth of the tree, the budget and the waste.
 */
import { controllerCore } from '../../machines/controller/index.js';
import { givesAtOnce, type RequestContext } from '../../machines/controller/request.js';
import type { ControllerOptions } from '../../machines/controller/options.js';
import type { Message } from '../../machines/effects.js';
import type { RoleView } from '../../machines/protocol.js';
import { checkOptions, wholeNumber, optional } from '../options.js';
import { PEERS_CHECKS } from './checks.js';
import { createControllerNode, requireAmount, type PeersOptions } from './controller-node.js';
import type { LiveNode } from '../node/node.js';
import { Questions } from '../node/questions.js';
import type { NodeActor } from '../node/node-logic.js';

/**
 * Options for `createQuota`. All peers pass the same budget and waste.
 *
 * @public
 */
export interface QuotaOptions extends PeersOptions {
  /** Total number of permits of all peers, for the lifetime of the quota. */
  readonly budget: number;
  /**
   * Number of permits that may be left when others are rejected. A larger one needs fewer messages.
   *
   * @defaultValue 0
   */
  readonly waste?: number;
}

/**
 * Result of `take`.
 *
 * @public
 */
export interface Taken {
  /** True if all requested permits were granted; otherwise none were. */
  readonly ok: boolean;
  /** Number of permits that this peer can grant next without a message. */
  readonly remaining: number;
}

/**
 * One peer's access to a budget; `createQuota` creates it. A peer should call `leave` before it goes: one that crashes or closes loses the
 * contents of its bins.
 *
 * @public
 */
export class Quota implements AsyncDisposable {
  /** The node of the quota, with its notifications and its state. */
  readonly node: LiveNode<ControllerOptions>;
  /** Resolves when this peer participates; rejects if its transport cannot connect. */
  readonly ready: Promise<void>;
  private readonly takes: Questions;
  private readonly leaves: Questions;
  /** Permits granted from the bin that the chart has not been notified of. */
  private given = 0;

  constructor(options: QuotaOptions) {
    checkOptions('createQuota', options, { ...PEERS_CHECKS, budget: wholeNumber, waste: optional(wholeNumber) });
    const { budget, waste = 0, ...peers } = options;
    const nextCommand = () => this.nextCommand();
    this.node = createControllerNode({ name: 'quota', ...peers }, { kind: 'adaptive', M: budget, W: waste }, nextCommand);
    this.ready = this.node.ready;
    this.takes = new Questions('quota', this.node, ['granted', 'rejected']);
    this.leaves = new Questions('quota', this.node, ['left', 'stayed']);
  }

  /** The object as an XState actor: see `LiveNode`. */
  get actor(): NodeActor {
    return this.node.actor;
  }

  /**
   * Takes `amount` permits, or none. Permits collected for a rejected request stay here for smaller ones. Requests of one peer are served in
   * order.
   *
   * @throws UsageError for an amount that is not an integer of at least 1; ClosedError if the quota is closed; ConnectionError if this peer
   * has lost its connection to the others.
   */
  async take(amount = 1): Promise<Taken> {
    requireAmount(amount);
    return this.giveFromBin(amount) ?? this.ask(amount);
  }

  /** Number of permits that this peer can grant without a message. */
  get remaining(): number {
    return this.bin ? this.bin.context.permits - this.given : 0;
  }

  private get bin(): RoleView<RequestContext> | undefined {
    return this.node.role('R.request');
  }

  /**
   * Grants permits from the bin immediately. The chart is notified before its next event, of all such grants in one step, because it
   * would have granted each of them.
   */
  private giveFromBin(amount: number): Taken | null {
    const { bin } = this;
    if (!bin || !this.takes.isIdle || !givesAtOnce(bin, this.given + amount)) return null;
    if (this.given === 0) this.node.environment.clock.schedule(() => this.node.flushCommands());
    this.given += amount;
    return { ok: true, remaining: bin.context.permits - this.given };
  }

  private nextCommand(): Message | null {
    const amount = this.given;
    this.given = 0;
    return amount === 0 ? null : controllerCore.commands['take'].event({ amount });
  }

  private async ask(amount: number): Promise<Taken> {
    // Otherwise its result could be taken for that of the new request.
    this.node.flushCommands();
    const { type } = await this.takes.ask('take', { amount });
    return { ok: type === 'granted', remaining: this.remaining };
  }

  /**
   * Returns this peer's permits and leaves. Resolves with false if the peer stays, because others are below it or its request is
   * pending.
   */
  async leave(): Promise<boolean> {
    const { type } = await this.leaves.ask('leave');
    return type === 'left';
  }

  /** Stops immediately. The permits of this peer are lost to the others. */
  close(): Promise<void> {
    return this.node.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}
