/** All small systems: every connected labeled graph, every leader, every set of link changes. */
import { explore } from '../../../test/explore/explore.js';
import type { NodeId } from '../../../machines/effects.js';
import type { Link, Property, Instance, Topology } from '../../../machines/protocol.js';
import { adjacencyOf, hopsFrom } from '../../../machines/election/graph.js';
import { election } from '../../../machines/election/index.js';
import type { ElectionProtocolOptions } from '../../../machines/election/options.js';

export function* connectedGraphs(n: number): Generator<Topology> {
  const nodes = Array.from({ length: n }, (_, i) => `n${i + 1}`);
  const pairs = nodes.flatMap((u, i) => nodes.slice(i + 1).map((v): Link => [u, v, 1]));
  for (let set = 0; set < 2 ** pairs.length; set++) {
    const topology = { nodes, links: pairs.filter((_, i) => set & (1 << i)) };
    if (hopsFrom(nodes[0]!, adjacencyOf(topology)).size === n) yield topology;
  }
}

export type Change =
  | { readonly do: 'cut'; readonly link: readonly [NodeId, NodeId] }
  | { readonly do: 'join'; readonly link: readonly [NodeId, NodeId]; readonly weight: number };

/** All sets of `count` toggles of links, possibly repeated; the search covers the order between different links. */
export function* changesOf({ nodes, links }: Topology, count: number): Generator<Change[]> {
  const pairs = nodes.flatMap((u, i) => nodes.slice(i + 1).map((v) => [u, v] as const));
  const isUp = ([u, v]: readonly [NodeId, NodeId]) => links.some(([a, b]) => (a === u && b === v) || (a === v && b === u));
  const choose = function* (from: number, left: number): Generator<number[]> {
    if (left === 0) yield [];
    else for (let i = from; i < pairs.length; i++) for (const rest of choose(i, left - 1)) yield [i, ...rest];
  };
  for (const chosen of choose(0, count)) {
    yield chosen.map((pair, i): Change => {
      const link = pairs[pair]!;
      const before = chosen.slice(0, i).filter((other) => other === pair).length;
      return isUp(link) === (before % 2 === 0) ? { do: 'cut', link } : { do: 'join', link, weight: 1 };
    });
  }
}

type Judged = (property: Property<ElectionProtocolOptions>) => boolean;

/**
 * Explores every instance and adds up the results, as the specification counts: a state in two instances counts twice. In the largest
 * systems, only some properties can be judged in reasonable time.
 */
export function everyInstance(n: number, count: number, options: Readonly<Record<string, unknown>>, judged: Judged = () => true) {
  const properties = (instance: Instance<ElectionProtocolOptions>) => election.properties(instance).filter(judged);
  const protocol = { ...election, properties };
  const found = { instances: 0, states: 0, terminal: 0, refuted: [] as string[] };
  for (const topology of connectedGraphs(n)) {
    for (const leader of topology.nodes) {
      for (const commands of changesOf(topology, count)) {
        const { states, terminal, properties, verdict } = explore(protocol, {
          topology,
          options: { ...options, leader },
          commands,
        });
        found.instances++;
        found.states += states;
        found.terminal += terminal;
        if (verdict !== 'valid') found.refuted.push(...properties.filter(({ holds }) => holds !== true).map(({ name }) => name));
      }
    }
  }
  return found;
}
