/** Checks the directory's options in a scenario and adds defaults. */
import type { NodeId } from '../effects.js';
import { UsageError } from '../errors.js';
import { holdOf, integer, nodeOf, oneOf, refuseUnknown, rootedTree } from '../checks.js';
import type { NetworkGraph } from '../protocol.js';
import { policies, type Policy } from './policies.js';
import { startTree, startTrees } from './start-trees.js';
import { ringBridge, sidesOf } from './ring-bridge.js';

export interface DirectoryOptions {
  readonly policy: Policy;
  /** Initial holder of the token. */
  readonly root: NodeId;
  readonly parents: Readonly<Record<NodeId, NodeId>>;
  /** Node whose pointer is the bridge; `null` for other policies. */
  readonly bridgeOwner: NodeId | null;
  /** Side of the ring of each node; `null` for other policies. */
  readonly sides: Readonly<Record<NodeId, 'A' | 'B'>> | null;
  /** Ticks after which a grant is released automatically; `null` leaves that to events. */
  readonly hold: number | null;
  /** Maximum number of requests of one node that one token satisfies. */
  readonly together: number;
}

const KEYS = ['policy', 'root', 'parents', 'tree', 'bridgeOwner', 'hold', 'together'] as const;

/** Checks the options and adds defaults. `own` contains the names of custom policies. */
export function directoryOptions(
  raw: Readonly<Record<string, unknown>>,
  graph: NetworkGraph,
  own: readonly string[] = [],
): DirectoryOptions {
  refuseUnknown(raw, KEYS);
  const policy = oneOf(raw, 'policy', [...policies, ...(own as readonly Policy[])], 'arrow');
  const common = { policy, hold: holdOf(raw), together: integer(raw, 'together', { min: 1, fallback: 1 }) };
  if (policy === 'bridge') return { ...common, ...bridgeStart(raw, graph) };
  if (raw['bridgeOwner'] !== undefined && raw['bridgeOwner'] !== null) {
    throw new UsageError(`options.bridgeOwner needs policy "bridge", not "${policy}". Omit it.`);
  }
  return { ...common, ...treeStart(raw, graph), bridgeOwner: null, sides: null };
}

function treeStart(raw: Readonly<Record<string, unknown>>, graph: NetworkGraph) {
  const root = nodeOf(raw, 'root', graph, graph.topology.nodes[0]!);
  if (raw['parents'] === undefined) return { root, parents: startTree(oneOf(raw, 'tree', startTrees, 'shortest'), root, graph) };
  if (raw['tree'] !== undefined) throw new UsageError('options.tree and options.parents cannot be combined. Omit one of them.');
  return { root, parents: rootedTree(raw['parents'], root, graph) };
}

function bridgeStart(raw: Readonly<Record<string, unknown>>, graph: NetworkGraph) {
  if (raw['tree'] !== undefined)
    throw new UsageError('options.tree cannot be combined with policy "bridge". Omit it, or set options.parents.');
  if (raw['parents'] === undefined && raw['root'] === undefined && raw['bridgeOwner'] === undefined) {
    const start = ringBridge(graph.topology);
    return { ...start, sides: sidesOf(start.parents, start.bridgeOwner) };
  }
  const { root, parents } = treeStart(raw, graph);
  const bridgeOwner = nodeOf(raw, 'bridgeOwner', graph, '');
  if (bridgeOwner === root) {
    throw new UsageError(`options.bridgeOwner is the root ${root}, whose pointer is a self-loop. Choose a node with a parent.`);
  }
  return { root, parents, bridgeOwner, sides: sidesOf(parents, bridgeOwner) };
}
