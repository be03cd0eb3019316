/**
 * The node of a distributed queue: the self-stabilizing queue over a star of the peers around the first one.
 *
 * The queue assumes a bound on the time of messages: within `roundTripMs`, every message must arrive and be answered. By default, the link
 * layer reports a silent peer after at most 3.6 seconds, and then its messages are lost. So ten seconds are enough for both directions.
 */
import type { RunningCore } from '../../machines/core.js';
import type { NodeId } from '../../machines/effects.js';
import { UsageError } from '../../machines/errors.js';
import { RUNS_MAX, type PlacesOptions } from '../../machines/queue/applications/core.js';
import type { Core } from '../../machines/protocol.js';
import type { Inspect } from '../../network/world/kernel.js';
import type { InEnvironment } from '../environment.js';
import { nodeOnLink } from '../links.js';
import { networkGraphOf } from '../node/graph.js';
import { LiveNode } from '../node/node.js';
import { anything, checkOptions, environment, optional, peers, someText, transport, wholeNumberOf } from '../options.js';
import type { Transport } from '../transports/transport.js';

/**
 * Options for `createQueue` and `createMulticast`. All peers pass the same `peers` and `roundTripMs`.
 *
 * @public
 */
export interface QueuePeersOptions extends InEnvironment {
  /** Transport that the object connects. Its creator closes it. */
  readonly transport: Transport;
  /** Ids of all participants, including this one. All peers pass the same list, in any order. */
  readonly peers: readonly NodeId[];
  /** Name of the queue. Only peers with the same name belong together. @defaultValue `queue` or `multicast` */
  readonly name?: string;
  /**
   * Milliseconds within which each message arrives and is answered. The queue repairs itself within five times this after the last fault.
   * Choose more than twice the time after which the link reports a silent peer. @defaultValue 10000
   */
  readonly roundTripMs?: number;
  /** Observer of the node's live actors, as in XState. */
  readonly inspect?: Inspect | undefined;
}

const ROUND_TRIP_MS = 10_000;

const CHECKS = {
  transport,
  peers,
  name: optional(someText),
  roundTripMs: optional(wholeNumberOf('milliseconds')),
  inspect: optional(anything),
  ...environment,
};

/** Creates the node of `createQueue` or `createMulticast`. */
export function createQueueNode(who: string, given: QueuePeersOptions, protocol: Core<PlacesOptions>): LiveNode<PlacesOptions> {
  checkOptions(who, given, CHECKS);
  const { roundTripMs = ROUND_TRIP_MS, name = protocol.name, inspect, clock, crypto } = given;
  const nodes = [...given.peers].sort();
  const root = nodes[0]!;
  if (!nodes.includes(given.transport.id))
    throw new UsageError(`peer "${given.transport.id}" is missing in peers (${nodes.join(', ')}). Add it.`);
  const topology = { nodes, links: nodes.filter((peer) => peer !== root).map((peer) => [root, peer, 1] as const) };
  const options = { root, runs: RUNS_MAX, log: false };
  const graph = { ...networkGraphOf(protocol, topology), roundTrip: roundTripMs };
  const instance = { ...graph, options: protocol.options(options, graph) };
  const how = { protocol: protocol as RunningCore<PlacesOptions>, topology, options, name, inspect, clock, crypto };
  return nodeOnLink(who, given, (transport) => new LiveNode<PlacesOptions>({ transport, ...how }, instance)).node;
}
