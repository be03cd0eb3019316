/** The options of locks that survive failures, as a scenario gives them, checked and completed. */
import { holdOf, integer, refuseUnknown } from '../checks.js';
import type { NodeId } from '../effects.js';
import { electionCore, type ElectionOptions } from '../election/index.js';
import type { NetworkGraph } from '../protocol.js';

export interface LocksOptions {
  readonly election: ElectionOptions;
  /** No lower than any epoch that an earlier run has promised. */
  readonly epoch: number;
  /** Who starts in that epoch: everybody where everybody is linked with everybody, else nobody. */
  readonly members: readonly NodeId[];
  readonly hold: number | null;
}

const KEYS = ['leader', 'epoch', 'hold'] as const;

/** The lock of scenarios, which have one. */
export const THE_LOCK = 'lock';

export function locksOptions(raw: Readonly<Record<string, unknown>>, graph: NetworkGraph): LocksOptions {
  refuseUnknown(raw, KEYS);
  const { nodes, links } = graph.topology;
  const leader = raw['leader'] === undefined ? {} : { leader: raw['leader'] };
  return {
    election: electionCore.options({ ...leader, clock: 'logical' }, graph),
    epoch: integer(raw, 'epoch', { min: 0, fallback: 0 }),
    members: 2 * links.length === nodes.length * (nodes.length - 1) ? [...nodes].sort((a, b) => (a < b ? -1 : 1)) : [],
    hold: holdOf(raw),
  };
}
