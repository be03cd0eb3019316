/**
 * The current links: every direction has its own status, and with anonymous nodes every link has a port at each end.
 *
 * A join brings up each direction that is down, a cut takes down each that is up. If nodes have names, the two directions are two channels,
 * and each end is notified separately. Between ports a link changes as a whole, for both ends before either is notified.
 */
import type { NodeId } from '../../machines/effects.js';
import { UsageError } from '../../machines/errors.js';
import type { LinksView, PortedLink, Topology } from '../../machines/protocol.js';

interface Channel {
  up: boolean;
  weight: number;
  /** Port of the sender, 0 without ports. */
  port: number;
}

/** One direction of a link that came up or went down. */
export interface ChannelChange {
  readonly from: NodeId;
  readonly to: NodeId;
  readonly up: boolean;
}

/** The smallest port number that is not in use. */
export function lowestFreePort(isInUse: (port: number) => boolean): number {
  let port = 1;
  while (isInUse(port)) port++;
  return port;
}

export class Links implements LinksView {
  private readonly channels = new Map<NodeId, Map<NodeId, Channel>>();
  /** Observers of changes of channels. */
  private readonly followers: ((from: NodeId, to: NodeId) => void)[] = [];

  constructor(topology: Topology, ports?: readonly PortedLink[]) {
    for (const node of topology.nodes) this.channels.set(node, new Map());
    for (const [u, v, weight] of topology.links) this.add(u, v, weight);
    for (const [u, portOfU, v, portOfV] of ports ?? []) {
      this.channels.get(u)!.get(v)!.port = portOfU;
      this.channels.get(v)!.get(u)!.port = portOfV;
    }
  }

  private add(u: NodeId, v: NodeId, weight: number): void {
    this.channels.get(u)!.set(v, { up: true, weight, port: 0 });
    this.channels.get(v)!.set(u, { up: true, weight, port: 0 });
    this.notify(u, v);
    this.notify(v, u);
  }

  /** Reports all channels, then each one that comes up, goes down or changes its port. */
  follow(follower: (from: NodeId, to: NodeId) => void): void {
    for (const [from, channels] of this.channels) for (const to of channels.keys()) follower(from, to);
    this.followers.push(follower);
  }

  private notify(from: NodeId, to: NodeId): void {
    for (const follower of this.followers) follower(from, to);
  }

  copy(): Links {
    return this.renamed((node) => node);
  }

  /** The same links between nodes of other names. */
  renamed(name: (node: NodeId) => NodeId): Links {
    const copy = new Links({ nodes: [], links: [] });
    for (const [node, channels] of this.channels)
      copy.channels.set(name(node), new Map([...channels].map(([peer, channel]) => [name(peer), { ...channel }])));
    return copy;
  }

  /** A node that comes during the run, with its link to a node that is there. */
  addNode(node: NodeId, peer: NodeId): void {
    this.channels.set(node, new Map());
    this.add(node, peer, 1);
  }

  up(from: NodeId, to: NodeId): boolean {
    return this.channels.get(from)?.get(to)?.up ?? false;
  }

  neighbors(node: NodeId): readonly NodeId[] {
    const peers: NodeId[] = [];
    this.channels.get(node)?.forEach(({ up }, peer) => up && peers.push(peer));
    return peers;
  }

  weight(from: NodeId, to: NodeId): number {
    return this.channels.get(from)?.get(to)?.weight ?? 1;
  }

  port(node: NodeId, peer: NodeId): number {
    return this.channels.get(node)?.get(peer)?.port ?? 0;
  }

  /** The node at the other end of a port; port 0 is the node itself. */
  peerAt(node: NodeId, port: number): NodeId | undefined {
    if (port === 0) return node;
    for (const [peer, channel] of this.channels.get(node) ?? []) if (channel.up && channel.port === port) return peer;
    return undefined;
  }

  /** Brings one direction up or down; false when it was so already. */
  set(from: NodeId, to: NodeId, up: boolean): boolean {
    const channels = this.channels.get(from)!;
    const channel = channels.get(to);
    if ((channel?.up ?? false) === up) return false;
    if (channel) channel.up = up;
    else channels.set(to, { up, weight: 1, port: 0 });
    this.notify(from, to);
    return true;
  }

  /** The port that a link has taken at one of its ends. */
  plugIn(node: NodeId, peer: NodeId, port: number): void {
    this.channels.get(node)!.get(peer)!.port = port;
    this.notify(node, peer);
  }

  /** Returns what a join brings up: both directions, one, or none. Between ports, the link first takes a port at each end. */
  prepareJoin(u: NodeId, v: NodeId, weight: number, ports: readonly [number, number] | undefined, isAnonymous: boolean): void {
    if (isAnonymous && !this.up(u, v) && !this.up(v, u)) this.assignPorts(u, v, ports);
    this.setWeight(u, v, weight);
  }

  setWeight(u: NodeId, v: NodeId, weight: number): void {
    for (const [from, to] of [
      [u, v],
      [v, u],
    ] as const) {
      const channel = this.channels.get(from)!.get(to);
      if (channel) channel.weight = weight;
      else this.channels.get(from)!.set(to, { up: false, weight, port: 0 });
    }
  }

  /** Gives a new link its ports: those asked for, else the lowest free one at each end. Refuses a port in use. */
  private assignPorts(u: NodeId, v: NodeId, wanted?: readonly [number, number]): void {
    const at = (node: NodeId, port: number | undefined): number => {
      const isInUse = (candidate: number) => this.peerAt(node, candidate) !== undefined;
      const lowest = lowestFreePort(isInUse);
      if (port !== undefined && isInUse(port)) {
        throw new UsageError(`Port ${port} of ${node} is in use. Free ports start at ${lowest}.`);
      }
      return port ?? lowest;
    };
    const [portOfU, portOfV] = [at(u, wanted?.[0]), at(v, wanted?.[1])];
    this.channels.get(u)!.set(v, { up: false, weight: this.weight(u, v), port: portOfU });
    this.channels.get(v)!.set(u, { up: false, weight: this.weight(v, u), port: portOfV });
    this.notify(u, v);
    this.notify(v, u);
  }

  /** The links of which at least one direction is up, for the metric of routed messages. */
  topology(nodes: readonly NodeId[]): Topology {
    const links = nodes.flatMap((u) =>
      [...this.channels.get(u)!]
        .filter(([v, { up }]) => (up && u < v) || (up && !this.up(v, u)))
        .map(([v, { weight }]) => [u, v, weight] as const),
    );
    return { nodes, links };
  }
}
