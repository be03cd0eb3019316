/**
 * Nodes that a protocol brings in and the topology does not have.
 *
 * The network opens such a node when it is announced. The search has the same nodes in all its states, so that the first announcement
 * of a stranger raises `Newcomer`, and the search begins again with that node in it: from the first state on it is there as the
 * protocol starts it, linked to the node that will announce it, and nobody speaks to it before that.
 */
import type { NodeId } from '../../machines/effects.js';
import { UsageError } from '../../machines/errors.js';
import type { Instance } from '../../machines/protocol.js';
import { createMetric } from '../../network/topology/metric.js';

/** Who joins, and by whom each is brought in. */
export type Newcomers = ReadonlyMap<NodeId, NodeId>;

/** Each begins the search again, and a protocol may bring in nodes without end. */
const NEWCOMERS_MAX = 8;

/** Raised when a node is announced that the search does not have. */
export class Newcomer extends Error {
  constructor(
    readonly node: NodeId,
    readonly by: NodeId,
  ) {
    super(`${by} brings in ${node}`);
  }

  joining(others: Newcomers): Newcomers {
    const { node, by } = this;
    if (others.size < NEWCOMERS_MAX) return new Map([...others, [node, by]]);
    throw new UsageError(
      `more than ${NEWCOMERS_MAX} nodes join, the last one "${node}"; let fewer join, so that the search has an end`,
    );
  }
}

export function withNewcomers<O>(instance: Instance<O>, newcomers: Newcomers): Instance<O> {
  if (newcomers.size === 0) return instance;
  const { nodes, links } = instance.topology;
  const joined = [...newcomers].map(([node, by]) => [by, node, 1] as const);
  return { ...createMetric({ nodes: [...nodes, ...newcomers.keys()], links: [...links, ...joined] }), options: instance.options };
}
