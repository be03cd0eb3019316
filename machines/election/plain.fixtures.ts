/** The election's invariants A to K (spec section 6) and D2 as predicates of the whole configuration: the reference for their totals. */
import type { NodeId } from '../effects.js';
import type { Configuration, Flight, NodeView, Property } from '../protocol.js';
import { compareHeights, compareLeaderPairs, compareReferenceLevels, isSame, type Height } from './height.js';
import { levelOf } from '../hierarchy/view.js';
import { levelRole } from './messages.js';
import { heightOf, isLinked } from './links.js';
import { isSink } from './machine.js';
import type { ElectionProtocolOptions } from './options.js';
import type { Update } from './messages.js';
import { electionContext, roleOf } from './view.js';

type Config = Configuration<any>;

const updateIn = ({ message }: Flight): Update => message as Update;
const between = (from: NodeId, to: NodeId, c: Config): readonly Flight[] =>
  c.flights.filter((flight) => flight.from === from && flight.to === to);

/** True if a predicate holds for every height that a node holds or has sent: together these are all tokens (section 6). */
function everyToken(id: NodeId, c: Config, holds: (height: Height, recorded: boolean) => boolean): boolean {
  const { height, links } = electionContext(c.nodes.get(id)!);
  if (!holds(height, false)) return false;
  for (const link of links) {
    if (link.height && !holds(link.height, true)) return false;
    for (const flight of between(id, link.peer, c)) if (!holds(updateIn(flight).height, false)) return false;
  }
  return true;
}

/** All heights of one node: at the node, on its channels and in its neighbors' rows. */
function tokensOf(id: NodeId, c: Config): Height[] {
  const tokens: Height[] = [];
  everyToken(id, c, (height, recorded) => recorded || tokens.push(height) > 0);
  for (const peer of c.links.neighbors(id)) {
    const recorded = heightOf(electionContext(c.nodes.get(peer)!).links, id);
    if (recorded) tokens.push(recorded);
  }
  return tokens;
}

/**
 * True if each height of a channel that is up agrees with the next older one: its sender's height, the heights in flight, newest first, and
 * the receiver's row. `isOwn` marks the first.
 */
function isSequence(from: NodeId, to: NodeId, c: Config, agrees: (newer: Height, older: Height, isOwn: boolean) => boolean) {
  const carried = between(from, to, c);
  let newer = electionContext(c.nodes.get(from)!).height;
  for (let i = carried.length - 1; i >= 0; i--) {
    const { height } = updateIn(carried[i]!);
    if (!agrees(newer, height, i === carried.length - 1)) return false;
    newer = height;
  }
  const recorded = heightOf(electionContext(c.nodes.get(to)!).links, from);
  return recorded === null || agrees(newer, recorded, carried.length === 0);
}

type HoldsAt = (id: NodeId, c: Config) => boolean;

/** A property that holds if it holds at every node. */
const everywhere = (name: string, description: string, holdsAt: HoldsAt): Property<ElectionProtocolOptions> => ({
  name,
  kind: 'always',
  description,
  holds: (c) => {
    for (const id of c.nodes.keys()) if (!holdsAt(id, c)) return false;
    return true;
  },
});

export const plainProperties: readonly Property<ElectionProtocolOptions>[] = [
  everywhere(
    'A: stamps are not ahead',
    'The stamps of a height never exceed the clock of its owner, nor that of a node that has it recorded.',
    stampsAreNotAhead,
  ),
  everywhere(
    'B: news is newer',
    'Toward its sender a channel holds the sender’s height, never a staler leader pair, and for one leader pair never a staler reference level.',
    channelsAreOrderly,
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
  everywhere('I: no sink', 'After every event each node leads, or has a neighbor below it or of another leader.', (id, c) => {
    const { height, links } = electionContext(c.nodes.get(id)!);
    return !isSink({ height, links, sink: 'settled' });
  }),
  everywhere(
    'J: delta counts from the leader',
    'Outside of searches delta is never negative, and it is 0 exactly at the leader.',
    (id, c) => everyToken(id, c, ({ tau, delta, lid, id }) => tau > 0 || (delta >= 0 && (delta === 0) === isSame(lid, id))),
  ),
  everywhere('K: neighbors are channels', 'A node has a row for another exactly while its channel there is up.', rowsAreChannels),
  {
    name: 'K: links that are down are empty',
    kind: 'always',
    description: 'A channel that is down carries nothing.',
    holds: (c) => c.flights.every(({ from, to }) => c.links.up(from, to)),
  },
  everywhere(
    'states are read off heights',
    'Between two events a node is in the state that its height and its neighbors give: isolated, leader, oriented, searching or reflected.',
    (id, c) => isInStateOfItsHeight(c.nodes.get(id)!),
  ),
  everywhere(
    'D2: no node without a leader',
    'Every node follows a leader in its table, itself exactly while it leads.',
    (id, c) => {
      const node = c.nodes.get(id)!;
      return c.instance.options.levels.every((_: unknown, i: number) => {
        const { id, member, table } = levelOf(node, i + 1);
        return (
          table.some((entry) => isSame(entry.id, member)) &&
          node[levelRole(i + 1)]!.value === (isSame(id, member) ? 'leading' : 'following')
        );
      });
    },
  ),
];

function isInStateOfItsHeight(node: NodeView): boolean {
  const { height, links } = electionContext(node);
  const isAlone = !links.some((link) => link.height);
  const [leads, searches, isBack] = [isSame(height.lid, height.id), height.tau > 0, height.r === 1];
  const part = isSame(height.oid, height.id) ? 'originator' : 'propagating';
  const searching = isBack ? `reflected.${part}` : `searching.${part}`;
  return roleOf(node) === (isAlone ? 'isolated' : leads ? 'leader' : searches ? searching : 'oriented');
}

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
  return c.links.neighbors(id).every((peer) => isOrderly(id, peer, c));
}

const isOrderly = (from: NodeId, to: NodeId, c: Config): boolean => isSequence(from, to, c, isOlder);

/** An older height is not more recent; the newest height of a sender is the last one sent. */
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
  const up = c.links.neighbors(id);
  return links.length === up.length && up.every((peer) => isLinked(links, peer));
}
