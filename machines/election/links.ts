/**
 * A node's table of links: one row for every other node to which its own channel is up, ordered by name.
 *
 * A row is `forming` until the first height arrives from the peer after the channel came up, and holds its last height from then on: the
 * peer is a neighbor. Peers without a row are absent. (Section 5: absent → forming → neighbor, and back to absent.)
 */
import type { NodeId } from '../effects.js';
import type { Height } from './height.js';

export interface LinkRow {
  readonly peer: NodeId;
  /** The last height received; `null`: forming. */
  readonly height: Height | null;
}

export type LinkTable = readonly LinkRow[];

export const isLinked = (links: LinkTable, peer: NodeId): boolean => links.some((link) => link.peer === peer);

export const withLink = (links: LinkTable, peer: NodeId, height: Height | null): LinkTable =>
  [...links.filter((link) => link.peer !== peer), { peer, height }].sort((a, b) => (a.peer < b.peer ? -1 : 1));

export const withoutLink = (links: LinkTable, peer: NodeId): LinkTable => links.filter((link) => link.peer !== peer);

/** N and forming: the receivers of this node's messages. */
export const allPeers = (links: LinkTable): NodeId[] => links.map(({ peer }) => peer);

/** The neighbors that a node's decisions use (N in the paper): those that have sent their height. */
export const neighbors = (links: LinkTable): NodeId[] => links.filter(({ height }) => height !== null).map(({ peer }) => peer);

export const heightsOf = (links: LinkTable): Height[] => links.map(({ height }) => height).filter((height) => height !== null);

export const heightOf = (links: LinkTable, peer: NodeId): Height | null =>
  links.find((link) => link.peer === peer)?.height ?? null;
