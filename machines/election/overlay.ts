/**
 * A node's marks on the picture of the network: links point down, a color for each phase of a search, a badge for each office. Its group is
 * the reference level of its search, which spreads and returns reflected, or else its district or its leader.
 */
import type { Overlay, NodeView } from '../protocol.js';
import { leadsLevel, levelOf } from '../hierarchy/view.js';
import { compareHeights } from './height.js';
import { electionContext, leaderOf, roleOf } from './view.js';

const tones: Readonly<Record<string, NonNullable<Overlay['tone']>>> = {
  isolated: 'held',
  leader: 'held',
  searching: 'waiting',
  reflected: 'active',
};

export function overlay(node: NodeView): Overlay {
  const { height, links, levels } = electionContext(node);
  const role = roleOf(node);
  const offices = Array.from({ length: levels }, (_, i) => i + 1).filter((level) => leadsLevel(node, level));
  const badge = `${role === 'leader' || role === 'isolated' ? '★' : ''}${offices.join('')}`;
  return {
    pointers: links.flatMap(({ peer, height: other }) =>
      other && compareHeights(other, height) < 0 ? [{ to: peer, kind: 'down' }] : [],
    ),
    ...(badge === '' ? {} : { badge }),
    tone: tones[role.split('.')[0]!] ?? 'plain',
    group: groupOf(node, role),
    edges: links.filter(({ height }) => height === null).map(({ peer }) => ({ to: peer, label: 'forming' })),
  };
}

function groupOf(node: NodeView, role: string): string {
  const { height, levels } = electionContext(node);
  const { tau, oid, r } = height;
  if (oid !== null && /^(searching|reflected)/.test(role)) return `search ${tau} of ${oid[1]}${r === 1 ? ', reflected' : ''}`;
  return levels > 0 ? `district of ${levelOf(node, 1).member[1]}` : `follows ${leaderOf(node)}`;
}
