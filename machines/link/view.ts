/** How to read the state of a link. */
import type { NodeId } from '../effects.js';
import type { Configuration, NodeView, RoleView } from '../protocol.js';
import type { LinkContext } from './frames.js';

type End = RoleView<LinkContext>;

export const CHART = 'link';
const PREFIX = 'link ';

export const roleTo = (peer: NodeId): string => PREFIX + peer;

export const endAt = (node: NodeView, peer: NodeId): End | undefined => node[roleTo(peer)];

export const endsOf = (node: NodeView): End[] => Object.values(node);

export const isUp = (end: End): boolean => end.value === 'up';

/** The two ends of every link, each link once. */
export const linksOf = (c: Configuration): [End, End][] =>
  c.instance.topology.links.map(([u, v]) => [endAt(c.nodes.get(u)!, v)!, endAt(c.nodes.get(v)!, u)!]);

/** Whether both ends are up on the same pair of sessions. */
export const areConnected = (a: End, b: End): boolean =>
  isUp(a) && isUp(b) && a.context.theirs === b.context.session && b.context.theirs === a.context.session;
