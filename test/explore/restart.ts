/**
 * Restarts of a search.
 *
 * A search starts with assumptions that keep its states few: nothing reads the sender of a message, every list of nodes is a set, and no
 * node joins during a run. Charts are code, so an assumption can only be checked by running them. When a step or a property contradicts
 * one, the states found so far are wrong. The code that notices this throws a `Restart`; `attempted()` in `examine.ts` catches it, adds the
 * new fact to `Known`, and searches again from the start. Facts are only added and there are few of them, so the last search completes.
 */
import type { NodeId } from '../../machines/effects.js';
import { UsageError } from '../../machines/errors.js';
import type { Instance } from '../../machines/protocol.js';
import { createMetric } from '../../network/topology/metric.js';

/** Nodes that join during a run, each with the node that announces it. */
export type Newcomers = ReadonlyMap<NodeId, NodeId>;

/** Facts about charts and properties that earlier attempts of the same search have learned. */
export interface Known {
  /** Types of messages whose sender is read. */
  readonly sendersRead: Set<string>;
  /** Keys of lists of nodes whose order is significant. */
  readonly ordered: Set<string>;
  newcomers: Newcomers;
}

export const nothingKnown = (): Known => ({ sendersRead: new Set(), ordered: new Set(), newcomers: new Map() });

/** Thrown when a search must start again, with the new fact. */
export class Restart extends Error {
  constructor(
    message: string,
    /** Adds the new fact. */
    readonly learn: (known: Known) => void,
  ) {
    super(message);
  }
}

/** A chart or a property has read the sender of a message, so states must contain the senders of this type (`packets.ts`). */
export const senderIsRead = (type: string): Restart =>
  new Restart(`the sender of "${type}" is read`, (known) => void known.sendersRead.add(type));

/** A list of nodes under this key is not in the order of the topology, so lists must not be treated as sets (`renaming.ts`). */
export const orderMatters = (key: string): Restart =>
  new Restart(`the order of "${key}" is significant`, (known) => void known.ordered.add(key));

/** A protocol may announce new nodes without end, and each one restarts the search. */
const NEWCOMERS_MAX = 8;

/**
 * A notification announces a node that the topology does not contain. A network would open the node now. All states of a search have the
 * same nodes, so the next attempt contains the node from the start, linked to `by`, and no message reaches it before the announcement.
 */
export const nodeJoins = (node: NodeId, by: NodeId): Restart =>
  new Restart(`${by} announces ${node}`, (known) => {
    if (known.newcomers.size === NEWCOMERS_MAX) {
      throw new UsageError(
        `More than ${NEWCOMERS_MAX} nodes join during the search, the last one "${node}". Choose commands and options that let at most ${NEWCOMERS_MAX} nodes join.`,
      );
    }
    known.newcomers = new Map([...known.newcomers, [node, by]]);
  });

/** An instance with these nodes added, each linked to the node that announces it. */
export function withNewcomers<O>(instance: Instance<O>, newcomers: Newcomers): Instance<O> {
  if (newcomers.size === 0) return instance;
  const { nodes, links } = instance.topology;
  const joined = [...newcomers].map(([node, by]) => [by, node, 1] as const);
  return { ...createMetric({ nodes: [...nodes, ...newcomers.keys()], links: [...links, ...joined] }), options: instance.options };
}
