/**
 * The application on top of the nodes: it issues commands, uses what it is granted, and drives a workload.
 *
 * A command that its chart does not accept now waits its turn at its node; a notification may call for a reaction some ticks later
 * (a grant is released when its use ends). All of it happens between steps, first in its tick.
 */
import type { Message, NodeId } from '../machines/effects.js';
import type { Protocol, Reaction, Step } from '../machines/protocol.js';
import type { Network } from './network.js';
import { Random } from './random.js';
import type { Workload } from './scenario/types.js';
import { FIRST_IN_TICK, type Timing } from './timing.js';

interface Waiting {
  readonly event: Message;
  readonly completedBy: readonly string[];
  readonly waits: boolean;
}

export class Application {
  private readonly waiting = new Map<NodeId, Waiting[]>();
  /** Commands under way at a node whose completion the workload waits for. */
  private readonly underWay = new Map<NodeId, readonly string[]>();
  private readonly reactions: readonly Reaction[];
  private remaining: number;
  private readonly random: Random;

  constructor(
    private readonly network: Network,
    private readonly protocol: Protocol,
    private readonly timing: Timing,
    options: unknown,
    private readonly workload: Workload | undefined,
    private readonly names: readonly NodeId[],
    seed: number,
  ) {
    this.reactions = protocol.reactions(options);
    this.random = new Random(seed, 'workload');
    this.remaining = workload ? ('sequential' in workload ? workload.sequential.length : workload.requests) : 0;
    network.steps$.subscribe((step) => this.follow(step));
  }

  /** Whether some command waits for its turn. */
  get hasWaiting(): boolean {
    return this.waiting.size > 0;
  }

  /** Issues the first commands of the workload. */
  start(): void {
    const { workload } = this;
    if (!workload) return;
    const atOnce = 'sequential' in workload ? 1 : workload.concurrent;
    for (let i = 0; i < atOnce; i++) this.timing.after(0, FIRST_IN_TICK, this.issueNext, undefined);
  }

  private readonly issueNext = (): void => {
    const { workload, remaining } = this;
    if (!workload || remaining === 0) return;
    const node = 'sequential' in workload ? workload.sequential[workload.sequential.length - remaining]! : this.anyFreeNode();
    if (node === undefined) return;
    this.remaining--;
    this.underWay.set(node, this.protocol.commands[workload.command]!.completedBy);
    this.command(node, workload.command, {});
  };

  /** A node of which the workload has nothing under way, so that `concurrent` of them are at work; any draw tells which. */
  private anyFreeNode(): NodeId | undefined {
    if (this.underWay.size >= this.names.length) return undefined;
    for (;;) {
      const node = this.random.pick(this.names);
      if (!this.underWay.has(node)) return node;
    }
  }

  /** Rest has come over commands that are still under way: they were lost, and the workload goes on. False when there were none. */
  giveUpLost(): boolean {
    const lost = this.underWay.size;
    this.underWay.clear();
    for (let i = 0; i < lost; i++) this.timing.after(0, FIRST_IN_TICK, this.issueNext, undefined);
    return lost > 0;
  }

  /** Issues a command now, or when the node's chart accepts it. */
  command(node: NodeId, name: string, fields: Readonly<Record<string, unknown>>): void {
    const { event, waits, completedBy } = this.protocol.commands[name]!;
    this.enqueue(node, { event: event(fields), waits, completedBy });
  }

  private enqueue(node: NodeId, command: Waiting): void {
    const queue = this.waiting.get(node);
    if (!command.waits) this.network.dispatch({ kind: 'command', node, event: command.event });
    else if (queue) queue.push(command);
    else {
      this.waiting.set(node, [command]);
      this.takeTurn(node);
    }
  }

  private readonly takeTurn = (node: NodeId): void => {
    const queue = this.waiting.get(node);
    const head = queue?.[0];
    if (!queue || !head || !this.network.accepts(node, head.event)) return;
    queue.shift();
    if (queue.length === 0) this.waiting.delete(node);
    this.network.dispatch({ kind: 'command', node, event: head.event });
  };

  private follow(step: Step): void {
    const { node } = step;
    for (const emitted of step.emitted) {
      for (const { on, event, after } of this.reactions) {
        if (on === emitted.type) this.timing.after(after, FIRST_IN_TICK, this.react, { node, event });
      }
      const done = (emitted as { requester?: NodeId | null }).requester ?? node;
      if (this.underWay.get(done)?.includes(emitted.type)) {
        this.underWay.delete(done);
        this.timing.after(0, FIRST_IN_TICK, this.issueNext, undefined);
      }
    }
    if (this.waiting.has(node)) this.timing.after(0, FIRST_IN_TICK, this.takeTurn, node);
  }

  private readonly react = ({ node, event }: { node: NodeId; event: Message }): void => {
    this.network.dispatch({ kind: 'command', node, event });
  };
}
