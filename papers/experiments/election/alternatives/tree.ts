/** The forest that links form when each node follows the link toward its leader. Alternatives B and C choose leaders in it. */
import type { NodeId } from '../../../../machines/effects.js';
import { compareHeights, isSame } from '../../../../machines/election/height.js';
import { heightOf } from '../../../../machines/election/links.js';
import type { Look } from './level.js';

/** The previous parent while it is an outgoing neighbor, otherwise the lowest one; `null` at the top leader, and without a way down. */
export function treeParentOf({ height, links }: Pick<Look<unknown>, 'height' | 'links'>, old: NodeId | null): NodeId | null {
  if (isSame(height.lid, height.id)) return null;
  const isOutgoing = (peer: NodeId): boolean => {
    const other = heightOf(links, peer);
    return other !== null && compareHeights(other, height) < 0;
  };
  if (old !== null && isOutgoing(old)) return old;
  const outgoing = links.filter(({ peer }) => isOutgoing(peer));
  return outgoing.length === 0 ? null : outgoing.reduce((a, b) => (compareHeights(a.height!, b.height!) < 0 ? a : b)).peer;
}

export const announcedBy = <T>({ received }: Look<T>, peer: NodeId): T => received.find((one) => one.peer === peer)!.announced;
