/**
 * A budget that many peers share, most of whose permits are given out without a message.
 *
 *     const quota = createQuota({ transport, peers: ['a', 'b', 'c'], budget: 100_000 });
 *     const { ok, remaining } = await quota.take(5);
 *
 * Never more than the budget is given out in all, and once a request is refused, all but `waste` of it is, or will be: without waste,
 * exactly the budget, as long as peers that go `leave`. One that dies takes along what its bins hold, and the root, started anew under
 * the same name, begins anew: `createLastingQuota` is for peers that crash. Which controller runs (per-node bins, the bin hierarchy or
 * halving) is foretold from the depth of the tree, the budget and the waste.
 */
import type { ControllerOptions } from '../../machines/controller/index.js';
import { createControllerNode, Questions, requireAmount, type PeersOptions } from './controller-node.js';
import type { LiveNode } from '../node/node.js';

export interface QuotaOptions extends PeersOptions {
  /** How many permits there are, for all peers together and for good. */
  readonly budget: number;
  /** How many of them may be left over when others are refused; the more, the fewer messages. None unless given. */
  readonly waste?: number;
}

export interface Taken {
  /** All that was asked for was given, or nothing. */
  readonly ok: boolean;
  /** What this peer can give next without asking anybody. */
  readonly remaining: number;
}

/** A take that was asked for in this moment. */
interface Asked {
  readonly amount: number;
  resolve(taken: Taken): void;
  reject(error: Error): void;
}

const total = (some: readonly Asked[]): number => some.reduce((sum, { amount }) => sum + amount, 0);

export const createQuota = (options: QuotaOptions): Quota => new Quota(options);

export class Quota implements AsyncDisposable {
  /** The node under the quota: its notices and state, for those who want to see more. */
  readonly node: LiveNode<ControllerOptions>;
  readonly ready: Promise<void>;
  private readonly asked: Asked[] = [];
  private readonly takes: Questions;
  private readonly leaves: Questions;

  constructor({ budget, waste = 0, ...peers }: QuotaOptions) {
    this.node = createControllerNode({ name: 'quota', ...peers }, { kind: 'adaptive', M: budget, W: waste });
    this.ready = this.node.ready;
    this.takes = new Questions(this.node, ['granted', 'rejected']);
    this.leaves = new Questions(this.node, ['left', 'stayed']);
  }

  /** Takes `amount` permits together, or none: what was gathered for a refused take stays here, for smaller ones. One peer is answered in order. */
  take(amount = 1): Promise<Taken> {
    return new Promise((resolve, reject) => {
      requireAmount(amount);
      if (this.asked.push({ amount, resolve, reject }) === 1) queueMicrotask(() => this.askAll());
    });
  }

  get remaining(): number {
    return this.node.role('R.request')?.context.permits ?? 0;
  }

  /** What is asked in one moment and lies in the bin is taken in one step, however many asked. */
  private askAll(): void {
    const all = this.asked.splice(0);
    if (all.length > 1 && this.takes.isIdle && total(all) <= this.remaining) this.ask(all);
    else for (const one of all) this.ask([one]);
  }

  private ask(some: readonly Asked[]): void {
    this.takes.ask('take', { amount: total(some) }).then(
      ({ type }) => {
        // The bin went to the root in between: the others may still get theirs.
        if (type === 'rejected' && some.length > 1) for (const one of some) this.ask([one]);
        else for (const { resolve } of some) resolve({ ok: type === 'granted', remaining: this.remaining });
      },
      (error: Error) => {
        for (const { reject } of some) reject(error);
      },
    );
  }

  /** Hands back what this peer holds and goes; false when it stays: others are below it, or a request of its own is under way. */
  async leave(): Promise<boolean> {
    this.askAll();
    const { type } = await this.leaves.ask('leave');
    return type === 'left';
  }

  /** Stops at once: what this peer holds is lost to the others. */
  close(): Promise<void> {
    this.askAll();
    return this.node.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}
