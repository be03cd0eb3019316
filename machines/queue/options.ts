/** Checks the queue's options in a scenario, adds defaults and builds the initial tree. */
import { nodeOf, oneOf, refuseUnknown, rootedTree, shortestPathTree, TICKS_MAX } from '../checks.js';
import type { NodeId } from '../effects.js';
import { UsageError } from '../errors.js';
import type { NetworkGraph } from '../protocol.js';
import { breadthFirst, type TreeLevels } from '../tree/breadth-first.js';

type Raw = Readonly<Record<string, unknown>>;

export interface QueueOptions {
  readonly tree: 'fixed' | 'stabilizing';
  /** Root of the tree and initial end of the queue. In a stabilizing tree it has the smallest identity. */
  readonly root: NodeId;
  /** Initial tree; a root is its own parent. */
  readonly parents: Readonly<Record<NodeId, NodeId>>;
  readonly children: Readonly<Record<NodeId, readonly NodeId[]>>;
  /** Initial state of the stabilizing tree; `null` for a fixed one. */
  readonly levels: TreeLevels | null;
  /** Period of the guardians' timers, in round trips. */
  readonly tau: number;
  /** Definition of a fully legal edge. `printed`: Definition 6.1, which omits the timer and is not closed (erratum S5). */
  readonly legality: 'settled' | 'printed';
  /** R, in ticks: the maximum time of a message over one link plus its answer. */
  readonly roundTrip: number;
}

const KEYS = ['root', 'tree', 'parents', 'tau', 'legality'] as const;

/** R if time is not modeled; its value does not matter then. */
const UNTIMED_ROUND_TRIP = 2;

export function queueOptions(raw: Raw, graph: NetworkGraph): QueueOptions {
  refuseUnknown(raw, KEYS);
  const tree = oneOf(raw, 'tree', ['fixed', 'stabilizing'], 'fixed');
  const root = nodeOf(raw, 'root', graph, graph.topology.nodes[0]!);
  const legality = oneOf(raw, 'legality', ['settled', 'printed'], 'settled');
  const roundTrip = roundTripOf(graph);
  const common = { tree, root, tau: tauOf(raw, roundTrip), legality, roundTrip };
  if (tree === 'fixed') {
    const parents = fixedTree(raw, root, graph);
    return { ...common, parents, children: childrenIn(parents, graph), levels: null };
  }
  if (raw['parents'] !== undefined) {
    throw new UsageError('options.parents needs tree "fixed": a stabilizing tree computes its own parents. Omit one of them.');
  }
  const levels = breadthFirst(root, graph);
  return { ...common, parents: levels.parents, children: childrenIn(levels.parents, graph), levels };
}

function tauOf(raw: Raw, roundTrip: number): number {
  const tau = raw['tau'] ?? 2;
  if (typeof tau === 'number' && tau >= 2 && tau * roundTrip <= TICKS_MAX) return tau;
  throw new UsageError(
    `options.tau is ${JSON.stringify(tau)}. Use a number of round trips from 2, so that an observer returns before the next one starts, to at most ${TICKS_MAX} ticks.`,
  );
}

/** Reads R, which is at least one tick: a latency of 0 would let a timer fire forever within one tick. */
function roundTripOf({ roundTrip = UNTIMED_ROUND_TRIP }: NetworkGraph): number {
  if (roundTrip < Infinity) return Math.max(1, roundTrip);
  throw new UsageError(
    'network.latency has no upper bound, but the queue needs its longest round trip. Use a constant, {"min", "max"} or "weight".',
  );
}

function fixedTree(raw: Raw, root: NodeId, graph: NetworkGraph): Readonly<Record<NodeId, NodeId>> {
  const { topology } = graph;
  if (raw['parents'] === undefined) {
    const parents = shortestPathTree(root, graph);
    const cutOff = topology.nodes.find((node) => !(node in parents));
    if (cutOff === undefined) return parents;
    throw new UsageError(`Node ${cutOff} cannot reach the root ${root}. Connect the topology, or use tree "stabilizing".`);
  }
  const parents = rootedTree(raw['parents'], root, graph);
  const linked = new Set(topology.links.flatMap(([a, b]) => [`${a} ${b}`, `${b} ${a}`]));
  for (const [child, parent] of Object.entries(parents)) {
    if (child !== root && !linked.has(`${child} ${parent}`)) {
      throw new UsageError(
        `options.parents makes ${parent} the parent of ${child}, but no link connects them. Use only links of the topology.`,
      );
    }
  }
  return parents;
}

function childrenIn(parents: Readonly<Record<NodeId, NodeId>>, { topology }: NetworkGraph): Record<NodeId, NodeId[]> {
  const children: Record<NodeId, NodeId[]> = Object.fromEntries(topology.nodes.map((node) => [node, []]));
  for (const node of topology.nodes) if (parents[node] !== node) children[parents[node]!]!.push(node);
  return children;
}
