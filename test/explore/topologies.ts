/**
 * All small networks: every connected graph, but only one of several that differ only in the names of their nodes.
 *
 * Two graphs count as one if renaming the nodes of the first (except those that must keep their names) gives the second, and the
 * protocol starts alike on both. If it does not, because it compares identities or builds a tree by the order of the nodes, names matter and
 * both graphs are kept.
 */
import type { NodeId } from '../../machines/effects.js';
import { UsageError } from '../../machines/errors.js';
import type { NetworkGraph, Protocol, Topology } from '../../machines/protocol.js';
import { createHost } from '../../network/world/hosts.js';
import { Node } from '../../network/world/node.js';
import { createMetric } from '../../network/topology/metric.js';
import { everyDraw } from './draws.js';
import { jsonKey } from './json.js';
import { everyOrder } from './orders.js';
import { Renaming } from './renaming.js';

/** There are 21 graphs of five nodes, 112 of six and 853 of seven, and each needs its own search. */
const NODES_MAX = 5;

/** Protocol and nodes for which `everyTopology` decides whether two networks are the same. */
export interface Scope {
  readonly protocol: Protocol;
  /** @defaultValue `{}` */
  readonly options?: Readonly<Record<string, unknown>>;
  /** Nodes whose names are used elsewhere, for example in commands. */
  readonly fixed?: readonly NodeId[];
}

/**
 * Lists the connected graphs of `n` nodes `n0`, `n1` and so on, with links of weight 1: one of several that differ only in names.
 *
 * @param n the number of nodes, from 1 to 5.
 * @param scope the protocol and its options, which determine whether names matter, and the nodes that must keep their names.
 * @returns the topologies.
 * @throws UsageError for any other `n`.
 * @example
 * ```ts
 * import { directory } from 'xstate-quiver/machines';
 * import { everyTopology, explore } from 'xstate-quiver/check';
 *
 * const verdicts = everyTopology(3, { protocol: directory }).map((topology) => explore(directory, { topology, commands: 'unlimited' }).verdict);
 * console.log(verdicts);
 * ```
 * @public
 */
export function everyTopology(n: number, { protocol, options = {}, fixed = [] }: Scope): Topology[] {
  if (!Number.isSafeInteger(n) || n < 1 || n > NODES_MAX) {
    throw new UsageError(`Cannot list all graphs of ${n} nodes. Pass a number from 1 to ${NODES_MAX}.`);
  }
  const renamings = [...everyOrder([...Array(n).keys()])].filter((to) =>
    to.every((place, i) => place === i || !fixed.includes(`n${i}`)),
  );
  const kept = new Map<string, { readonly topology: Topology; readonly starts: readonly string[] }>();
  const seen = new Map<string, readonly { readonly topology: Topology; readonly to: readonly number[] }[]>();
  for (const topology of connectedGraphs(n)) {
    const starts = startsOf(topology, protocol, options);
    const isKnown = (seen.get(textOf(topology)) ?? []).some(({ topology: known, to }) =>
      startsOf(known, protocol, options, to).every((start, i) => start === starts[i]),
    );
    if (isKnown) continue;
    kept.set(textOf(topology), { topology, starts });
    for (const to of renamings) {
      const image = textOf(renamed(topology, to));
      seen.set(image, [...(seen.get(image) ?? []), { topology, to }]);
    }
  }
  return [...kept.values()].map(({ topology }) => topology);
}

function* connectedGraphs(n: number): Generator<Topology> {
  const nodes = Array.from({ length: n }, (_, i) => `n${i}`);
  const pairs = nodes.flatMap((u, i) => nodes.slice(i + 1).map((v) => [u, v, 1] as const));
  for (let set = 0; set < 2 ** pairs.length; set++) {
    const topology = { nodes, links: pairs.filter((_, i) => (set >> i) & 1) };
    const { distance } = createMetric(topology);
    if (nodes.every((node) => distance(nodes[0]!, node) < Infinity)) yield topology;
  }
}

const renamed = ({ nodes, links }: Topology, to: readonly number[]): Topology => {
  const name = (node: NodeId) => nodes[to[nodes.indexOf(node)]!]!;
  return { nodes, links: links.map(([u, v, weight]) => [name(u), name(v), weight]) };
};

const textOf = ({ links }: Topology): string =>
  links
    .map(([u, v]) => [u, v].sort().join('-'))
    .sort()
    .join(' ');

/** The start of each node, by its position; with `to`, after the nodes have been renamed. */
function startsOf(
  topology: Topology,
  protocol: Protocol,
  raw: Readonly<Record<string, unknown>>,
  to: readonly number[] = [...topology.nodes.keys()],
): readonly string[] {
  const graph: NetworkGraph = createMetric(topology);
  const instance = { ...graph, options: protocol.options(raw, graph) };
  const { nodes } = topology;
  const renaming = new Renaming(new Map(nodes.map((node, i) => [node, nodes[to[i]!]!])), new Set());
  const host = createHost('snapshots', protocol);
  const starts: string[] = [];
  for (const [i, id] of nodes.entries()) {
    const views = [
      ...everyDraw((choose) => {
        const node = new Node(id, host);
        const { sends } = node.start(protocol.roles(id, instance), choose);
        return { view: node.view(), sends };
      }, `node ${id}`),
    ];
    starts[to[i]!] = views
      .map(({ value }) => jsonKey(renaming.of(value), 'a start'))
      .sort()
      .join();
  }
  return starts;
}

/** Every rooted labeled tree: n^(n-1) trees, as parent pointers. The root points to itself. */
export function rootedTrees(nodes: readonly NodeId[]): Readonly<Record<NodeId, NodeId>>[] {
  let choices: NodeId[][] = [[]];
  for (let i = 0; i < nodes.length; i++) choices = choices.flatMap((parents) => nodes.map((node) => [...parents, node]));
  const isTree = (parents: readonly NodeId[]) => {
    const up = (node: NodeId) => parents[nodes.indexOf(node)]!;
    const rootOf = (node: NodeId) => nodes.reduce((at) => up(at), node);
    const roots = new Set(nodes.map(rootOf));
    return roots.size === 1 && [...roots].every((root) => up(root) === root);
  };
  return choices.filter(isTree).map((parents) => Object.fromEntries(nodes.map((node, i) => [node, parents[i]!])));
}
