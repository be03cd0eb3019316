/** The options of locks that survive failures, as a scenario gives them, checked and completed. */
import { holdOf, integer, oneOf, refuseUnknown, TICKS_MAX } from '../checks.js';
import type { NodeId } from '../effects.js';
import { electionOptions, type ElectionProtocolOptions } from '../election/options.js';
import { UsageError } from '../errors.js';
import type { Instance, Link, NetworkGraph } from '../protocol.js';
import { BOUNDS, byName, FLOOR_MAX, type EpochBounds } from './epoch.js';
import type { Memory } from './messages.js';

export interface LocksProtocolOptions {
  readonly election: ElectionProtocolOptions;
  /** Who takes locks and never votes. */
  readonly clients: readonly NodeId[];
  /** Who votes at first: everybody else, unless told; nobody is for a node that knows of no others yet. */
  readonly voters: readonly NodeId[];
  /** More than half of the voters; or, of tabs, whoever is there, and nobody is listed (rule 13). */
  readonly quorum: 'majority' | 'present';
  /** Who starts in the first epoch: all voters where they are all linked with each other, else nobody. */
  readonly members: readonly NodeId[];
  /** What the others remember of earlier promises. */
  readonly memory: Memory;
  /** The ticks that a write takes, where nodes have storage: they start again with what they had stored. */
  readonly storage: number | null;
  /** A number from the clock, for nodes that have forgotten. */
  readonly floor: number;
  readonly bounds: EpochBounds;
  /** True if a majority is asked before each grant, so that fences grow in real time (rule 10). */
  readonly confirm: boolean;
  /** In ticks. */
  readonly patience: number;
  readonly hold: number | null;
}

/** What the election under the locks takes for its own. Its nodes are ordered by name: no two of them need to know of the same ones. */
export const electionIn = (
  instance: Instance<LocksProtocolOptions>,
  options = instance.options.election,
): Instance<ElectionProtocolOptions> => ({
  ...instance,
  options,
  rank: (node) => Math.min(instance.rank(node), 0),
});

const KEYS = [
  'leader',
  'clients',
  'voters',
  'quorum',
  'memory',
  'storage',
  'floor',
  'grants',
  'locks',
  'bytes',
  'patience',
  'confirm',
  'hold',
] as const;

/** The lock of scenarios that name none. */
export const THE_LOCK = 'lock';

export function locksOptions(raw: Readonly<Record<string, unknown>>, graph: NetworkGraph): LocksProtocolOptions {
  refuseUnknown(raw, KEYS);
  const { nodes, links } = graph.topology;
  const clients = nodesOf(raw, 'clients', [], graph);
  const voters = votersOf(raw, graph, clients);
  const quorum = quorumOf(raw);
  const isBetweenVoters = ([u, v]: Link): boolean => voters.includes(u) && voters.includes(v);
  const between = links.filter(isBetweenVoters);
  const { leader = voters[0] ?? nodes[0] } = raw;
  return {
    election: electionOptions({ leader, clock: 'logical' }, { ...graph, topology: { nodes, links: between } }),
    clients,
    voters,
    quorum,
    members: 2 * between.length === voters.length * (voters.length - 1) ? voters.toSorted(byName) : [],
    memory: oneOf(raw, 'memory', ['known', 'new', 'forgotten'], 'new'),
    storage: raw['storage'] === undefined ? null : integer(raw, 'storage', { min: 1, max: TICKS_MAX }),
    floor: integer(raw, 'floor', { min: 0, max: FLOOR_MAX, fallback: 0 }),
    bounds: {
      grants: grantsOf(raw, clients),
      locks: integer(raw, 'locks', { min: 1, max: BOUNDS.locks, fallback: BOUNDS.locks }),
      bytes: integer(raw, 'bytes', { min: 1, fallback: BOUNDS.bytes }),
    },
    confirm: confirmOf(raw),
    patience: integer(raw, 'patience', { min: 1, max: TICKS_MAX, fallback: 1000 }),
    hold: holdOf(raw),
  };
}

/** Where those who are there are enough, nobody is outvoted: there is no list, no client, and nobody to confirm a grant. */
function quorumOf(raw: Readonly<Record<string, unknown>>): LocksProtocolOptions['quorum'] {
  const quorum = oneOf(raw, 'quorum', ['majority', 'present'], 'majority');
  const unused = ['clients', 'confirm', 'storage'].filter((key) => raw[key]);
  if (quorum === 'present' && unused.length > 0)
    throw new UsageError(`options.quorum "present" lets every connected voter vote. Omit ${unused.join(', ')}.`);
  return quorum;
}

/** One number is for a grant to a client that comes again as the epoch begins, and gives it back (rule 11). */
function grantsOf(raw: Readonly<Record<string, unknown>>, clients: readonly NodeId[]): number {
  const grants = integer(raw, 'grants', { min: 2, max: BOUNDS.grants, fallback: BOUNDS.grants });
  if (grants < 3 && clients.length > 0)
    throw new UsageError(
      `options.grants is ${grants}, too few with clients: a client might never be granted a lock. Use 3 or more.`,
    );
  return grants;
}

function confirmOf({ confirm = false }: Readonly<Record<string, unknown>>): boolean {
  if (typeof confirm !== 'boolean') throw new UsageError(`options.confirm is ${JSON.stringify(confirm)}. Use true or false.`);
  return confirm;
}

function votersOf(raw: Readonly<Record<string, unknown>>, graph: NetworkGraph, clients: readonly NodeId[]): readonly NodeId[] {
  const others = graph.topology.nodes.filter((node) => !clients.includes(node));
  const voters = nodesOf(raw, 'voters', others, graph);
  const both = voters.filter((node) => clients.includes(node));
  if (both.length > 0)
    throw new UsageError(
      `options.clients and options.voters both list ${both.join(', ')}. A client takes locks and does not vote: list each node once.`,
    );
  if (clients.length > 0 && voters.length === 0)
    throw new UsageError('options.clients leaves no voter. Clients need voters to take locks.');
  return voters;
}

function nodesOf(
  raw: Readonly<Record<string, unknown>>,
  key: 'clients' | 'voters',
  fallback: readonly NodeId[],
  { rank }: NetworkGraph,
): readonly NodeId[] {
  const { [key]: nodes = fallback } = raw;
  const isNode = (node: unknown) => typeof node === 'string' && rank(node) >= 0;
  if (!Array.isArray(nodes) || !nodes.every(isNode) || new Set(nodes).size < nodes.length)
    throw new UsageError(`options.${key} is ${JSON.stringify(nodes)}. List nodes of the topology, each once.`);
  return nodes;
}
