/**
 * The channels of a world: for each ordered pair of nodes the sender's port, 0 where nodes have names, or `DOWN`.
 *
 * They are told to nodes one direction at a time where nodes have names; where they are anonymous a link comes and goes as a whole,
 * takes the ports asked for or the lowest free ones, and both its ends hear of it before anything else happens to them.
 */
import type { NodeId } from '../../machines/effects.js';
import { UsageError } from '../../machines/errors.js';
import type { LinksView } from '../../machines/protocol.js';
import type { System } from './system.js';

export const DOWN = -1;

export type Channels = readonly number[];

export function channelsAtStart({ protocol, instance, nodes }: System): Channels {
  const size = nodes.length;
  const channels = Array.from<number>({ length: size * size }).fill(DOWN);
  for (const node of nodes.keys()) channels[node * size + node] = 0;
  const put = (u: NodeId, v: NodeId, port: number) => void (channels[instance.rank(u) * size + instance.rank(v)] = port);
  for (const [u, v] of instance.topology.links) {
    put(u, v, 0);
    put(v, u, 0);
  }
  for (const [u, portOfU, v, portOfV] of protocol.ports?.(instance.options) ?? []) {
    put(u, v, portOfU);
    put(v, u, portOfV);
  }
  return channels;
}

/** The node that a port leads to, -1 where it leads nowhere; port 0 is the node itself. */
export function peerAt(channels: Channels, size: number, node: number, port: number): number {
  for (let peer = 0; peer < size; peer++)
    if (channels[node * size + peer] === port && (port === 0) === (peer === node)) return peer;
  return -1;
}

/** The channels with a link between two nodes, which takes the ports asked for or the lowest free ones. */
export function joined(channels: Channels, { nodes }: System, u: number, v: number, ports: readonly number[] = []): Channels {
  const size = nodes.length;
  const portAt = (node: number, wanted: number | undefined): number => {
    let lowest = 1;
    while (peerAt(channels, size, node, lowest) !== -1) lowest++;
    if (wanted !== undefined && peerAt(channels, size, node, wanted) !== -1) {
      throw new UsageError(`port ${wanted} of ${nodes[node]} can be in use when it is joined; free ports start at ${lowest}`);
    }
    return wanted ?? lowest;
  };
  return channels.with(u * size + v, portAt(u, ports[0])).with(v * size + u, portAt(v, ports[1]));
}

export function linksView(channels: Channels, { nodes, instance }: System): LinksView {
  const size = nodes.length;
  const port = (u: number, v: number) => (u === v ? DOWN : (channels[u * size + v] ?? DOWN));
  return {
    up: (from, to) => port(instance.rank(from), instance.rank(to)) !== DOWN,
    neighbours: (node) => nodes.filter((_, peer) => port(instance.rank(node), peer) !== DOWN),
    port: (node, peer) => Math.max(0, port(instance.rank(node), instance.rank(peer))),
  };
}
