/**
 * A budget that many peers share, most of whose permits are given out without a message.
 *
 * Never more than the budget is given out in all, and once a request is refused, all but `waste` of it is, or will be: without waste,
 * exactly the budget, as long as peers that go `leave`. One that dies takes along what its bins hold, and the root, started again under
 * the same name, begins again: `createQuota({ locks })` is for peers that crash. Which controller runs (per-node bins, the bin hierarchy or
 * halving) is foretold from the depth of the tree, the budget and the waste.
 */
import { controllerCore } from '../../machines/controller/index.js';
import { givesAtOnce, type RequestContext } from '../../machines/controller/request.js';
import type { ControllerOptions } from '../../machines/controller/options.js';
import type { Message } from '../../machines/effects.js';
import type { RoleView } from '../../machines/protocol.js';
import { checkOptions, wholeNumber, optional } from '../options.js';
import { PEERS_CHECKS } from './checks.js';
import { createControllerNode, Questions, requireAmount, type PeersOptions } from './controller-node.js';
import type { LiveNode } from '../node/node.js';
import type { NodeActor } from '../node/node-logic.js';

/**
 * Options for `createQuota`. All peers pass the same budget and waste.
 *
 * @public
 */
export interface QuotaOptions extends PeersOptions {
  /** How many permits there are, for all peers together and for good. */
  readonly budget: number;
  /** How many of them may be left over when others are refused; the more, the fewer messages. None unless given. */
  readonly waste?: number;
}

/**
 * The answer to a `take` of permits.
 *
 * @public
 */
export interface Taken {
  /** All that was asked for was given, or nothing. */
  readonly ok: boolean;
  /** What this peer can give next without asking anybody. */
  readonly remaining: number;
}

/**
 * A budget as one peer draws on it; `createQuota` makes it. A peer that goes should `leave`: one that dies or closes takes along
 * what its bins hold.
 *
 * @public
 */
export class Quota implements AsyncDisposable {
  /** The node under the quota: its notices and state, for those who want to see more. */
  readonly node: LiveNode<ControllerOptions>;
  /** Resolves once this peer takes part; rejects if its transport cannot connect. */
  readonly ready: Promise<void>;
  private readonly takes: Questions;
  private readonly leaves: Questions;
  /** Given out of the bin since the chart was told last. */
  private given = 0;

  constructor(options: QuotaOptions) {
    checkOptions('createQuota', options, { ...PEERS_CHECKS, budget: wholeNumber, waste: optional(wholeNumber) });
    const { budget, waste = 0, ...peers } = options;
    const nextCommand = () => this.nextCommand();
    this.node = createControllerNode({ name: 'quota', ...peers }, { kind: 'adaptive', M: budget, W: waste }, nextCommand);
    this.ready = this.node.ready;
    this.takes = new Questions(this.node, ['granted', 'rejected']);
    this.leaves = new Questions(this.node, ['left', 'stayed']);
  }

  /** The object as an XState actor: see `LiveNode`. */
  get actor(): NodeActor {
    return this.node.actor;
  }

  /**
   * Takes `amount` permits together, or none: what was gathered for a refused take stays here, for smaller ones. One peer is
   * answered in order.
   *
   * @throws UsageError for an amount that is not a whole number of at least 1; ClosedError when the quota is closed; ConnectionError
   * when this peer has lost its way to the others.
   */
  async take(amount = 1): Promise<Taken> {
    requireAmount(amount);
    return this.giveFromBin(amount) ?? this.ask(amount);
  }

  /** How many permits lie here: what this peer can give without asking anybody. */
  get remaining(): number {
    return this.bin ? this.bin.context.permits - this.given : 0;
  }

  private get bin(): RoleView<RequestContext> | undefined {
    return this.node.role('R.request');
  }

  /**
   * What is in the bin is given out at once, and the chart is told before its next event, of all such takes in one step: it would
   * have said yes to each of them.
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
    return amount === 0 ? null : controllerCore.commands['take']!.event({ amount });
  }

  private async ask(amount: number): Promise<Taken> {
    // Its answer is not to be taken for the one to come.
    this.node.flushCommands();
    const { type } = await this.takes.ask('take', { amount });
    return { ok: type === 'granted', remaining: this.remaining };
  }

  /** Hands back what this peer holds and goes; false when it stays: others are below it, or its own request is under way. */
  async leave(): Promise<boolean> {
    const { type } = await this.leaves.ask('leave');
    return type === 'left';
  }

  /** Stops at once: what this peer holds is lost to the others. */
  close(): Promise<void> {
    return this.node.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}
