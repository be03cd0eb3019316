/** A node's marks on the picture of the network: links point down, a colour for each phase of a search, a badge for each office. */
import type { Overlay, NodeView } from '../protocol.js';
import { compareHeights } from './height.js';
import { contextOf, leadsLevel, roleOf } from './view.js';

const tones: Readonly<Record<string, NonNullable<Overlay['tone']>>> = {
  isolated: 'held',
  leader: 'held',
  searching: 'waiting',
  reflected: 'active',
};

export function overlay(node: NodeView): Overlay {
  const { height, links, levels } = contextOf(node);
  const role = roleOf(node);
  const offices = Array.from({ length: levels }, (_, i) => i + 1).filter((level) => leadsLevel(node, level));
  const badge = `${role === 'leader' || role === 'isolated' ? '★' : ''}${offices.join('')}`;
  return {
    pointers: links.flatMap(({ peer, height: other }) =>
      other && compareHeights(other, height) < 0 ? [{ to: peer, kind: 'down' }] : [],
    ),
    ...(badge === '' ? {} : { badge }),
    tone: tones[role.split('.')[0]!] ?? 'plain',
    edges: links.filter(({ height }) => height === null).map(({ peer }) => ({ to: peer, label: 'forming' })),
  };
}
