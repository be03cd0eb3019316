/** The election's global state in the paper's terms: heights, tokens, sequences, components. Properties and summaries use it. */
import type { NodeId } from '../effects.js';
import { statePath } from '../checks.js';
import type { Configuration, Flight, NodeView, RoleView } from '../protocol.js';
import { adjacencyNow, type Adjacency } from './graph.js';
import { compareHeights, isSame, type Height } from './height.js';
import { heightOf } from './links.js';
import type { ElectionContext } from './machine.js';
import { ELECTION } from './messages.js';

type Config = Configuration;

export const electionContext = (node: NodeView): ElectionContext => node[ELECTION]!.context;
export const roleOf = (node: NodeView): string => statePath(node[ELECTION]!);
/** State that follows from the height and the neighbors of a node (spec section 5). */
export function stateByHeight({ height, links }: Pick<ElectionContext, 'height' | 'links'>): RoleView['value'] {
  if (links.every((link) => link.height === null)) return 'isolated';
  if (isSame(height.lid, height.id)) return 'leader';
  if (height.tau === 0) return 'oriented';
  const part = isSame(height.oid, height.id) ? 'originator' : 'propagating';
  return height.r === 1 ? { reflected: part } : { searching: part };
}

/** True if the chart's state is the one that the node's height requires. */
export const isInStateByHeight = (node: NodeView): boolean =>
  roleOf(node) === statePath({ value: stateByHeight(electionContext(node)) });
export const leaderOf = (node: NodeView): NodeId => electionContext(node).height.lid[1];

/** Messages in flight from one node to another, oldest first. */
const between = (from: NodeId, to: NodeId, c: Config): readonly Flight[] =>
  c.between?.(from, to) ?? c.flights.filter((flight) => flight.from === from && flight.to === to);

export const adjacency = (c: Config): Adjacency => adjacencyNow(c.nodes.keys(), c.links);

/** True if no link of this node is up in its own direction and down in the other. The paper assumes this once links stop to change. */
export const isAgreedAt = (id: NodeId, c: Config): boolean => c.links.neighbors(id).every((peer) => c.links.up(peer, id));

/**
 * The four conditions of the paper's section 3.4, for one node: it has no messages in flight and exact views, follows the leader of its
 * neighbors, and has a way down unless it leads. If all nodes of a component satisfy them, it is leader-oriented. It then has one leader
 * pair, heights have no cycles, and the lowest node has no way down and hence leads.
 */
export function isOrientedAt(id: NodeId, c: Config): boolean {
  const heightAt = (node: NodeId): Height => electionContext(c.nodes.get(node)!).height;
  const { height, links } = electionContext(c.nodes.get(id)!);
  const peers = links.map(({ peer }) => peer).filter((peer) => c.links.up(peer, id));
  return (
    links.every(({ peer }) => between(id, peer, c).length === 0) &&
    links.every((link) => !link.height || !peers.includes(link.peer) || compareHeights(link.height, heightAt(link.peer)) === 0) &&
    peers.every((peer) => isSame(heightAt(peer).lid, height.lid)) &&
    peers.some((peer) => compareHeights(heightAt(peer), height) < 0) === (height.lid[1] !== id)
  );
}

export function isOriented(c: Config): boolean {
  for (const id of c.nodes.keys()) if (!isOrientedAt(id, c)) return false;
  return true;
}

/** True if both ends of every link that is up both ways are neighbors. */
export const isSymmetric = (c: Config): boolean =>
  [...adjacency(c)].every(([id, peers]) =>
    peers.every((peer) => heightOf(electionContext(c.nodes.get(id)!).links, peer) !== null),
  );
