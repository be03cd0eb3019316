/** The graph that a node in an application takes its topology for. */
import type { Core, NetworkGraph, Topology } from '../../machines/protocol.js';
import { createMetric } from '../../network/topology/metric.js';
import { isId } from '../transports/ids.js';

/** Where a protocol is open, everybody may take part, and none has a rank of its own: no two nodes need to know of the same ones. */
export function graphOf({ network }: Core, topology: Topology): NetworkGraph {
  const metric = createMetric(topology);
  return network.isOpen ? { ...metric, rank: (node) => (isId(node) ? 0 : -1) } : metric;
}
