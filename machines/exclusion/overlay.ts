/**
 * A node's marks on the inspector's picture.
 *
 * The pointer to its holder makes a lock set a star of arrows with one end. The pointers to the nodes that it waits for make a deadlock a
 * cycle of arrows. The priorities that it compares are on the links that they came over.
 */
import type { NodeId } from '../effects.js';
import type { LinksView, NodeView, Overlay } from '../protocol.js';
import type { ExclusionContext } from './machine.js';
import { has, type PortNumber, type Ports } from './ports.js';
import { exclusionContext, valueOf, type ExclusionValue } from './view.js';

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
