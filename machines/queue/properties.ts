/** Promises of the queue for every configuration (spec 2.4, 2.5). The account adds those about a whole run. */
import type { NodeId } from '../effects.js';
import type { Configuration, Property, Instance } from '../protocol.js';
import { isSilent } from '../tree/silent.js';
import { GUARDIAN, TREE } from './messages.js';
import { convergenceTicks } from './bounds.js';
import type { QueueOptions } from './options.js';
import { queueFold as over, rolesFit, type QueueTotals } from './totals.js';
import { edgeAbove, isFind, isObserver, legalityOf, look } from './view.js';

export function queueProperties(instance: Instance<QueueOptions>): Property<QueueOptions>[] {
  return [
    rolesFitTree,
    {
      name: 'fully legal is closed',
      kind: 'closed',
      description: 'Once the tree is complete and every edge is fully legal, both remain so (Lemma 6.6).',
      holds: isFullyLegalEverywhere,
      folded: { over, holds: (totals: QueueTotals) => totals.isFullyLegal },
    },
    {
      name: 'every edge becomes fully legal',
      kind: 'converges',
      description: 'From any state, every edge is fully legal within 3R + tau of the last change of the tree (Corollary 6.8).',
      holds: isFullyLegalEverywhere,
      folded: { over, holds: (totals: QueueTotals) => totals.isFullyLegal },
      within: convergenceTicks(instance),
    },
  ];
}

const rolesFitTree: Property<QueueOptions> = {
  name: 'roles fit the tree',
  kind: 'always',
  description:
    'A node has exactly one guardian for each child, its pointer is in the state that it points to, and its parent and children are those of the tree.',
  holds: (c) => [...c.nodes].every(([id, node]) => rolesFit(id, node)),
  folded: { over, holds: (totals: QueueTotals) => totals.misfits === 0, isLocal: true },
};

/** True if the tree no longer moves, and every edge of it whose link is up is fully legal. */
export function isFullyLegalEverywhere(c: Configuration<any>): boolean {
  const { options } = c.instance;
  const isLegal = legalityOf(options);
  for (const node of c.nodes.keys()) {
    const edge = edgeAbove(c, node);
    if (edge !== null && !isLegal(look(c, edge))) return false;
  }
  return options.tree === 'fixed' || isSilent(c, TREE);
}

/**
 * The meaning of a period of at least 2R without time. After a timeout, a timer does not expire again before every observer has left the
 * edge and all counted surplus finds have arrived. The first timeout after a fault may come at any time.
 */
export function queueMayFire(c: Configuration, parent: NodeId, role: string): boolean {
  const { chart, value, context } = c.nodes.get(parent)![role]!;
  if (chart !== GUARDIAN || !context.timely) return true;
  const { down, up } = look(c, [parent, context.child]);
  const onEdge = [...down, ...up];
  return !onEdge.some(isObserver) && !(value === 'correct' && context.est > 1 && onEdge.some(isFind));
}

/** True if no work is left: no request is in flight, and no repair is pending. */
export const isAtRest = (c: Configuration): boolean => !c.flights.some(isFind) && isFullyLegalEverywhere(c);
