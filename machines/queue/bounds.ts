/** Durations that the queue paper bounds, in ticks: how long a corrupted network needs to become legal again. */
import type { Instance } from '../protocol.js';
import type { QueueOptions } from './options.js';

/** Ticks between two heartbeats of the tree: half a round trip. */
export const beatTicks = ({ roundTrip }: QueueOptions): number => roundTrip / 2;

/** Ticks between two observations of an edge by its guardian. */
export const tauTicks = ({ roundTrip, tau }: QueueOptions): number => tau * roundTrip;

/** Corollary 6.8: an edge of an unchanged tree is fully legal after 3R + tau. */
export const stabilizationRoundTrips = ({ tau }: QueueOptions): number => 3 + tau;

/**
 * The same bound with the tree below. A hop of a heartbeat takes at most one beat and half a round trip. An invented root gains distance
 * with each hop and disappears after n of them, and the true tree is not deeper than n.
 */
export function convergenceTicks({ options, topology }: Instance<QueueOptions>): number {
  const queue = stabilizationRoundTrips(options) * options.roundTrip;
  if (options.tree === 'fixed') return queue;
  return queue + 2 * (topology.nodes.length + 1) * (beatTicks(options) + options.roundTrip / 2);
}
