/** Checks the controller's options in a scenario and adds defaults. */
import { INTEGER_MAX, integer, isObject, nodeOf, oneOf, refuseUnknown, rootedTree, shortestPathTree } from '../checks.js';
import type { NodeId } from '../effects.js';
import { UsageError } from '../errors.js';
import type { NetworkGraph } from '../protocol.js';
import { choose } from './adaptive.js';
import { hierarchy, type Scale } from './bins.js';
import type { NodePart, Settings, Terms } from './messages.js';
import { firstPhase, joinScale, termsOf, type Phase, type PhaseRule } from './growth/phases.js';
import type { RootBudget } from './root.js';

export const controllerKinds = ['naive', 'bins', 'basic', 'main', 'modified', 'names', 'bank'] as const;
export type ControllerKind = (typeof controllerKinds)[number];

export interface ControllerOptions {
  /** Controller kind to run; `adaptive` has been resolved here. */
  readonly kind: ControllerKind;
  readonly adaptive: boolean;
  /** Permits at the start; a bank's opening balance. */
  readonly M: number;
  readonly W: number;
  /** Maximum number of participants, if the controller does not count them itself. */
  readonly U: number;
  readonly root: NodeId;
  /** Parents of the initial participants; the root is its own parent. */
  readonly parents: Readonly<Record<NodeId, NodeId>>;
  readonly depths: Readonly<Record<NodeId, number>>;
  readonly children: Readonly<Record<NodeId, readonly NodeId[]>>;
  /** Nodes of the topology that join under each node. */
  readonly vacant: Readonly<Record<NodeId, readonly NodeId[]>>;
  readonly settings: Settings;
  readonly terms: Terms;
  /** The root's account of phases, for kinds with changes. */
  readonly phase: Phase | null;
  /** The root's bin, for kinds without changes. */
  readonly budget: RootBudget | null;
}

type Raw = Readonly<Record<string, unknown>>;

export const CONTROLLER_KEYS = ['kind', 'M', 'W', 'U', 'root', 'parents', 'pipelined'] as const;

/** The kinds that count their nodes and let leaves join. */
export const growingKinds: readonly ControllerKind[] = ['main', 'modified', 'names', 'bank'];

export function controllerOptions(raw: Raw, graph: NetworkGraph): ControllerOptions {
  refuseUnknown(raw, CONTROLLER_KEYS);
  const asked = oneOf(raw, 'kind', [...controllerKinds, 'adaptive'] as const, 'basic');
  const M = integer(raw, 'M', { min: 0, max: INTEGER_MAX, ...(asked === 'names' || asked === 'bank' ? { fallback: 0 } : {}) });
  const W = integer(raw, 'W', { min: 0, max: INTEGER_MAX, fallback: 0 });
  if (W > M && asked !== 'bank')
    throw new UsageError(`options.W is ${W}, above M = ${M}. At most all permits can be wasted, so W is at most M.`);
  const tree = treeOf(raw, graph, asked === 'adaptive' || !growingKinds.includes(asked));
  const n = Object.keys(tree.parents).length;
  const U = integer(raw, 'U', { min: 1, fallback: n });
  if (U < n) throw new UsageError(`options.U is ${U}, too small for a tree of ${n} nodes. Use at least ${n}.`);
  const kind = asked === 'adaptive' ? choose({ M, W, U, depths: Object.values(tree.depths) }) : asked;
  const settings = settingsOf(raw, kind, asked === 'adaptive');
  return { kind, adaptive: asked === 'adaptive', M, W, U, ...tree, settings, ...startOf(kind, { M, W, U, n }) };
}

function settingsOf(raw: Raw, kind: ControllerKind, adaptive: boolean): Settings {
  const pipelined = raw['pipelined'] ?? false;
  if (typeof pipelined !== 'boolean')
    throw new UsageError(`options.pipelined is ${JSON.stringify(pipelined)}. Use true or false.`);
  const isFlat = kind === 'naive' || kind === 'bins';
  if (pipelined && (kind === 'names' || (isFlat && !adaptive)))
    throw new UsageError(
      `options.pipelined cannot be combined with kind "${kind}": ${isFlat ? 'its requests never wait for each other' : 'a bin contains one range of names'}. Omit it.`,
    );
  const parts: readonly NodePart[] = kind === 'bank' ? ['R', 'N', 'D'] : growingKinds.includes(kind) ? ['R', 'N'] : ['R'];
  return { parts, pipelined: pipelined || isFlat, echo: 'quiet' };
}

function ruleOf(kind: ControllerKind): PhaseRule {
  if (kind === 'modified') return 'halving';
  return kind === 'bank' ? 'bank' : 'main';
}

interface Sizes {
  readonly M: number;
  readonly W: number;
  readonly U: number;
  readonly n: number;
}

function startOf(kind: ControllerKind, { M, W, U, n }: Sizes): Pick<ControllerOptions, 'terms' | 'phase' | 'budget'> {
  if (growingKinds.includes(kind)) {
    const phase = firstPhase(ruleOf(kind), M, W, n, kind === 'names');
    return { phase, terms: termsOf(phase), budget: null };
  }
  const terms = { R: scaleOf(kind, W, U), N: joinScale(n), alive: true };
  return { phase: null, terms, budget: { permits: M, first: null, unserved: 'reject' } };
}

/** The local bins of the baselines: one permit at a time, or each node's share of the waste (E6). */
function scaleOf(kind: 'naive' | 'bins' | 'basic' | ControllerKind, W: number, U: number): Scale {
  if (kind === 'naive') return { flat: 1 };
  return kind === 'bins' ? { flat: Math.max(1, Math.floor(W / U)) } : hierarchy(W, U);
}

type Tree = Pick<ControllerOptions, 'root' | 'parents' | 'depths' | 'children' | 'vacant'>;

function treeOf(raw: Raw, graph: NetworkGraph, isWhole: boolean): Tree {
  const root = nodeOf(raw, 'root', graph, graph.topology.nodes[0]!);
  const given = raw['parents'];
  const parents = given === undefined ? shortestPathTree(root, graph) : readTree(given, root, graph, isWhole);
  const cut = isWhole ? graph.topology.nodes.find((node) => parents[node] === undefined) : undefined;
  if (cut !== undefined) throw new UsageError(`topology: node ${cut} cannot reach the root ${root}. Add a link.`);
  const children: Record<NodeId, NodeId[]> = {};
  for (const node of graph.topology.nodes) {
    const parent = parents[node];
    if (parent === undefined || node === root) continue;
    (children[parent] ??= []).push(node);
  }
  return { root, parents, children, depths: depthsOf(root, children), vacant: vacantOf(parents, root, graph) };
}

/** Reads a tree over links of the topology. If leaves can join, it may omit nodes. */
function readTree(given: unknown, root: NodeId, graph: NetworkGraph, isWhole: boolean): Readonly<Record<NodeId, NodeId>> {
  const nodes =
    isObject(given) && !isWhole ? graph.topology.nodes.filter((node) => Object.hasOwn(given, node)) : graph.topology.nodes;
  const parents = rootedTree(given, root, { ...graph, topology: { ...graph.topology, nodes } });
  const links = new Set(graph.topology.links.flatMap(([u, v]) => [`${u}\n${v}`, `${v}\n${u}`]));
  for (const node of nodes) {
    if (node !== root && !links.has(`${node}\n${parents[node]}`))
      throw new UsageError(
        `options.parents makes ${parents[node]} the parent of ${node}, but no link connects them. Add it to the topology.`,
      );
  }
  return parents;
}

function depthsOf(root: NodeId, children: Readonly<Record<NodeId, readonly NodeId[]>>): Record<NodeId, number> {
  const depths: Record<NodeId, number> = { [root]: 0 };
  const reached = [root];
  for (const node of reached) {
    for (const child of children[node] ?? []) {
      depths[child] = depths[node]! + 1;
      reached.push(child);
    }
  }
  return depths;
}

/** Each later node waits for the neighbor through which the root is nearest, so that only one node welcomes it. */
function vacantOf(parents: Readonly<Record<NodeId, NodeId>>, root: NodeId, graph: NetworkGraph): Record<NodeId, NodeId[]> {
  const vacant: Record<NodeId, NodeId[]> = {};
  const outside = graph.topology.nodes.filter((node) => parents[node] === undefined);
  if (outside.length === 0) return vacant;
  const nearest = shortestPathTree(root, graph);
  for (const node of outside) (vacant[nearest[node]!] ??= []).push(node);
  return vacant;
}
