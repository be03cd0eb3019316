/**
 * Sequential runs of the controller on its real charts: the next request starts when all messages of the last one have arrived.
 *
 * Nothing overlaps in such a run, so it needs no clock and no bus, and the hundred million messages of a table are feasible.
 */
import { controller } from '../../../machines/controller/index.js';
import type { ControllerOptions } from '../../../machines/controller/options.js';
import type { NodeId } from '../../../machines/effects.js';
import type { Instance } from '../../../machines/protocol.js';
import { createHost } from '../../../network/world/hosts.js';
import { Node } from '../../../network/world/node.js';
import { Random } from '../../../network/random.js';
import { createMetric } from '../../../network/topology/metric.js';
import type { TreeShape } from './trees.js';

export interface RequestOutcome {
  readonly messages: number;
  readonly permits: number;
  /** Number of permits given without a message. */
  readonly local: number;
  readonly isExhausted: boolean;
}

interface Load {
  /** Stops after more messages than this. */
  readonly messagesMax?: number;
  readonly seed?: number;
}

export const noDraw = (): number => {
  throw new Error('The controller requested a random number, but its protocol has no random choices.');
};

class SequentialRun {
  messages = 0;
  permits = 0;
  local = 0;
  isExhausted = false;
  private readonly nodes = new Map<NodeId, Node>();
  private readonly names: readonly NodeId[];

  constructor({ parents }: TreeShape, options: Readonly<Record<string, unknown>>) {
    const instance = instanceOf(parents, options);
    this.names = instance.topology.nodes;
    const host = createHost('snapshots', controller);
    for (const id of this.names) {
      const node = new Node(id, host);
      node.start(controller.roles(id, instance), noDraw);
      this.nodes.set(id, node);
    }
  }

  /** Requests one permit at a node. */
  take(place: number): void {
    const before = this.messages;
    const permits = this.permits;
    this.step(this.names[place]!, { type: 'take', amount: 1 });
    if (this.permits > permits && this.messages === before) this.local++;
  }

  private step(first: NodeId, command: { type: string; amount: number }): void {
    const inbox: { to: NodeId; event: any }[] = [{ to: first, event: command }];
    for (let taken = 0; taken < inbox.length; taken++) {
      const { to, event } = inbox[taken]!;
      const node = this.nodes.get(to)!;
      const { sends, emitted } = node.step(controller.route(event, node), event, noDraw);
      for (const { to: address, message } of sends) {
        for (const target of Array.isArray(address) ? (address as NodeId[]) : [address as NodeId]) {
          this.messages++;
          inbox.push({ to: target, event: { ...message, from: to } });
        }
      }
      for (const { type } of emitted) {
        if (type === 'granted') this.permits++;
        if (type === 'rejected') this.isExhausted = true;
      }
    }
  }
}

export function instanceOf(parents: readonly number[], options: Readonly<Record<string, unknown>>): Instance<ControllerOptions> {
  const nodes = parents.map((_, i) => `n${i}`);
  const links = parents.flatMap((parent, i) => (i === 0 ? [] : [[`n${parent}`, `n${i}`, 1] as const]));
  const graph = createMetric({ nodes, links });
  const tree = Object.fromEntries(parents.map((parent, i) => [`n${i}`, `n${i === 0 ? 0 : parent}`]));
  return { ...graph, options: controller.options({ root: 'n0', parents: tree, ...options }, graph) };
}

/** Takes at uniformly random nodes until the first reject. */
export function untilExhausted(
  shape: TreeShape,
  options: Readonly<Record<string, unknown>>,
  { messagesMax = Infinity, seed = 1 }: Load = {},
): RequestOutcome {
  const run = new SequentialRun(shape, options);
  const random = new Random(seed, 'load');
  while (!run.isExhausted && run.messages <= messagesMax) run.take(random.below(shape.parents.length));
  return run;
}
