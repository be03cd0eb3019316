/** Options of locks in a scenario: types, checks and defaults. */
import { holdOf, integer, oneOf, refuseUnknown, TICKS_MAX } from '../checks.js';
import type { NodeId } from '../effects.js';
import { electionOptions, type ElectionProtocolOptions } from '../election/options.js';
import { UsageError } from '../errors.js';
import type { Instance, Link, NetworkGraph } from '../protocol.js';
import { BOUNDS, byName, FLOOR_MAX, type EpochBounds } from './epoch.js';
import type { Memory } from './messages.js';

export interface LocksProtocolOptions {
  readonly election: ElectionProtocolOptions;
  /**
   * Nodes that use locks and never vote.
   *
   * @defaultValue none
   */
  readonly clients: readonly NodeId[];
  /**
   * Voters at the first start. An empty list is for a node that does not know of any others yet.
   *
   * @defaultValue all nodes that are not clients
   */
  readonly voters: readonly NodeId[];
  /** `majority`: more than half of the voters. `present`: all connected nodes, without a list of voters (rule 13). */
  readonly quorum: 'majority' | 'present';
  /** Members of the first epoch: all voters if they are all linked with each other; otherwise none, and the first epoch has to begin. */
  readonly members: readonly NodeId[];
  /** The other nodes' memory of earlier promises. */
  readonly memory: Memory;
  /** The ticks that a write takes. Nodes with storage restart with what they had stored. `null`: no storage. */
  readonly storage: number | null;
  /** A number from the clock, for nodes that have forgotten their promises. */
  readonly floor: number;
  readonly bounds: EpochBounds;
  /** True if a majority confirms each grant, so that fences grow in real time (rule 10). */
  readonly confirm: boolean;
  /** Patience, in ticks. */
  readonly patience: number;
  readonly hold: number | null;
}

/** The options of the election under the locks. Its nodes are ordered by name, so two nodes may know different peers. */
export const electionIn = (
  instance: Instance<LocksProtocolOptions>,
  options = instance.options.election,
): Instance<ElectionProtocolOptions> => ({ ...instance, options, rank: (node) => Math.min(instance.rank(node), 0) });

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

/** The lock that a scenario's commands use if they name none. */
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

/** Checks the options against the quorum: `present` has neither voters in a list, nor clients, nor a majority to confirm a grant. */
function quorumOf(raw: Readonly<Record<string, unknown>>): LocksProtocolOptions['quorum'] {
  const quorum = oneOf(raw, 'quorum', ['majority', 'present'], 'majority');
  const unused = ['clients', 'confirm', 'storage'].filter((key) => raw[key]);
  if (quorum === 'present' && unused.length > 0)
    throw new UsageError(`options.quorum "present" lets every connected voter vote. Omit ${unused.join(', ')}.`);
  return quorum;
}

/** Reserves one fence for a grant to a client that attaches again as the epoch begins, and gives the lock back (rule 11). */
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
