/** What a run of the controller gave out and cost, against the paper's bounds (spec section 3 to 7). */
import type { NodeId } from '../effects.js';
import type { Configuration, Meter, Observer, PropertyResult, Setup, Step } from '../protocol.js';
import { lg } from './bins.js';
import type { MainNotice } from './member.js';
import type { ControllerOptions } from './options.js';
import type { RequestNotice } from './request.js';
import { deliveryOf, isMember, mainOf, requestOf, type Config } from './view.js';

type Notice =
  | RequestNotice
  | MainNotice
  | { readonly type: 'exhausted' }
  | { readonly type: 'deposited'; readonly amount: number };

export class ControllerAccount implements Observer {
  private readonly granted: Record<NodeId, number> = {};
  private readonly rejected: Record<NodeId, number> = {};
  private readonly names: Record<NodeId, number[]> = {};
  private exhausted = false;
  private messages = 0;
  private rootMessages = 0;
  private answers = 0;
  private localAnswers = 0;
  private deposits = 0;
  private withdrawals = 0;
  /** The bank's balance never fell below zero (I9). */
  private overdrawn = false;
  private readonly crashed = new Set<NodeId>();
  private readonly left: NodeId[] = [];

  constructor(private readonly setup: Setup<ControllerOptions>) {
    const { parents, phase } = setup.options;
    const named = phase !== null && phase.base !== null;
    for (const node of setup.topology.nodes) {
      if (parents[node] === undefined) continue;
      this.open(node);
      if (named) this.names[node] = [setup.rank(node)];
    }
  }

  private open(node: NodeId): void {
    this.granted[node] ??= 0;
    this.rejected[node] ??= 0;
  }

  record(step: Step): void {
    const { node, kind, sent, emitted } = step;
    for (const { message, from, to } of sent) {
      // The first word to a new leaf stands for its existence: in the paper's model a node joins without a message.
      if (message.type === 'welcome') continue;
      this.messages++;
      if (from === this.setup.options.root || to === this.setup.options.root) this.rootMessages++;
    }
    for (const notice of emitted as readonly Notice[]) this.note(notice, node, kind === 'command');
    if (kind === 'crash') this.crashed.add(node);
    if (kind === 'restart') this.crashed.delete(node);
  }

  private note(notice: Notice, node: NodeId, isLocal: boolean): void {
    switch (notice.type) {
      case 'granted':
        this.granted[node]! += notice.amount;
        this.withdrawals += notice.amount;
        this.overdrawn ||= this.withdrawals > this.setup.options.M + this.deposits;
        return this.answered(isLocal);
      case 'rejected':
        this.rejected[node]!++;
        return;
      case 'named':
        (this.names[node] ??= []).push(notice.name!);
        return this.answered(isLocal);
      case 'joined':
        this.open(notice.child);
        if (notice.name !== null) this.names[notice.child] = [notice.name];
        return;
      case 'exhausted':
        this.exhausted = true;
        return;
      case 'deposited':
        this.deposits += notice.amount;
        return;
      case 'left':
        this.left.push(node);
    }
  }

  private answered(isLocal: boolean): void {
    this.answers++;
    if (isLocal) this.localAnswers++;
  }

  summary(c: Configuration) {
    const { kind, M, adaptive } = this.setup.options;
    return {
      granted: this.granted,
      rejected: this.rejected,
      exhausted: this.exhausted,
      messages: this.messages,
      bins: binsOf(c as Config),
      names: this.names,
      balance: kind === 'bank' ? M + this.deposits - this.withdrawals : null,
      ...(adaptive ? { chosen: kind } : {}),
      ...(this.left.length > 0 ? { left: this.left } : {}),
      ...(this.crashed.size > 0 ? { lost: lostWith(this.crashed, c as Config) } : {}),
    };
  }

  meters(c: Configuration): Meter[] {
    const permits = this.withdrawals;
    const nodes = [...c.nodes.values()].filter(isMember).length;
    return [
      meter('messages', this.messages, this.messageBound(nodes)),
      ...this.orderMeter(nodes),
      meter('messages per permit', permits === 0 ? 0 : this.messages / permits, null),
      meter('answered without a message', this.answers === 0 ? 0 : this.localAnswers / this.answers, null),
      meter('messages at the root', this.messages === 0 ? 0 : this.rootMessages / this.messages, null),
    ];
  }

  /** Lemma 4.4.4 with its constants: 2 · 3 · 2M/W · U(lg U + 1) a level, on lg U + 1 levels; without waste, M round trips. */
  private messageBound(n: number): number | null {
    const { kind, M, W, U, depths } = this.setup.options;
    const asks = M + Object.values(this.rejected).filter((count) => count > 0).length;
    if (kind === 'naive' || kind === 'bins') return 2 * asks * Math.max(...Object.values(depths));
    if (kind !== 'basic') return null;
    const levels = Math.floor(Math.log2(U)) + 1;
    const deepest = 2 * asks * Math.max(...Object.values(depths));
    return W === 0 ? deepest : Math.max(deepest, (12 * M * U * lg(U + 1) * levels) / W) + 2 * n * levels;
  }

  /** Where the paper gives an order of growth and no constant: the ratio is the constant of this run. */
  private orderMeter(n: number): Meter[] {
    const { kind, M, W } = this.setup.options;
    const area = n * lg(n + 1) ** 2;
    if (kind === 'main' && W > 0) return [meter('messages, order of Theorem 5.2', this.messages, (area * M) / W)];
    if (kind === 'modified' && M > 0) return [meter('messages, order of Lemma 6.1.1', this.messages, area * lg(M / (W + 1) + 1))];
    return [];
  }

  properties(): PropertyResult[] {
    return [{ name: 'never overdrawn', kind: 'always', holds: !this.overdrawn }];
  }
}

const meter = (name: string, measured: number, bound: number | null): Meter => ({
  name,
  measured,
  bound,
  ratio: bound === null || bound === 0 ? null : measured / bound,
});

/** What is left in each node's bins below the root. */
function binsOf(c: Config): Record<NodeId, { local: number; global: number }> {
  const bins: Record<NodeId, { local: number; global: number }> = {};
  for (const [id, node] of c.nodes) {
    if (!isMember(node)) continue;
    bins[id] = { local: requestOf(node, 'R')?.permits ?? 0, global: deliveryOf(node, 'R')?.permits ?? 0 };
  }
  return bins;
}

/** Permits that went down with crashed nodes: waste, at most what their bins hold. */
function lostWith(crashed: ReadonlySet<NodeId>, c: Config): Record<NodeId, number> {
  return Object.fromEntries(
    [...crashed].map((id) => {
      const node = c.nodes.get(id)!;
      return [id, (requestOf(node, 'R')?.permits ?? 0) + (deliveryOf(node, 'R')?.permits ?? 0) + (mainOf(node)?.permits ?? 0)];
    }),
  );
}
