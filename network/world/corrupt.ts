/** Applies a corruption to a world: the chosen nodes get arbitrary states, and the channels between them get arbitrary messages. */
import type { NodeId } from '../../machines/effects.js';
import type { Choose } from '../../machines/protocol.js';
import type { World } from './world.js';

/**
 * Arbitrary messages in flight on every channel between two of the nodes, then arbitrary typed states for the nodes: the state after
 * the last node's step is the corrupt one, whole.
 */
export function corrupt(world: World, nodes: readonly NodeId[], choose: Choose): void {
  const { links, traffic, frame } = world;
  const { corruption } = frame.protocol;
  if (!corruption) return;
  const instance = { ...frame.instance, topology: links.topology(frame.instance.topology.nodes) };
  const chosen = new Set(nodes);
  for (const from of nodes) {
    for (const to of links.neighbors(from)) {
      if (!chosen.has(to)) continue;
      const messages = corruption.channel(from, to, instance, choose);
      traffic.empty(from, to);
      for (const message of messages) traffic.place(from, to, message, links.weight(from, to), 'its way');
    }
  }
  for (const node of nodes) {
    const { roles, timers } = corruption.node(node, instance, choose);
    world.put(node, 'corrupt', roles, timers);
  }
}
