/** The election's invariants A to K (spec section 6) and what holds once changes have stopped (section 7), as named properties. */
import type { NodeId } from '../effects.js';
import type { Configuration, Property, Setup } from '../protocol.js';
import { hopsFrom } from './graph.js';
import { compareHeights, compareLeaderPairs, compareReferenceLevels, isSame, type Height } from './height.js';
import { hierarchyProperties } from './hierarchy.js';
import { isLinked } from './links.js';
import { isSink } from './machine.js';
import type { ElectionOptions } from './options.js';
import { adjacency, contextOf, isLeaderOriented, sequences, tokens } from './view.js';

type Config = Configuration<any>;

export function electionProperties(setup: Setup<ElectionOptions>): Property<ElectionOptions>[] {
  const { hello, levels } = setup.options;
  return [...invariants, leaderOriented, ...(hello ? [symmetricNeighbours] : []), ...hierarchyProperties(levels)];
}

const invariants: Property<ElectionOptions>[] = [
  {
    name: 'A: stamps are not ahead',
    kind: 'always',
    says: 'The stamps of a height never exceed the clock of its owner, nor that of a node that has it recorded.',
    holds: (c) =>
      tokens(c).every(({ owner, at, height }) => {
        const latest = Math.max(height.tau, -height.nlts);
        return latest <= clockOf(owner, c) && (at === null || latest <= clockOf(at, c));
      }),
  },
  {
    name: 'B: news is newer',
    kind: 'always',
    says: 'Towards its sender a channel holds the sender’s height, never a staler leader pair, and for one leader pair never a staler reference level.',
    holds: (c) => [...sequences(c)].every(isOrderly),
  },
  {
    name: 'C: reference levels are well formed',
    kind: 'always',
    says: 'A reference level is (0, 0, 0), or it has a start, an originator and a bit.',
    holds: (c) =>
      tokens(c).every(({ height: { tau, oid, r } }) =>
        tau === 0 ? oid === null && r === 0 : tau > 0 && isNode(oid, c) && (r === 0 || r === 1),
      ),
  },
  {
    name: 'E: one delta in a reference level',
    kind: 'always',
    says: 'Two heights of one node with the same reference level and leader pair have the same delta.',
    holds: deltasAgree,
  },
  {
    name: 'I: no sink',
    kind: 'always',
    says: 'After every event each node leads, or has a neighbour below it or of another leader.',
    holds: (c) => [...c.nodes.values()].every((node) => !isSink({ ...contextOf(node), sink: 'settled' })),
  },
  {
    name: 'J: delta counts from the leader',
    kind: 'always',
    says: 'Outside of searches delta is never negative, and it is 0 exactly at the leader.',
    holds: (c) =>
      tokens(c).every(({ height: { tau, delta, lid, id } }) => tau > 0 || (delta >= 0 && (delta === 0) === isSame(lid, id))),
  },
  {
    name: 'K: neighbours are channels',
    kind: 'always',
    says: 'A node has a row for another exactly while its channel there is up, and a channel that is down carries nothing.',
    holds: (c) =>
      c.flights.every(({ from, to }) => c.links.up(from, to)) && [...c.nodes.keys()].every((id) => rowsAreChannels(id, c)),
  },
];

const leaderOriented: Property<ElectionOptions> = {
  name: 'leader-oriented',
  kind: 'eventually',
  says: 'Once changes stop, each component comes to rest with exact views, one leader among its nodes, and every link leading down to it (Theorem 1).',
  when: () => true,
  holds: (c, node) => {
    const graph = adjacency(c);
    return isLeaderOriented([...hopsFrom(node, graph).keys()], graph, c);
  },
};

const symmetricNeighbours: Property<ElectionOptions> = {
  name: 'symmetric neighbours',
  kind: 'eventually',
  says: 'Once changes stop, both ends of every link count each other as neighbours (what hello is for).',
  when: () => true,
  holds: (c, node) => contextOf(c.nodes.get(node)!).links.every(({ peer, height }) => height !== null || !c.links.up(peer, node)),
};

const clockOf = (node: NodeId, c: Config): number => contextOf(c.nodes.get(node)!).now;

const isNode = (id: Height['oid'], { setup }: Config): boolean => id !== null && setup.rank(id[1]) >= 0;

/** Newest first. */
function isOrderly([newest, ...older]: readonly Height[]): boolean {
  if (older.length > 0 && compareHeights(newest!, older[0]!) !== 0) return false;
  return older.every((old, i) => {
    const next = i === 0 ? newest! : older[i - 1]!;
    return compareLeaderPairs(next, old) < 0 || (compareLeaderPairs(next, old) === 0 && compareReferenceLevels(next, old) >= 0);
  });
}

function deltasAgree(c: Config): boolean {
  const known = new Map<NodeId, Height[]>();
  return tokens(c).every(({ owner, height }) => {
    const others = known.get(owner);
    if (!others) known.set(owner, [height]);
    else if (others.some((other) => isContradiction(other, height))) return false;
    else others.push(height);
    return true;
  });
}

const isContradiction = (a: Height, b: Height): boolean =>
  a.delta !== b.delta && compareReferenceLevels(a, b) === 0 && compareLeaderPairs(a, b) === 0;

function rowsAreChannels(id: NodeId, c: Config): boolean {
  const { links } = contextOf(c.nodes.get(id)!);
  const up = c.links.neighbours(id);
  return links.length === up.length && up.every((peer) => isLinked(links, peer));
}
