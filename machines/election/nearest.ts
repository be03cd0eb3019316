/** The question that the hierarchy is there to answer. */
import type { NodeId } from '../effects.js';
import type { NodeView } from '../protocol.js';
import { contextOf, levelOf } from './view.js';

/** The nearest leader of any level at most `within` hops away, the higher level where two are equally near; `null`: none is known. */
export function nearest(node: NodeView, within: number): { leader: NodeId; level: number; distance: number } | null {
  let best: { leader: NodeId; level: number; distance: number } | null = null;
  for (let level = contextOf(node).levels; level >= 1; level--) {
    for (const { id, distance } of levelOf(node, level).table) {
      if (distance <= within && (best === null || distance < best.distance)) best = { leader: id[1], level, distance };
    }
  }
  return best;
}
