/**
 * The node of a quota, a bank or a source of names: a resource controller over the peers. The tree is a star around the first peer by default.
 *
 * A peer that calls `leave` (quotas only) returns its permits. A peer that closes, crashes or is suspected loses the contents of its bins
 * (its local stock), and the others continue without it. The peers below it in the tree are disconnected, and their requests fail.
 *
 * A lost peer cannot return to the group. To include it again, create the object on all peers with a new `name`. The `patience` of the
 * transport must be longer than any pause of a process.
 */
import { controllerCore } from '../../machines/controller/index.js';
import type { ControllerOptions } from '../../machines/controller/options.js';
import type { Message, NodeId } from '../../machines/effects.js';
import { UsageError } from '../../machines/errors.js';
import type { Inspect } from '../../network/world/kernel.js';
import type { InEnvironment } from '../environment.js';
import { createNode, type LiveNode } from '../node/node.js';
import { nodeOnLink } from '../links.js';
import type { Transport } from '../transports/transport.js';

export interface PeersOptions extends InEnvironment {
  /** The transport. The node connects it, and its creator closes it. */
  readonly transport: Transport;
  /** All participants, including this peer. All peers must pass the same list, in any order. */
  readonly peers: readonly NodeId[];
  /**
   * Name of the group; only peers with the same name belong together.
   *
   * @defaultValue a name for each kind of object
   */
  readonly name?: string;
  /**
   * The parent of every peer; the root is its own parent.
   *
   * @defaultValue a star around the first peer
   */
  readonly parents?: Readonly<Record<NodeId, NodeId>>;
  /** An observer of the node's live actors, as in XState. */
  readonly inspect?: Inspect | undefined;
}

export function createControllerNode(
  given: PeersOptions,
  options: Readonly<Record<string, unknown>>,
  nextCommand?: () => Message | null,
): LiveNode<ControllerOptions> {
  const { peers, name, parents, inspect, clock, crypto } = given;
  const nodes = [...new Set(peers)].sort();
  if (!nodes.includes(given.transport.id))
    throw new UsageError(`peer "${given.transport.id}" is missing in peers (${nodes.join(', ')}). Add it.`);
  const tree = parents ?? Object.fromEntries(nodes.map((peer) => [peer, nodes[0]!]));
  const root = nodes.find((peer) => tree[peer] === peer);
  if (root === undefined) throw new UsageError('parents has no root. Map one of the peers to itself.');
  const how = {
    protocol: controllerCore,
    topology: { nodes, links: nodes.filter((peer) => peer !== root).map((peer) => [tree[peer] ?? root, peer, 1] as const) },
    options: { ...options, root, parents: tree },
    inspect,
    clock,
    crypto,
    ...(name === undefined ? {} : { name }),
    ...(nextCommand ? { nextCommand } : {}),
  };
  return nodeOnLink('the node', given, (transport) => createNode({ transport, ...how })).node;
}

export function requireAmount(amount: number): void {
  if (!Number.isSafeInteger(amount) || amount < 1)
    throw new UsageError(`Invalid amount: ${amount}. Pass an integer of at least 1.`);
}
