/** A node's marks on the inspector's picture: how full its bins are, whether it waits, and how far a change has come. */
import type { NodeId } from '../effects.js';
import type { Configuration, LinksView, NodeView, Overlay } from '../protocol.js';
import { capacity, LOCAL } from './bins.js';
import type { ControllerOptions } from './options.js';
import { deliveryOf, deliveryState, isSevered, isWaiting, mainOf, mainState, requestOf, requestState, rootOf } from './view.js';

export function overlayOf(node: NodeView, id: NodeId, _: LinksView, c: Configuration<ControllerOptions>): Overlay {
  const main = mainOf(node);
  if (!main) return { badge: '·', tone: 'plain' };
  if (isSevered(node)) return { badge: '×', tone: 'wrong' };
  return {
    pointers: main.parent === null ? [] : [{ to: main.parent, kind: 'parent' }],
    tone: toneOf(node),
    gauges: id === c.instance.options.root ? [...binsOf(node), budgetOf(c)] : binsOf(node),
  };
}

type Gauge = NonNullable<Overlay['gauges']>[number];

const budgetOf = (c: Configuration<ControllerOptions>): Gauge => ({
  name: 'budget',
  value: rootOf(c, 'R').permits,
  of: c.instance.options.M,
});

/** The bin of the node's own requests, and the one that it keeps for the nodes below. */
function binsOf(node: NodeView): Gauge[] {
  const request = requestOf(node, 'R');
  const delivery = deliveryOf(node, 'R');
  const local = request ? [{ name: 'local bin', value: request.permits, of: capacity(request.scale, LOCAL) }] : [];
  if (!delivery || delivery.level === null) return local;
  return [...local, { name: 'global bin', value: delivery.permits, of: capacity(delivery.scale, delivery.level) }];
}

/** Exhaustion spreads as a wave of `wrong`; a change as a wave of `held`. */
function toneOf(node: NodeView): NonNullable<Overlay['tone']> {
  if (requestState(node, 'R') === 'exhausted') return 'wrong';
  if (mainState(node) !== 'running') return 'held';
  if (isWaiting(node, 'R') || isWaiting(node, 'N')) return 'waiting';
  return deliveryState(node, 'R').endsWith('idle') || mainOf(node)!.parent === null ? 'plain' : 'active';
}
