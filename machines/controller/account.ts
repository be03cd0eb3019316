/** Counts permits and messages of a controller run, and compares them with the paper's bounds (spec sections 3 to 7). */
import type { NodeId } from '../effects.js';
import { totalsOf } from '../folded.js';
import type { Flight, Meter, NodeView, Observer, PropertyResult, Instance, Step } from '../protocol.js';
import { capacity, levelAt, lg, LOCAL_LEVEL, type Scale } from './bins.js';
import type { Permit } from './messages.js';
import type { ControllerOptions } from './options.js';
import { ControllerStepProperties, type ControllerNotification } from './step-properties.js';
import { controllerFold } from './totals.js';
import { borne, deliveryOf, depositsOf, isMember, mainOf, requestOf, total, type Config } from './view.js';

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
  private namesGiven = 0;
  /** The bank's balance never fell below zero (I9). */
  private overdrawn = false;
  private readonly crashed = new Set<NodeId>();
  private readonly severed: Record<NodeId, number> = {};
  /** Messages that did not arrive. */
  private readonly undelivered: Flight[] = [];
  private readonly left: NodeId[] = [];
  private readonly steps: ControllerStepProperties;

  constructor(private readonly instance: Instance<ControllerOptions>) {
    const { parents, phase } = instance.options;
    this.steps = new ControllerStepProperties(instance.options);
    const named = phase !== null && phase.base !== null;
    for (const node of instance.topology.nodes) {
      if (parents[node] === undefined) continue;
      this.open(node);
      if (named) this.names[node] = [instance.rank(node)];
    }
  }

  private open(node: NodeId): void {
    this.granted[node] ??= 0;
    this.rejected[node] ??= 0;
  }

  record(step: Step<ControllerNotification>, c: Config): void {
    const { node, kind, sent, emitted } = step;
    this.steps.record(step, c);
    for (const { message, from, to } of sent) {
      // The first message to a new leaf represents its existence: in the paper's model a node joins without a message.
      if (message.type === 'welcome') continue;
      this.messages++;
      if (from === this.instance.options.root || to === this.instance.options.root) this.rootMessages++;
    }
    for (const notification of emitted) this.note(notification, node, kind === 'command');
    if (kind === 'crash') this.crashed.add(node);
    if (kind === 'restart') this.crashed.delete(node);
  }

  private note(notification: ControllerNotification, node: NodeId, isLocal: boolean): void {
    switch (notification.type) {
      case 'granted':
        this.granted[node]! += notification.amount;
        this.withdrawals += notification.amount;
        this.overdrawn ||= this.withdrawals > this.instance.options.M + this.deposits;
        return this.answered(isLocal);
      case 'rejected':
        this.rejected[node]!++;
        return;
      case 'named':
        (this.names[node] ??= []).push(notification.name!);
        this.namesGiven++;
        return this.answered(isLocal);
      case 'joined':
        this.open(notification.child);
        if (notification.name === null) return;
        this.names[notification.child] = [notification.name];
        this.namesGiven++;
        return;
      case 'exhausted':
        this.exhausted = true;
        return;
      case 'deposited':
        this.deposits += notification.amount;
        return;
      case 'left':
        this.left.push(node);
        return;
      case 'severed':
        this.severed[node] = notification.permits;
    }
  }

  disturbed(_at: number, flight: Flight | null): void {
    if (flight) this.undelivered.push(flight);
  }

  private answered(isLocal: boolean): void {
    this.answers++;
    if (isLocal) this.localAnswers++;
  }

  summary(c: Config) {
    const { kind, M, adaptive } = this.instance.options;
    const lost = this.lost(c);
    return {
      granted: this.granted,
      rejected: this.rejected,
      exhausted: this.exhausted,
      messages: this.messages,
      bins: binsOf(c),
      names: this.names,
      balance: kind === 'bank' ? M + this.deposits - this.withdrawals : null,
      ...(adaptive ? { chosen: kind } : {}),
      ...(this.left.length > 0 ? { left: this.left } : {}),
      ...(Object.keys(lost).length > 0 ? { lost } : {}),
    };
  }

  meters(c: Config): Meter[] {
    const { options } = this.instance;
    const outcome = this.outcome(c);
    const order = messageOrder(options, outcome);
    const names = Object.values(this.names).flat();
    const permits = this.withdrawals + this.namesGiven;
    return [
      meter('messages', this.messages, messageBound(options, outcome)),
      ...(order ? [meter(order.name, this.messages, order.bound)] : []),
      meter('messages per permit', permits === 0 ? 0 : this.messages / permits, null),
      meter('answered without a message', this.answers === 0 ? 0 : this.localAnswers / this.answers, null),
      meter('messages at the root', this.messages === 0 ? 0 : this.rootMessages / this.messages, null),
      ...(names.length > 0 ? [meter('largest name', Math.max(...names), 4 * outcome.n)] : []),
      ...this.lossMeter(c),
    ];
  }

  private outcome(c: Config): Outcome {
    const members = [...c.nodes.values()].filter(isMember);
    const named = total(members.map((node) => requestOf(node, 'N')?.names.length ?? 0));
    const rejecting = Object.values(this.rejected).filter((count) => count > 0).length;
    return { n: members.length + named, withdrawn: this.withdrawals, deposited: this.deposits, rejecting };
  }

  /** A leaf that requests one permit at a time loses at most its bins. Other nodes also lose permits that others sent through them. */
  private lossMeter(c: Config): Meter[] {
    const failed = Object.keys(this.lost(c));
    if (failed.length === 0) return [];
    // Permits on their way through a failed node, or below it, are lost too.
    const { supply, accounted } = totalsOf(controllerFold, c);
    const missing = supply - accounted + total(failed.map((id) => holdings(c.nodes.get(id)!)));
    const bounds = failed.map((id) => {
      const { terms, depth, children } = mainOf(c.nodes.get(id)!)!;
      return children.length === 0 && this.instance.options.kind !== 'bank' ? leafHoldsAtMost(terms.R, depth) : NaN;
    });
    return [meter('lost with nodes that failed', missing, Number.isNaN(total(bounds)) ? null : total(bounds))];
  }

  /** Permits lost with crashed and severed nodes, including those on their way to a crashed node. */
  private lost(c: Config): Record<NodeId, number> {
    const members = [...this.crashed].filter((id) => mainOf(c.nodes.get(id)!));
    const crashed = members.map((id) => {
      const node = c.nodes.get(id)!;
      const coming = this.undelivered.filter(({ to, message }) => to === id && message.type === 'permit');
      const permits = coming.map(({ message }) => message as Permit).filter(({ of }) => of === 'R');
      return [id, holdings(node) + total(permits.map((permit) => borne(permit, node)))] as const;
    });
    return { ...this.severed, ...Object.fromEntries(crashed) };
  }

  properties(): PropertyResult[] {
    return [{ name: 'never overdrawn', kind: 'always', holds: !this.overdrawn }, ...this.steps.results()];
  }
}

const meter = (name: string, measured: number, bound: number | null): Meter => ({
  name,
  measured,
  bound,
  ratio: bound === null || bound === 0 ? null : measured / bound,
});

/** Permits left in each node's bins below the root. */
function binsOf(c: Config): Record<NodeId, { local: number; global: number }> {
  const bins: Record<NodeId, { local: number; global: number }> = {};
  for (const [id, node] of c.nodes) {
    if (!isMember(node)) continue;
    bins[id] = { local: requestOf(node, 'R')?.permits ?? 0, global: deliveryOf(node, 'R')?.permits ?? 0 };
  }
  return bins;
}

const holdings = (node: NodeView): number => {
  const { local = 0, global = 0 } = depositsOf(node) ?? {};
  const bins = (requestOf(node, 'R')?.permits ?? 0) + (deliveryOf(node, 'R')?.permits ?? 0);
  return bins + local + global + (mainOf(node)?.permits ?? 0);
};

/** Result of a run. */
interface Outcome {
  /** Participants at the end, including names given to applications. */
  readonly n: number;
  /** Units that were withdrawn or taken, and deposited. */
  readonly withdrawn: number;
  readonly deposited: number;
  /** Nodes that were rejected. */
  readonly rejecting: number;
}

/**
 * Lemma 4.4.4 with the constants of its proof. A bin of level l is refilled at most M / Cap(l) times. Each refill and each reject (one per
 * node and level) travels over at most 3 · 2^l links, there and back. A permit costs at most a way to the root and back, so that is the
 * bound for flat bins and bins of capacity one.
 */
function messageBound({ kind, M, U, depths, terms }: ControllerOptions, { n, rejecting }: Outcome): number | null {
  if (kind !== 'naive' && kind !== 'bins' && kind !== 'basic') return null;
  const deepest = Math.max(...Object.values(depths));
  const refills = (level: number): number => Math.floor(M / capacity(terms.R, level));
  const straight = 2 * deepest * (refills(LOCAL_LEVEL) + rejecting);
  if ('flat' in terms.R) return straight;
  let climbing = 2 * (refills(LOCAL_LEVEL) + n);
  for (let level = 0; 2 ** level <= U; level++) climbing += 2 * 3 * 2 ** level * (refills(level) + n);
  return Math.min(straight, climbing);
}

/** For bounds that the paper gives as an order of growth without a constant: the measured value over this is the constant of the run. */
function messageOrder({ kind, M, W }: ControllerOptions, { n, withdrawn, deposited }: Outcome) {
  const area = n * lg(n + 1) ** 2;
  if (kind === 'main' && W > 0) return { name: 'messages, order of Theorem 5.2', bound: (area * M) / W };
  if (kind === 'modified' && M > 0) return { name: 'messages, order of Lemma 6.1.1', bound: area * lg(M / (W + 1) + 1) };
  if (kind === 'names') return { name: 'messages, order of Lemma 6.2.1', bound: area };
  if (kind === 'bank' && W > 0) {
    return { name: 'messages, order of Lemma 6.3.1', bound: (area * (M + withdrawn + deposited)) / W };
  }
  return null;
}

/** Maximum contents of a leaf's bins, including permits on their way to them. */
const leafHoldsAtMost = (scale: Scale, depth: number): number =>
  capacity(scale, LOCAL_LEVEL) + ('flat' in scale ? 0 : capacity(scale, levelAt(depth)));
