/** A node's marks on the inspector's picture: how full its bins are, whether it waits, and how far a change has come. */
import type { NodeId } from '../effects.js';
import type { NodeView, Overlay } from '../protocol.js';
import { deliveryRole, requestRole } from './messages.js';
import { deliveryState, isSevered, isWaiting, mainOf, mainState, requestState } from './view.js';

export function overlayOf(node: NodeView, _id: NodeId): Overlay {
  const main = mainOf(node);
  if (!main) return { badge: '·', tone: 'plain' };
  if (isSevered(node)) return { badge: '×', tone: 'wrong' };
  const local = node[requestRole('R')]!.context.permits as number;
  const delivery = node[deliveryRole('R')]!.context.permits as number;
  return {
    pointers: main.parent === null ? [] : [{ to: main.parent, kind: 'parent' }],
    badge: `${local}|${delivery}`,
    tone: toneOf(node),
  };
}

/** Exhaustion spreads as a wave of `wrong`; a change as a wave of `held`. */
function toneOf(node: NodeView): NonNullable<Overlay['tone']> {
  if (requestState(node, 'R') === 'exhausted') return 'wrong';
  if (mainState(node) !== 'running') return 'held';
  if (isWaiting(node, 'R') || isWaiting(node, 'N')) return 'waiting';
  return deliveryState(node, 'R').endsWith('idle') || mainOf(node)!.parent === null ? 'plain' : 'active';
}
