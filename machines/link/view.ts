/** Reads the state of links for properties and reports: the two ends of each link, and whether they are connected. */
import type { NodeId } from '../effects.js';
import type { Configuration, Flight, NodeView, RoleView } from '../protocol.js';
import type { Bye, Frame, LinkContext } from './frames.js';
import type { Relay, Relayed } from './ways.js';

export type End = RoleView<LinkContext>;

export const CHART = 'link';
/** The role and the chart that open links with peers that are in no list. */
export const GUESTS = 'guests';
const PREFIX = 'link ';

export const roleTo = (peer: NodeId): string => PREFIX + peer;

/** Cache of the ends of each node, by peer: building the names of roles at each access costs more than everything else. */
const ends = new WeakMap<NodeView, ReadonlyMap<NodeId, End>>();

export function endsByPeer(node: NodeView): ReadonlyMap<NodeId, End> {
  let ofNode = ends.get(node);
  if (!ofNode) ends.set(node, (ofNode = new Map(Object.entries(node).map(([role, end]) => [role.slice(PREFIX.length), end]))));
  return ofNode;
}

export const endAt = (node: NodeView, peer: NodeId): End | undefined => endsByPeer(node).get(peer);

export const endsOf = (node: NodeView): End[] => Object.values<End>(node).filter(({ chart }) => chart === CHART);

export const isUp = (end: End): boolean => end.value === 'up';

/** The two ends of every link, each link once. */
export const linksOf = (c: Configuration): [End, End][] =>
  c.instance.topology.links.map(([u, v]) => [endAt(c.nodes.get(u)!, v)!, endAt(c.nodes.get(v)!, u)!]);

/** True if both ends are up on the same pair of sessions. */
export const areConnected = (a: End, b: End): boolean =>
  isUp(a) && isUp(b) && a.context.theirs === b.context.session && b.context.theirs === a.context.session;

/** A message in flight between two ends: sent directly, on its way to a relay, or coming from one. */
export interface Carried {
  readonly from: NodeId;
  readonly to: NodeId;
  readonly message: Frame | Bye;
}

export function carriedBy({ from, to, message }: Flight): Carried {
  const outer = message as Frame | Bye | Relay | Relayed;
  if (outer.type === 'relay') return { from, to: outer.target, message: outer.message };
  if (outer.type === 'relayed') return { from: outer.origin, to, message: outer.message };
  return { from, to, message: outer };
}

/** The nodes that can relay between two others: each reaches both, both reach it, and no end of their links has left. */
export const relaysBetween = (c: Configuration, u: NodeId, v: NodeId): NodeId[] => {
  const relays = endAt(c.nodes.get(u)!, v)?.context.relays ?? [];
  return relays.filter((relay) => !c.crashed?.includes(relay) && [u, v].every((end) => isConnected(c, end, relay)));
};

const isConnected = ({ links, nodes }: Configuration, u: NodeId, v: NodeId): boolean =>
  links.up(u, v) && links.up(v, u) && [endAt(nodes.get(u)!, v), endAt(nodes.get(v)!, u)].every((end) => end?.value !== 'left');

/** True if two nodes reach each other, directly or through a relay. */
export const reachEachOther = (c: Configuration, u: NodeId, v: NodeId): boolean =>
  (c.links.up(u, v) && c.links.up(v, u)) || relaysBetween(c, u, v).length > 0;
