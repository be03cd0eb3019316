/**
 * Theorem 2 of the paper as an experiment: in a network at rest one link is lost, and no node that can still reach the leader elects
 * itself.
 */
import { explore } from '../../../test/explore/explore.js';
import type { NodeId } from '../../../machines/effects.js';
import { componentsOf, adjacencyOf, hopsNow } from '../../../machines/election/graph.js';
import { election } from '../../../machines/election/index.js';
import type { ElectionProtocolOptions } from '../../../machines/election/options.js';
import { leaderOf } from '../../../machines/election/view.js';
import type { Configuration, Property, Protocol, Topology } from '../../../machines/protocol.js';
import { changesOf, connectedGraphs, type Change } from './instances.js';

type Options = Readonly<Record<string, unknown>>;

export interface Losses {
  /** Number of systems: a graph, a change, and a link of the leader's component that is lost at rest. */
  readonly losses: number;
  /** Losses after which a node is elected without need, in some order of events. */
  readonly needless: number;
}

/** All connected graphs and leaders of `n` nodes, one link change, one loss after it. */
export const lossesAfterOneChange = (n: number, options: Options): Losses =>
  lossesAfter(n, options, (topology) => [...changesOf(topology, 1)].map(([change]) => change!));

/**
 * All connected graphs and leaders of `n` nodes, one loss, and no change before it: all reference levels are (0, 0, 0), as chapter 6
 * requires for logical clocks.
 */
export const lossesAtZero = (n: number, options: Options, protocol: Protocol = election): Losses =>
  lossesAfter(n, options, () => [null], protocol);

function lossesAfter(
  n: number,
  options: Options,
  changesIn: (topology: Topology) => readonly (Change | null)[],
  protocol: Protocol = election,
): Losses {
  const found = { losses: 0, needless: 0 };
  for (const topology of connectedGraphs(n)) {
    for (const leader of topology.nodes) {
      for (const change of changesIn(topology)) {
        for (const link of linksAfter(topology, change, leader)) {
          found.losses++;
          const { verdict } = explore(protocol, {
            topology,
            options: { ...options, leader },
            commands: [...(change ? [change] : []), { do: 'cut', link }],
            oneByOne: true,
            properties: [noNeedlessElection(link)],
          });
          if (verdict === 'unknown')
            throw new Error('The search of all interleavings ended at a limit, so its result is unknown.');
          if (verdict === 'invalid') found.needless++;
        }
      }
    }
  }
  return found;
}

/** The links of the leader's component after the change. */
function linksAfter({ nodes, links }: Topology, change: Change | null, leader: NodeId) {
  if (!change) return links.map(([a, b]) => [a, b] as const);
  const {
    do: what,
    link: [u, v],
  } = change;
  const kept = links.filter(([a, b]) => !(a === u && b === v));
  const after = what === 'join' ? [...links, [u, v, 1] as const] : kept;
  const home = componentsOf(adjacencyOf({ nodes, links: after })).find((component) => component.includes(leader))!;
  return after.filter(([a]) => home.includes(a)).map(([a, b]) => [a, b] as const);
}

/** The old leader leads until it is notified of another, so two leaders in office that can reach each other prove a needless election. */
const noNeedlessElection = ([u, v]: readonly [NodeId, NodeId]): Property<ElectionProtocolOptions> => ({
  name: 'no needless election',
  kind: 'always',
  description: 'Once the link is lost, a node that can reach its previous leader does not elect itself.',
  holds: (c) => (c.links.up(u, v) && c.links.up(v, u)) || !isContested(c),
});

function isContested(c: Configuration<ElectionProtocolOptions>): boolean {
  const inOffice = [...c.nodes].filter(([id, node]) => leaderOf(node) === id).map(([id]) => id);
  return inOffice.some((id) => {
    const reached = hopsNow(id, c.links);
    return inOffice.some((other) => other !== id && reached.has(other));
  });
}
