/** What the queue promises of every configuration (spec 2.4, 2.5); the account adds what only a whole run can show. */
import type { NodeId } from '../effects.js';
import type { Configuration, NodeView, Property, Instance } from '../protocol.js';
import { isSilent } from '../tree/silent.js';
import { GUARDIAN, guardianOf, POINTER, TREE } from './messages.js';
import { convergenceTicks } from './bounds.js';
import type { QueueOptions } from './options.js';
import { edgeAbove, isFind, isFullyLegal, isFullyLegalAsPrinted, isObserver, look, pointerIn } from './view.js';

export function queueProperties(instance: Instance<QueueOptions>): Property<QueueOptions>[] {
  return [
    rolesFitTree,
    {
      name: 'fully legal is closed',
      kind: 'closed',
      says: 'Once the tree stands and every edge is fully legal, all stays so (Lemma 6.6).',
      holds: isFullyLegalEverywhere,
    },
    {
      name: 'every edge becomes fully legal',
      kind: 'converges',
      says: 'From any state every edge is fully legal within 3R + tau of the last change of the tree (Corollary 6.8).',
      holds: isFullyLegalEverywhere,
      within: convergenceTicks(instance),
    },
  ];
}

const rolesFitTree: Property<QueueOptions> = {
  name: 'roles fit the tree',
  kind: 'always',
  says: 'A node has one guardian for each child and no other, and its pointer is in the state that it points to.',
  holds: (c) => [...c.nodes].every(rolesFit),
  holdsAround: (c, id) => rolesFit([id, c.nodes.get(id)!]),
};

const rolesFit = ([id, node]: readonly [string, NodeView]): boolean => guardiansFit(node) && stateFits(id, node);

function guardiansFit(node: NodeView): boolean {
  const { children } = pointerIn(node)!;
  const guardians = Object.values(node).filter(({ chart }) => chart === GUARDIAN).length;
  return guardians === children.length && children.every((child) => guardianOf(child) in node);
}

function stateFits(id: string, node: NodeView): boolean {
  const { pointer, parent, children } = pointerIn(node)!;
  switch (node[POINTER]!.value) {
    case 'self':
      return pointer === id;
    case 'up':
      return pointer === parent;
    case 'down':
      return children.includes(pointer);
    default:
      return pointer !== id && pointer !== parent && !children.includes(pointer);
  }
}

/** The tree no longer moves, and every edge of it is fully legal, those apart whose link is down. */
export function isFullyLegalEverywhere(c: Configuration<any>): boolean {
  const { legality, tree } = c.instance.options;
  const isLegal = legality === 'printed' ? isFullyLegalAsPrinted : isFullyLegal;
  for (const node of c.nodes.keys()) {
    const edge = edgeAbove(c, node);
    if (edge !== null && !isLegal(look(c, edge))) return false;
  }
  return tree === 'fixed' || isSilent(c, TREE);
}

/**
 * What a period of at least 2R means where time is left out: a timer that has fired once does not do so again before every observer
 * has left the edge, nor before the surplus finds that were counted have come in. The first timeout after a fault may come any time.
 */
export function queueMayFire(c: Configuration, parent: NodeId, role: string): boolean {
  const { chart, value, context } = c.nodes.get(parent)![role]!;
  if (chart !== GUARDIAN || !context.timely) return true;
  const { down, up } = look(c, [parent, context.child]);
  const onEdge = [...down, ...up];
  return !onEdge.some(isObserver) && !(value === 'correct' && context.est > 1 && onEdge.some(isFind));
}

/** Nothing is left to do: no request is on its way, and nothing will be repaired. */
export const isAtRest = (c: Configuration): boolean => !c.flights.some(isFind) && isFullyLegalEverywhere(c);
