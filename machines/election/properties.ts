/** The election's invariants A to K (spec section 6) and the properties after all changes (section 7). */
import { always } from '../folded.js';
import type { Property, Instance } from '../protocol.js';
import { hierarchyProperties } from '../hierarchy/properties.js';
import type { ElectionProtocolOptions } from './options.js';
import { electionFold } from './totals.js';
import { electionContext, isAgreedAt, isOrientedAt } from './view.js';

export function electionProperties(instance: Instance<ElectionProtocolOptions>): Property<ElectionProtocolOptions>[] {
  const { hello, levels } = instance.options;
  return [...invariants, leaderOriented, ...(hello ? [symmetricNeighbors] : []), ...hierarchyProperties(levels)];
}

const description = always(electionFold, { isLocal: true });

const invariants: readonly Property<ElectionProtocolOptions>[] = [
  description(
    'A: stamps are not ahead',
    'The stamps of a height never exceed the clock of its owner, nor that of a node that has it recorded.',
    (t) => t.stamps.hold,
  ),
  description(
    'B: news is newer',
    'Toward its sender a channel holds the sender’s height, never a staler leader pair, and for one leader pair never a staler reference level.',
    (t) => t.channels.hold,
  ),
  description(
    'C: reference levels are well formed',
    'A reference level is (0, 0, 0), or it has a start, an originator and a bit.',
    (t) => t.malformed === 0,
  ),
  description(
    'E: one delta in a reference level',
    'Two heights of one node with the same reference level and leader pair have the same delta.',
    (t) => t.tokens.hold,
  ),
  description(
    'I: no sink',
    'After every event each node leads, or has a neighbor below it or of another leader.',
    (t) => t.sinks === 0,
  ),
  description(
    'J: delta counts from the leader',
    'Outside of searches delta is never negative, and it is 0 exactly at the leader.',
    (t) => t.miscounted === 0,
  ),
  description(
    'K: neighbors are channels',
    'A node has a row for another exactly while its channel there is up.',
    (t) => t.unlisted === 0,
  ),
  description('K: links that are down are empty', 'A channel that is down carries nothing.', (t) => t.stranded === 0),
  description(
    'states are read off heights',
    'Between two events a node is in the state that its height and its neighbors give: isolated, leader, oriented, searching or reflected.',
    (t) => t.misnamed === 0,
  ),
];

const leaderOriented: Property<ElectionProtocolOptions> = {
  name: 'leader-oriented',
  kind: 'eventually',
  description:
    'Once changes stop, each component becomes quiescent with exact views and one leader, and every link leads down to it (Theorem 1).',
  when: (c, node) => isAgreedAt(node, c),
  holds: (c, node) => isOrientedAt(node, c),
};

const symmetricNeighbors: Property<ElectionProtocolOptions> = {
  name: 'symmetric neighbors',
  kind: 'eventually',
  description: 'Once changes stop, both ends of every link regard each other as neighbors (the purpose of hello).',
  when: () => true,
  holds: (c, node) =>
    electionContext(c.nodes.get(node)!).links.every(({ peer, height }) => height !== null || !c.links.up(peer, node)),
};
