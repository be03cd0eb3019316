/** Alternative C, bands: nodes lead if their depth in the forest is a multiple of radius + 1, and the nodes below follow them. */
import type { NodeId } from '../../../../machines/effects.js';
import type { Identity } from '../../../../machines/election/height.js';
import type { SeatRule } from './level.js';
import { treeParentOf, announcedBy } from './tree.js';

interface LevelReport {
  readonly parent: NodeId | null;
  readonly depth: number;
  readonly leader: Identity;
}

export const band: SeatRule<LevelReport> = {
  silent: (id) => ({ parent: null, depth: 0, leader: id }),
  judge: (look) => {
    const parent = treeParentOf(look, look.announced.parent);
    const depth = parent === null ? 0 : announcedBy(look, parent).depth + 1;
    const leader = depth % (look.radius + 1) === 0 || parent === null ? look.id : announcedBy(look, parent).leader;
    return { member: leader, announced: { parent, depth, leader } };
  },
};
