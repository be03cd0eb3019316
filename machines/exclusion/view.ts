/** Reads the global state of local mutual exclusion in the paper's terms, for properties, reports and pictures. */
import type { Message, NodeId } from '../effects.js';
import type { Configuration, Flight, LinksView, NodeView, Overlay } from '../protocol.js';
import type { ExclusionContext, ExclusionMessage } from './machine.js';
import { has, type PortNumber, type Ports } from './ports.js';

export const EXCLUSION = 'exclusion';

export interface ExclusionValue {
  readonly initiator: 'idle' | 'prepare' | 'compete' | 'win' | 'locked' | 'unlock';
  readonly participant: 'idle' | 'prepare' | 'compete';
}

export type ExclusionFlight = Flight & { readonly message: ExclusionMessage };

export const exclusionContext = (node: NodeView): ExclusionContext => node[EXCLUSION]!.context;
export const valueOf = (node: NodeView): ExclusionValue => node[EXCLUSION]!.value as unknown as ExclusionValue;

export const messages = (c: Configuration): readonly ExclusionFlight[] => c.flights as readonly ExclusionFlight[];

const INITIATOR_DESCRIPTION = ['prepare', 'request', 'setLock', 'release'];
export const isFromInitiator = ({ type }: Message): boolean => INITIATOR_DESCRIPTION.includes(type);

/** Linked neighbors of a node. During a cut, one direction goes down before the other. */
export const linkedNeighbors = (c: Configuration, id: NodeId): NodeId[] =>
  c.links.neighbors(id).filter((peer) => c.links.up(peer, id));

/** A node and its neighbors. */
export const closedNeighborhood = (c: Configuration, id: NodeId): NodeId[] => [id, ...linkedNeighbors(c, id)];

/** The nodes behind some ports of a node. Ports without a link are skipped. */
export const peersAt = (c: Configuration, id: NodeId, ports: Ports): NodeId[] => [
  ...(ports.includes(0) ? [id] : []),
  ...linkedNeighbors(c, id).filter((peer) => ports.includes(c.links.port(id, peer))),
];

/** Port at which a node receives messages of a node, possibly itself. */
export const portAt = (c: Configuration, to: NodeId, from: NodeId): PortNumber => (to === from ? 0 : c.links.port(to, from));

/** All nodes whose lock points to this node over an existing link. */
export const lockSet = (c: Configuration, id: NodeId): NodeId[] =>
  closedNeighborhood(c, id).filter((node) => exclusionContext(c.nodes.get(node)!).lock === portAt(c, node, id));

/** A participant competes exactly while it has candidates. Without candidates no node is on hold; an idle participant knows no node. */
export function phaseFits(node: NodeView): boolean {
  const { A, C, H } = exclusionContext(node);
  const phase = C.length > 0 ? 'compete' : A.length > 0 ? 'prepare' : 'idle';
  return valueOf(node).participant === phase && (C.length > 0 || H.length === 0);
}

/** An idle node has no current request; any other node has one that includes itself. */
export function requestFits(node: NodeView): boolean {
  const { L } = exclusionContext(node);
  return valueOf(node).initiator === 'idle' ? L.length === 0 : L.includes(0);
}

const WAITS_FOR = { ready: 'prepare', ackLock: 'win', ackRelease: 'unlock' } as const;

/** True if a node in this state may receive this message at this port (spec section 7). */
export function isExpectedAt(
  { lock, L, R, W, A, C, H, P }: ExclusionContext,
  initiator: ExclusionValue['initiator'],
  port: PortNumber,
  message: ExclusionMessage,
): boolean {
  switch (message.type) {
    case 'ready':
    case 'ackLock':
    case 'ackRelease':
      return initiator === WAITS_FOR[message.type] && L.includes(port) && !R.includes(port);
    case 'win':
      return initiator === 'compete' && L.includes(port) && !has(W, port);
    case 'request':
      return (A.includes(port) || C.includes(port)) && !has(P, port);
    case 'prepare':
      return ![A, C, H].some((ports) => ports.includes(port));
    case 'setLock':
      return lock === null && C.includes(port);
    case 'release':
      return lock === port;
  }
}

/**
 * A node's marks on the inspector's picture.
 *
 * The pointer to its holder makes a lock set a star of arrows with one end. The pointers to the nodes that it waits for make a deadlock a
 * cycle of arrows. The priorities that it compares are on the links that they came over.
 */
export function exclusionOverlay(node: NodeView, id: NodeId, links: LinksView): Overlay {
  const context = exclusionContext(node);
  const { initiator } = valueOf(node);
  const pointers = (ports: Ports, kind: string) =>
    links.neighbors(id).flatMap((to) => (ports.includes(links.port(id, to)) ? [{ to, kind }] : []));
  const bids = new Map<PortNumber, number>(context.P);
  return {
    pointers: [
      ...pointers(context.lock === null ? [] : [context.lock], 'held by'),
      ...pointers(awaited(initiator, context), 'waits for'),
    ],
    edges: links.neighbors(id).flatMap((to) => {
      const bid = bids.get(links.port(id, to));
      return bid === undefined ? [] : [{ to, label: String(bid) }];
    }),
    ...(initiator === 'idle' ? {} : { badge: initiator }),
    tone: initiator === 'locked' ? 'active' : context.lock !== null ? 'held' : initiator === 'idle' ? 'plain' : 'waiting',
  };
}

/** Ports whose answer the initiator waits for. */
function awaited(initiator: ExclusionValue['initiator'], { L, R, W }: ExclusionContext): Ports {
  if (initiator === 'idle' || initiator === 'locked') return [];
  return L.filter((port) => (initiator === 'compete' ? !has(W, port) : !R.includes(port)));
}
