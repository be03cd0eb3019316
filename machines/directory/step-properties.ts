/** Properties of single steps of the directory: which notifications a node sends to its application, and how its pointer may change. */
import type { NodeId } from '../effects.js';
import type { Configuration, PropertyResult, Step } from '../protocol.js';
import type { DirectoryNotification, Granted } from './machine.js';
import type { DirectoryOptions } from './options.js';
import { newParent, policies, type Find, type Policy } from './policies.js';
import { directoryContext, isUsing } from './view.js';

export const requestsOf = ({ requests }: Granted): number => requests ?? 1;

/**
 * Two properties that depend on the step and not only on the state after it.
 *
 * The path of each find is followed here from sender to sender, and not read from the visited nodes in the find. Under `random` any node on
 * the path may be picked; a custom policy has its own check. After a lost or duplicated message or a corruption nothing is promised, and
 * checking stops.
 */
export class DirectoryStepProperties {
  private readonly using = new Set<NodeId>();
  /** Requests that a node has taken since its last grant. */
  private readonly asked = new Map<NodeId, number>();
  /** For each request in flight: its node and all nodes that have forwarded it. */
  private readonly ways = new Map<NodeId, readonly NodeId[]>();
  private areNotified = true;
  private isTurned = true;
  private isPromised = true;

  /** True if the policy may turn to any node of the path, as far as this observer knows. */
  private readonly isFree: boolean;

  private readonly policy: Policy;
  private readonly together: number;

  constructor({ policy, together }: Pick<DirectoryOptions, 'policy' | 'together'>) {
    this.policy = policy;
    this.together = together;
    this.isFree = policy === 'random' || !policies.includes(policy);
  }

  disturb(): void {
    this.isPromised = false;
  }

  record(step: Step<DirectoryNotification>, c: Configuration): void {
    if (step.kind === 'corrupt') this.disturb();
    if (!this.isPromised) return;
    const { node, event, emitted } = step;
    const [before, after] = [this.using.has(node), isUsing(c.nodes.get(node)!)];
    const due = before === after ? [] : [after ? 'granted' : 'released'];
    if (emitted.map(({ type }) => type).join() !== due.join()) this.areNotified = false;
    if (step.kind === 'command' && event.type === 'request') this.asked.set(node, (this.asked.get(node) ?? 0) + 1);
    for (const notification of emitted) if (notification.type === 'granted') this.satisfy(node, requestsOf(notification));
    if (after) this.using.add(node);
    else this.using.delete(node);
    if (step.kind === 'deliver' && event.type === 'find') this.follow(node, event as Find & { from: NodeId }, c);
  }

  /** A grant satisfies all requests that the node has taken, up to the allowed number. */
  private satisfy(node: NodeId, requests: number): void {
    if (requests !== this.asked.get(node) || requests > this.together) this.areNotified = false;
    this.asked.delete(node);
  }

  private follow(node: NodeId, find: Find & { readonly from: NodeId }, c: Configuration): void {
    const { producer, from } = find;
    // The first sender is the producer itself.
    const way = from === producer ? [producer] : [...(this.ways.get(producer) ?? []), from];
    this.ways.set(producer, way);
    const { parent } = directoryContext(c.nodes.get(node)!);
    const allowed = this.isFree ? way : [newParent(this.policy, { ...find, visited: way })];
    if (!allowed.includes(parent)) this.isTurned = false;
  }

  properties(): PropertyResult[] {
    const holds = (kept: boolean) => (kept ? (this.isPromised ? true : null) : false);
    return [
      { name: 'grants and releases are notified', kind: 'always', holds: holds(this.areNotified) },
      { name: 'pointers turn as the policy defines', kind: 'always', holds: holds(this.isTurned) },
    ];
  }
}
