/** The options of locks that survive failures, as a scenario gives them, checked and completed. */
import { holdOf, integer, oneOf, refuseUnknown } from '../checks.js';
import type { NodeId } from '../effects.js';
import { electionCore } from '../election/index.js';
import type { ElectionOptions } from '../election/options.js';
import type { NetworkGraph } from '../protocol.js';
import { BOUNDS, byName, type EpochBounds } from './epoch.js';
import type { Memory } from './messages.js';

export interface LocksOptions {
  readonly election: ElectionOptions;
  /** Who starts in the first epoch: everybody where everybody is linked with everybody, else nobody. */
  readonly members: readonly NodeId[];
  /** What the others remember of earlier promises. */
  readonly memory: Memory;
  /** The ticks that a write takes, where nodes have storage: they start again with what they had stored. */
  readonly storage: number | null;
  /** A number from the clock, for nodes that have forgotten. */
  readonly floor: number;
  readonly bounds: EpochBounds;
  readonly early: number;
  /** In ticks. */
  readonly patience: number;
  readonly hold: number | null;
}

const KEYS = ['leader', 'memory', 'storage', 'floor', 'grants', 'locks', 'early', 'patience', 'hold'] as const;

/** The lock of scenarios that name none. */
export const THE_LOCK = 'lock';

/** Messages for an epoch to come; a member that sends more is out of its mind, or the epoch is. */
const EARLY_MAX = 10_000;

export function locksOptions(raw: Readonly<Record<string, unknown>>, graph: NetworkGraph): LocksOptions {
  refuseUnknown(raw, KEYS);
  const { nodes, links } = graph.topology;
  const leader = raw['leader'] === undefined ? {} : { leader: raw['leader'] };
  return {
    election: electionCore.options({ ...leader, clock: 'logical' }, graph),
    members: 2 * links.length === nodes.length * (nodes.length - 1) ? [...nodes].sort(byName) : [],
    memory: oneOf(raw, 'memory', ['known', 'new', 'forgotten'], 'new'),
    storage: raw['storage'] === undefined ? null : integer(raw, 'storage', { min: 1 }),
    floor: integer(raw, 'floor', { min: 0, fallback: 0 }),
    bounds: {
      grants: integer(raw, 'grants', { min: 2, max: BOUNDS.grants, fallback: BOUNDS.grants }),
      locks: integer(raw, 'locks', { min: 1, max: BOUNDS.locks, fallback: BOUNDS.locks }),
    },
    early: integer(raw, 'early', { min: 1, fallback: EARLY_MAX }),
    patience: integer(raw, 'patience', { min: 1, fallback: 1000 }),
    hold: holdOf(raw),
  };
}
