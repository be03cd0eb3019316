/**
 * Waiting times if every node requests its share, again as soon as it is answered, and a message takes one tick per hop.
 *
 * All messages of a tick arrive in the order in which they were sent, so channels are FIFO.
 */
import { controller } from '../../../machines/controller/index.js';
import type { Message, NodeId } from '../../../machines/effects.js';
import { createHost } from '../../../network/world/hosts.js';
import { Node } from '../../../network/world/node.js';
import { noDraw, instanceOf } from './run.js';
import type { TreeShape } from './trees.js';

export interface Waiting {
  /** Hops from request to permit. */
  readonly mean: number;
  readonly messagesPerPermit: number;
}

interface InFlight {
  readonly to: NodeId;
  readonly event: Message;
}

export function closedLoop({ parents }: TreeShape, share: number, options: Readonly<Record<string, unknown>>): Waiting {
  const instance = instanceOf(parents, options);
  const host = createHost('snapshots', controller);
  const nodes = new Map(instance.topology.nodes.map((id) => [id, new Node(id, host)]));
  const askedAt = new Map<NodeId, number>();
  const left = new Map(instance.topology.nodes.map((id) => [id, share]));
  let [messages, permits, waited, now] = [0, 0, 0, 0];
  let flights: InFlight[] = [];

  const step = (to: NodeId, event: Message): boolean => {
    const node = nodes.get(to)!;
    const { sends, emitted } = node.step(controller.route(event, node), event, noDraw);
    for (const { to: address, message } of sends) {
      for (const target of Array.isArray(address) ? (address as NodeId[]) : [address as NodeId]) {
        messages++;
        flights.push({ to: target, event: { ...message, from: to } as Message });
      }
    }
    for (const { type } of emitted) {
      if (type !== 'granted') continue;
      permits++;
      waited += now - askedAt.get(to)!;
      return true;
    }
    return false;
  };

  /** Takes permits until a refill is needed, or the share is used up. */
  const ask = (id: NodeId): void => {
    for (let isAnswered = true; isAnswered && left.get(id)! > 0;) {
      left.set(id, left.get(id)! - 1);
      askedAt.set(id, now);
      isAnswered = step(id, { type: 'take', amount: 1 } as Message);
    }
  };

  for (const [id, node] of nodes) node.start(controller.roles(id, instance), noDraw);
  for (const id of nodes.keys()) ask(id);
  for (now = 1; flights.length > 0; now++) {
    const arriving = flights;
    flights = [];
    for (const { to, event } of arriving) if (step(to, event)) ask(to);
  }
  return { mean: waited / permits, messagesPerPermit: messages / permits };
}
