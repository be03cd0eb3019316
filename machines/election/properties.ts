/** The election's invariants A to K (spec section 6) and what holds once changes have stopped (section 7), as named properties. */
import type { NodeId } from '../effects.js';
import type { Configuration, Property, Instance } from '../protocol.js';
import { compareHeights, compareLeaderPairs, compareReferenceLevels, isSame, type Height } from './height.js';
import { hierarchyProperties } from '../hierarchy/properties.js';
import { isLinked } from './links.js';
import { isSink } from './machine.js';
import type { ElectionProtocolOptions } from './options.js';
import { electionContext, everyToken, isAgreedAt, isOrientedAt, isSequence, tokensOf } from './view.js';

type Config = Configuration<any>;

export function electionProperties(instance: Instance<ElectionProtocolOptions>): Property<ElectionProtocolOptions>[] {
  const { hello, levels } = instance.options;
  return [...invariants, leaderOriented, ...(hello ? [symmetricNeighbours] : []), ...hierarchyProperties(levels)];
}

type HoldsAt = (id: NodeId, c: Config) => boolean;

/** A property that holds when it holds at every node; a step can break it only around the node that took it. */
const everywhere = (name: string, says: string, holdsAt: HoldsAt, holdsAround = holdsAt): Property<ElectionProtocolOptions> => ({
  name,
  kind: 'always',
  says,
  holds: (c) => {
    for (const id of c.nodes.keys()) if (!holdsAt(id, c)) return false;
    return true;
  },
  holdsAround: (c, id) => holdsAround(id, c),
});

const invariants: Property<ElectionProtocolOptions>[] = [
  everywhere(
    'A: stamps are not ahead',
    'The stamps of a height never exceed the clock of its owner, nor that of a node that has it recorded.',
    stampsAreNotAhead,
  ),
  everywhere(
    'B: news is newer',
    'Towards its sender a channel holds the sender’s height, never a staler leader pair, and for one leader pair never a staler reference level.',
    channelsAreOrderly,
    (id, c) =>
      channelsAreOrderly(id, c) && c.links.neighbours(id).every((peer) => !c.links.up(peer, id) || isOrderly(peer, id, c)),
  ),
  everywhere(
    'C: reference levels are well formed',
    'A reference level is (0, 0, 0), or it has a start, an originator and a bit.',
    (id, c) =>
      everyToken(id, c, ({ tau, oid, r }) =>
        tau === 0 ? oid === null && r === 0 : tau > 0 && isNode(oid, c) && (r === 0 || r === 1),
      ),
  ),
  everywhere(
    'E: one delta in a reference level',
    'Two heights of one node with the same reference level and leader pair have the same delta.',
    deltasAgree,
  ),
  everywhere('I: no sink', 'After every event each node leads, or has a neighbour below it or of another leader.', (id, c) => {
    const { height, links } = electionContext(c.nodes.get(id)!);
    return !isSink({ height, links, sink: 'settled' });
  }),
  everywhere(
    'J: delta counts from the leader',
    'Outside of searches delta is never negative, and it is 0 exactly at the leader.',
    (id, c) => everyToken(id, c, ({ tau, delta, lid, id }) => tau > 0 || (delta >= 0 && (delta === 0) === isSame(lid, id))),
  ),
  everywhere(
    'K: neighbours are channels',
    'A node has a row for another exactly while its channel there is up.',
    rowsAreChannels,
  ),
  {
    name: 'K: what is down is empty',
    kind: 'always',
    says: 'A channel that is down carries nothing.',
    holds: (c) => c.flights.every(({ from, to }) => c.links.up(from, to)),
  },
];

const leaderOriented: Property<ElectionProtocolOptions> = {
  name: 'leader-oriented',
  kind: 'eventually',
  says: 'Once changes stop, each component comes to rest with exact views, one leader among its nodes, and every link leading down to it (Theorem 1).',
  when: (c, node) => isAgreedAt(node, c),
  holds: (c, node) => isOrientedAt(node, c),
};

const symmetricNeighbours: Property<ElectionProtocolOptions> = {
  name: 'symmetric neighbours',
  kind: 'eventually',
  says: 'Once changes stop, both ends of every link count each other as neighbours (what hello is for).',
  when: () => true,
  holds: (c, node) =>
    electionContext(c.nodes.get(node)!).links.every(({ peer, height }) => height !== null || !c.links.up(peer, node)),
};

function stampsAreNotAhead(id: NodeId, c: Config): boolean {
  const clockOf = (node: NodeId): number => electionContext(c.nodes.get(node)!).now;
  const clock = clockOf(id);
  return everyToken(id, c, ({ tau, nlts, id: owner }, recorded) => {
    const latest = Math.max(tau, -nlts);
    return latest <= clock && (!recorded || latest <= clockOf(owner[1]));
  });
}

const isNode = (id: Height['oid'], { instance }: Config): boolean => id !== null && instance.rank(id[1]) >= 0;

function channelsAreOrderly(id: NodeId, c: Config): boolean {
  return c.links.neighbours(id).every((peer) => isOrderly(id, peer, c));
}

const isOrderly = (from: NodeId, to: NodeId, c: Config): boolean => isSequence(from, to, c, isOlder);

/** What is older is no more recent; the very first is what was sent last. */
function isOlder(newer: Height, older: Height, isOwn: boolean): boolean {
  if (newer === older) return true;
  if (isOwn) return compareHeights(newer, older) === 0;
  const staler = compareLeaderPairs(newer, older);
  return staler < 0 || (staler === 0 && compareReferenceLevels(newer, older) >= 0);
}

function deltasAgree(id: NodeId, c: Config): boolean {
  const known: Height[] = [];
  return tokensOf(id, c).every((height) => {
    if (known.includes(height)) return true;
    return !known.some((other) => isContradiction(other, height)) && known.push(height) > 0;
  });
}

const isContradiction = (a: Height, b: Height): boolean =>
  a.delta !== b.delta && compareReferenceLevels(a, b) === 0 && compareLeaderPairs(a, b) === 0;

function rowsAreChannels(id: NodeId, c: Config): boolean {
  const { links } = electionContext(c.nodes.get(id)!);
  const up = c.links.neighbours(id);
  return links.length === up.length && up.every((peer) => isLinked(links, peer));
}
