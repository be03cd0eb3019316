/** A number for each channel, which identifies it and defines its order within one tick. */
import type { NodeId } from '../../machines/effects.js';
import type { Instance } from '../../machines/protocol.js';

/** By receiver, then by sender. Channels of nodes that are added during the run follow, in the order of their first use. */
export function channelNumbers({ rank, topology }: Instance): (from: NodeId, to: NodeId) => number {
  const size = topology.nodes.length;
  const later = new Map<string, number>();
  const numberLater = (key: string): number => {
    if (!later.has(key)) later.set(key, 1 + size * size + later.size);
    return later.get(key)!;
  };
  return (from, to) => {
    const [receiver, sender] = [rank(to), rank(from)];
    return receiver >= 0 && sender >= 0 ? 1 + receiver * size + sender : numberLater(`${from}\n${to}`);
  };
}
