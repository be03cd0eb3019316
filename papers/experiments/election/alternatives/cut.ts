/**
 * Alternative B, district cutting: the forest is cut from its leaves.
 *
 * A node leads when its deepest descendant without a leader is `radius` below it, and continues to lead while it is `separation` below. Its
 * leader is the nearest ancestor that leads.
 */
import type { NodeId } from '../../../../machines/effects.js';
import { isSame, type Identity } from '../../../../machines/election/height.js';
import type { SeatRule } from './level.js';
import { treeParentOf, announcedBy } from './tree.js';

interface LevelReport {
  readonly parent: NodeId | null;
  /** Depth of the deepest descendant without a leader, relative to the node; -1 at a leader. */
  readonly need: number;
  readonly leader: Identity;
}

export const cut: SeatRule<LevelReport> = {
  silent: (id) => ({ parent: null, need: 0, leader: id }),
  judge: (look) => {
    const { id, member, announced, received, radius, separation } = look;
    const parent = treeParentOf(look, announced.parent);
    const children = received.filter((one) => one.announced.parent === id[1]);
    const need = Math.max(0, ...children.map((child) => child.announced.need + 1));
    const leads = parent === null || need >= radius || (isSame(member, id) && need >= separation);
    const leader = leads ? id : announcedBy(look, parent).leader;
    return { member: leader, announced: { parent, need: leads ? -1 : need, leader } };
  },
};
