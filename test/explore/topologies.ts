/**
 * All small networks: every connected graph, but one of those that differ in the names of nodes alone.
 *
 * Two graphs are one if the nodes of the first can be renamed to make it the second, those that must keep their names apart, and the
 * protocol begins alike on both. Where it does not, because identities are compared or a tree is chosen by the order of the nodes, names
 * matter, and both are kept.
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

/** There are 21 graphs of five nodes, 112 of six and 853 of seven, and every search takes longer. */
const NODES_MAX = 5;

export interface Scope {
  readonly protocol: Protocol;
  readonly options?: Readonly<Record<string, unknown>>;
  /** Nodes that are named somewhere. */
  readonly fixed?: readonly NodeId[];
}

/**
 * The connected graphs of `n` nodes `n0`, `n1` and so on, links of weight 1: one of those that differ in the names of nodes alone.
 *
 * @param n from 1 to 5.
 * @param scope the protocol and its options, which say whether names matter, and nodes that must keep theirs.
 * @throws UsageError for another `n`.
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
    throw new UsageError(`all graphs of ${n} nodes cannot be gone through; give a number from 1 to ${NODES_MAX}`);
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

/** How each node begins, by its place; with `to`, what becomes of that when the nodes are renamed. */
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
